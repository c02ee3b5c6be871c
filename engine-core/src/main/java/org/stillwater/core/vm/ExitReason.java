package org.stillwater.core.vm;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * Why a VM's process ended: codes of {@code vm_dynamic.exit_reason} and of the wire (monitoring
 * specification §2.3).
 */
public enum ExitReason implements Coded {
    /** A code that this engine does not know, or none yet. */
    UNKNOWN(-1),
    SUCCESS(0),
    GENERIC_ERROR(1),
    LOST_QEMU_CONNECTION(2),
    LIBVIRT_START_FAILED(3),
    MIGRATION_SUCCEEDED(4),
    SAVE_STATE_SUCCEEDED(5),
    ADMIN_SHUTDOWN(6),
    USER_SHUTDOWN(7),
    MIGRATION_FAILED(8),
    LIBVIRT_DOMAIN_MISSING(9),
    DESTROYED_ON_STARTUP(10),
    HOST_SHUTDOWN(11),
    POSTCOPY_MIGRATION_FAILED(12),
    DESTROYED_ON_REBOOT(13),
    DESTROYED_ON_RESUME(14);

    private static final Map<Integer, ExitReason> BY_CODE = Coded.byCode(ExitReason.class);

    private final int code;

    ExitReason(int code) {
        this.code = code;
    }

    /** The constant with this database code; {@link #UNKNOWN} for codes from a newer schema. */
    public static ExitReason ofCode(int code) {
        return BY_CODE.getOrDefault(code, UNKNOWN);
    }

    @Override
    public int code() {
        return code;
    }
}
