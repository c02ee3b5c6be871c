package org.stillwater.core.definition;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * Origin of a VM's definition: codes of {@code vm_static.origin} (monitoring specification §1.1).
 */
public enum VmOrigin implements Coded {
    RHEV(0),
    VMWARE(1),
    XEN(2),
    OVIRT(3),
    /** Found running on a host; the engine did not create it. */
    EXTERNAL(4),
    HOSTED_ENGINE(5),
    MANAGED_HOSTED_ENGINE(6),
    KVM(7),
    PHYSICAL_MACHINE(8),
    HYPERV(9),
    KUBEVIRT(10);

    private static final Map<Integer, VmOrigin> BY_CODE = Coded.byCode(VmOrigin.class);

    private final int code;

    VmOrigin(int code) {
        this.code = code;
    }

    /** The constant with this database code; {@link #EXTERNAL} for codes from a newer schema. */
    public static VmOrigin ofCode(int code) {
        return BY_CODE.getOrDefault(code, EXTERNAL);
    }

    @Override
    public int code() {
        return code;
    }

    /** Whether the VM was found running, so that its definition was read from its host. */
    public boolean isFound() {
        return this == EXTERNAL || this == HOSTED_ENGINE;
    }
}
