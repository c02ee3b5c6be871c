package org.stillwater.core.vm;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.value.SqlType;

/**
 * The one table of the values of {@link VmPlacement}, which only the engine decides, with the
 * column of each. Diffing and SQL are driven by these rows, so that a placement is written by the
 * columns that changed and never carries back an older value of another one.
 *
 * <p>Source: monitoring specification §1.2, kind E.
 */
public enum PlacementField {
    RUN_ON("run_on_vds", SqlType.UUID),
    MIGRATING_TO("migrating_to_vds", SqlType.UUID),
    LAST_START("last_start_time", SqlType.TIMESTAMPTZ),
    LAST_STOP("last_stop_time", SqlType.TIMESTAMPTZ),
    RUN_GENERATION("run_generation", SqlType.BIGINT),
    BOOT_TIME("boot_time", SqlType.TIMESTAMPTZ),
    DOWNTIME("downtime", SqlType.BIGINT),
    RUNTIME_NAME("runtime_name", SqlType.TEXT),
    CONSOLE_USER("console_cur_user_name", SqlType.TEXT),
    CONSOLE_USER_ID("console_user_id", SqlType.UUID),
    CPU_NAME("cpu_name", SqlType.TEXT),
    EMULATED_MACHINE("emulated_machine", SqlType.TEXT),
    VOLATILE_RUN("volatile_run", SqlType.BOOLEAN),
    CPU_PINNING("current_cpu_pinning", SqlType.TEXT),
    SOCKETS("current_sockets", SqlType.INTEGER),
    CORES_PER_SOCKET("current_cores", SqlType.INTEGER),
    THREADS_PER_CORE("current_threads", SqlType.INTEGER),
    NUMA_PINNING("current_numa_pinning", SqlType.TEXT),
    STOP_REASON("reason", SqlType.TEXT);

    private final String column;
    private final SqlType sqlType;

    PlacementField(String column, SqlType sqlType) {
        this.column = column;
        this.sqlType = sqlType;
    }

    /** Column in {@code vm_dynamic}. */
    public String column() {
        return column;
    }

    /** Type of the column. */
    public SqlType sqlType() {
        return sqlType;
    }

    /**
     * The value in this placement: a {@link UUID}, {@link Instant}, {@link Long}, {@link Integer},
     * {@link Boolean} or text, as the column's type has it.
     */
    public @Nullable Object value(VmPlacement placement) {
        VmRun run = placement.run();
        VmRun.Topology topology = run.topology();
        return switch (this) {
            case RUN_ON -> uuid(placement.runOn());
            case MIGRATING_TO -> uuid(placement.migratingTo());
            case LAST_START -> placement.lastStart();
            case LAST_STOP -> placement.lastStop();
            case RUN_GENERATION -> run.generation();
            case BOOT_TIME -> run.bootTime();
            case DOWNTIME -> run.downtimeMillis();
            case RUNTIME_NAME -> run.runtimeName();
            case CONSOLE_USER -> run.consoleUser();
            case CONSOLE_USER_ID -> run.consoleUserId();
            case CPU_NAME -> run.cpuName();
            case EMULATED_MACHINE -> run.emulatedMachine();
            case VOLATILE_RUN -> run.volatileRun();
            case CPU_PINNING -> topology == null ? null : topology.cpuPinning();
            case SOCKETS -> topology == null ? null : topology.sockets();
            case CORES_PER_SOCKET -> topology == null ? null : topology.coresPerSocket();
            case THREADS_PER_CORE -> topology == null ? null : topology.threadsPerCore();
            case NUMA_PINNING -> topology == null ? null : topology.numaPinning();
            case STOP_REASON -> run.stopReason();
        };
    }

    private static @Nullable UUID uuid(@Nullable HostId host) {
        return host == null ? null : host.value();
    }
}
