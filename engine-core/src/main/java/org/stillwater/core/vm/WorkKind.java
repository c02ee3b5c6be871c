package org.stillwater.core.vm;

import org.stillwater.core.value.Coded;

/**
 * Work that monitoring leaves to commands, recorded durably until a command has done it (monitoring
 * specification §4.11). Codes of the {@code pending_work} table.
 */
public enum WorkKind implements Coded {
    /** Start a highly available VM that failed. */
    HA_RESTART(1, "ha_restart"),
    /** Start a VM again that went down to be started with its next configuration. */
    COLD_REBOOT(2, "cold_reboot"),
    /** A start failed on this host: try another one. */
    RERUN(3, "rerun"),
    /** A migration failed: try another destination, or give up. */
    RERUN_MIGRATION(4, "rerun_migration"),
    /** Clean up after a VM that went down: stateless snapshots, pools, host devices. */
    PROCESS_DOWN(5, "process_down");

    private static final java.util.Map<Integer, WorkKind> BY_CODE = Coded.byCode(WorkKind.class);

    private final int code;
    private final String label;

    WorkKind(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /**
     * The kind with this database code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static WorkKind ofCode(int code) {
        WorkKind kind = BY_CODE.get(code);
        if (kind == null) {
            throw new IllegalArgumentException("no kind of work has code " + code);
        }
        return kind;
    }

    @Override
    public int code() {
        return code;
    }

    /**
     * Whether one run of a VM can give rise to it once only, so that after it was taken over the
     * same conclusion about the same run is no new work. A VM may migrate often in one run.
     */
    public boolean isOncePerRun() {
        return this != RERUN_MIGRATION;
    }

    /** Lower-case name used in REST answers and metrics. */
    public String label() {
        return label;
    }
}
