package org.stillwater.core.vm;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Records of commands about the present run of a VM. Monitoring never sets them; it only clears
 * them when the run ends (monitoring specification §1.2, §4.6 "Clear").
 *
 * @param generation how often the VM began to run; with the VM it is the idempotency key of the
 *     work left to commands
 * @param bootTime when it was started ({@code boot_time})
 * @param downtimeMillis how long its last migration stopped it ({@code downtime})
 * @param runtimeName the name its process runs with ({@code runtime_name})
 * @param consoleUser user that holds the console ticket ({@code console_cur_user_name})
 * @param consoleUserId the same as an identity ({@code console_user_id})
 * @param cpuName CPU model it was started with ({@code cpu_name})
 * @param emulatedMachine machine type it was started with ({@code emulated_machine})
 * @param volatileRun whether the definition that it was started with is gone when it stops ({@code
 *     volatile_run})
 * @param topology pinning and topology it was started with, null when as defined
 * @param stopReason the reason that a user gave for its stop, null without a reason; it outlasts
 *     the run, until the next one ({@code reason})
 */
public record VmRun(
        long generation,
        @Nullable Instant bootTime,
        @Nullable Long downtimeMillis,
        @Nullable String runtimeName,
        @Nullable String consoleUser,
        @Nullable UUID consoleUserId,
        @Nullable String cpuName,
        @Nullable String emulatedMachine,
        boolean volatileRun,
        @Nullable Topology topology,
        @Nullable String stopReason) {

    /**
     * CPUs as a VM was started with ({@code current_cpu_pinning}, {@code current_sockets}, {@code
     * current_cores}, {@code current_threads}, {@code current_numa_pinning}).
     *
     * @param cpuPinning pinning of virtual CPUs, null for none
     * @param sockets number of sockets
     * @param coresPerSocket cores of each socket
     * @param threadsPerCore threads of each core
     * @param numaPinning pinning of NUMA nodes, null for none
     */
    public record Topology(
            @Nullable String cpuPinning,
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            @Nullable String numaPinning) {

        /** Number of virtual CPUs, at least 1. */
        public int cpus() {
            return Math.max(1, sockets) * Math.max(1, coresPerSocket) * Math.max(1, threadsPerCore);
        }
    }

    /** Runs of which nothing is recorded, by their number: most VMs have one of these. */
    private static final VmRun[] UNRECORDED = new VmRun[16];

    static {
        for (int i = 0; i < UNRECORDED.length; i++) {
            UNRECORDED[i] = made(i, null);
        }
    }

    /** A VM that never ran. */
    public static final VmRun NEVER = empty(0, null);

    private static VmRun empty(long generation, @Nullable String stopReason) {
        return stopReason == null && generation >= 0 && generation < UNRECORDED.length
                ? UNRECORDED[(int) generation]
                : made(generation, stopReason);
    }

    private static VmRun made(long generation, @Nullable String stopReason) {
        return new VmRun(
                generation, null, null, null, null, null, null, null, false, null, stopReason);
    }

    /** The same values; one instance for all VMs in their first runs with nothing recorded. */
    public VmRun shared() {
        return generation >= 0
                        && generation < UNRECORDED.length
                        && equals(UNRECORDED[(int) generation])
                ? UNRECORDED[(int) generation]
                : this;
    }

    /** A new run, of which nothing is recorded yet. */
    public VmRun next() {
        return empty(generation + 1, null);
    }

    /** The same, started at this time. */
    public VmRun startedAt(Instant time) {
        return new VmRun(
                generation,
                time,
                downtimeMillis,
                runtimeName,
                consoleUser,
                consoleUserId,
                cpuName,
                emulatedMachine,
                volatileRun,
                topology,
                stopReason);
    }

    /** The same run with a definition that is gone when it stops. */
    public VmRun asVolatile() {
        return new VmRun(
                generation,
                bootTime,
                downtimeMillis,
                runtimeName,
                consoleUser,
                consoleUserId,
                cpuName,
                emulatedMachine,
                true,
                topology,
                stopReason);
    }

    /** Record after the VM went down: only the number of the run and the reason of the stop. */
    public VmRun ended() {
        return empty(generation, stopReason);
    }

    /**
     * Record while the VM is suspended or unknown: without its console user and the data of its
     * run.
     */
    public VmRun unobserved() {
        return new VmRun(
                generation,
                bootTime,
                downtimeMillis,
                runtimeName,
                null,
                null,
                null,
                null,
                false,
                topology,
                stopReason);
    }

    /** The same with another holder of the console ticket. */
    public VmRun withConsoleUser(@Nullable String user, @Nullable UUID userId) {
        return new VmRun(
                generation,
                bootTime,
                downtimeMillis,
                runtimeName,
                user,
                userId,
                cpuName,
                emulatedMachine,
                volatileRun,
                topology,
                stopReason);
    }

    /** The same, to be stopped for this reason; null for none. */
    public VmRun withStopReason(@Nullable String reason) {
        return new VmRun(
                generation,
                bootTime,
                downtimeMillis,
                runtimeName,
                consoleUser,
                consoleUserId,
                cpuName,
                emulatedMachine,
                volatileRun,
                topology,
                reason);
    }
}
