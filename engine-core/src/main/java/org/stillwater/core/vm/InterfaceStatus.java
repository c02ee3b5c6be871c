package org.stillwater.core.vm;

import org.stillwater.core.value.Coded;

/**
 * Whether an interface of a VM carries traffic ({@code vm_interface_statistics.iface_status},
 * monitoring specification §1.4). A host reports only interfaces that are plugged, so {@link #DOWN}
 * comes from other sources only.
 */
public enum InterfaceStatus implements Coded {
    /** Not in the newest report, or the VM does not run. */
    NONE(0),
    /** In the newest report. */
    UP(1),
    /** Plugged without a link. */
    DOWN(2);

    private final int code;

    InterfaceStatus(int code) {
        this.code = code;
    }

    @Override
    public int code() {
        return code;
    }
}
