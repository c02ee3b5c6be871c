package org.stillwater.ovirt.action;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.port.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;

/** What definitions of VMs need of the server. Thread-safe. */
public interface DefinitionDesk {

    /** A definition as the text that its operation keeps. */
    String text(Definition definition);

    /** A MAC address that no VM has. */
    String nextMac();

    /** The VM that has a MAC address; null if none does. */
    @Nullable VmView owner(String mac);
}
