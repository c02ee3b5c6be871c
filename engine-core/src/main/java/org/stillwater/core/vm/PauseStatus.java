package org.stillwater.core.vm;

import java.util.Map;
import org.stillwater.core.value.Coded;

/** Why a VM is paused: codes of {@code vm_dynamic.pause_status} (monitoring specification §2.3). */
public enum PauseStatus implements Coded {
    NONE(0),
    EOTHER(1),
    EIO(2),
    ENOSPC(3),
    EPERM(4),
    /** Paused without an error, or read from a healthy hypervisor. */
    NOERR(5),
    POSTCOPY(6);

    private static final Map<Integer, PauseStatus> BY_CODE = Coded.byCode(PauseStatus.class);

    private final int code;

    PauseStatus(int code) {
        this.code = code;
    }

    /** The constant with this database code; {@link #NONE} for codes from a newer schema. */
    public static PauseStatus ofCode(int code) {
        return BY_CODE.getOrDefault(code, NONE);
    }

    @Override
    public int code() {
        return code;
    }
}
