package org.stillwater.core.vm;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * How a VM's process ended: codes of {@code vm_dynamic.exit_status} (monitoring specification
 * §1.2).
 */
public enum ExitStatus implements Coded {
    NORMAL(0),
    ERROR(1),
    /** Only after a database restore. */
    UNKNOWN(2);

    private static final Map<Integer, ExitStatus> BY_CODE = Coded.byCode(ExitStatus.class);

    private final int code;

    ExitStatus(int code) {
        this.code = code;
    }

    /** The constant with this database code; {@link #UNKNOWN} for codes from a newer schema. */
    public static ExitStatus ofCode(int code) {
        return BY_CODE.getOrDefault(code, UNKNOWN);
    }

    @Override
    public int code() {
        return code;
    }
}
