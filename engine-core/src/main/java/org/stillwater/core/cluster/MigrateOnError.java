package org.stillwater.core.cluster;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * Which VMs leave a host that became non-operational: codes of {@code cluster.migrate_on_error}
 * (monitoring specification §3.8).
 */
public enum MigrateOnError implements Coded {
    NONE(0, "none"),
    ALL(1, "all"),
    HIGHLY_AVAILABLE(2, "highly_available");

    private static final Map<Integer, MigrateOnError> BY_CODE = Coded.byCode(MigrateOnError.class);

    private final int code;
    private final String label;

    MigrateOnError(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /** The constant with this database code; {@link #ALL} for codes from a newer schema. */
    public static MigrateOnError ofCode(int code) {
        return BY_CODE.getOrDefault(code, ALL);
    }

    @Override
    public int code() {
        return code;
    }

    /** Lower-case name used in REST bodies and answers. */
    public String label() {
        return label;
    }
}
