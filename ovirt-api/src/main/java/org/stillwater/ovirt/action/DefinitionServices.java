package org.stillwater.ovirt.action;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;

/** Services of the server that definitions of VMs need. Thread-safe. */
public interface DefinitionServices {

    /** A definition as the text that its operation keeps. */
    String text(Definition definition);

    /** A MAC address that no VM has. */
    String nextMac();

    /**
     * The other VM that has a MAC address in the data centre of a cluster; null if none does.
     *
     * @param vm the VM that needs it
     */
    @Nullable VmView owner(VmId vm, String mac, ClusterId cluster);
}
