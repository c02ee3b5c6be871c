package org.stillwater.benchmarks.scale;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of {@code bench stable}.
 *
 * @param vms virtual machines in all, spread evenly over the hosts
 * @param hosts simulated hosts
 * @param cycles statistics cycles that are measured
 * @param warmupCycles cycles before them that are left out
 * @param interval time from one statistics cycle to the next
 * @param tls whether hosts speak TLS with mutual authentication
 * @param reportSize how much each VM reports
 * @param eventsPerSecond status changes per second while latencies are measured; 0 leaves them out
 * @param eventTime how long latencies are measured
 * @param engineHeap the engine's {@code -Xmx}
 * @param engineJvmOptions more options of the engine's JVM
 * @param engineOptions more options of the engine
 * @param seed seed of the simulated world
 * @param programs where the programs are
 * @param folder where databases, certificates and logs go; emptied by each run
 * @param relays relays that push the numbers of VMs; null if hosts are polled
 */
public record StablePlan(
        int vms,
        int hosts,
        int cycles,
        int warmupCycles,
        Duration interval,
        boolean tls,
        ReportSize reportSize,
        int eventsPerSecond,
        Duration eventTime,
        String engineHeap,
        List<String> engineJvmOptions,
        List<String> engineOptions,
        long seed,
        Programs programs,
        Path folder,
        @Nullable Relays relays) {

    private static final Duration LEAST_PATIENCE = Duration.ofMinutes(15);
    private static final Duration PATIENCE_PER_VM = Duration.ofMillis(2);
    private static final Duration LEAST_LOOK = Duration.ofMillis(500);
    private static final Duration LOOK_PER_HOST = Duration.ofNanos(500_000);

    /** A plan without relays. */
    public StablePlan(
            int vms,
            int hosts,
            int cycles,
            int warmupCycles,
            Duration interval,
            boolean tls,
            ReportSize reportSize,
            int eventsPerSecond,
            Duration eventTime,
            String engineHeap,
            List<String> engineJvmOptions,
            List<String> engineOptions,
            long seed,
            Programs programs,
            Path folder) {
        this(
                vms,
                hosts,
                cycles,
                warmupCycles,
                interval,
                tls,
                reportSize,
                eventsPerSecond,
                eventTime,
                engineHeap,
                engineJvmOptions,
                engineOptions,
                seed,
                programs,
                folder,
                null);
    }

    public StablePlan {
        if (vms < hosts || vms % hosts != 0) {
            throw new IllegalArgumentException(
                    vms + " VMs cannot be spread evenly over " + hosts + " hosts");
        }
        if (relays != null && (!tls || relays.count() > hosts)) {
            throw new IllegalArgumentException(
                    "relays need TLS, and a host at least for each of them");
        }
        engineJvmOptions = List.copyOf(engineJvmOptions);
        engineOptions = List.copyOf(engineOptions);
    }

    /** How long all VMs may take to become known: a million takes most of an hour. */
    Duration intakePatience() {
        return LEAST_PATIENCE.plus(PATIENCE_PER_VM.multipliedBy(vms));
    }

    /** Pause between two looks at a meter. Each evaluates all meters, and some ask every host. */
    Duration lookPause() {
        Duration longer = LOOK_PER_HOST.multipliedBy(hosts);
        return longer.compareTo(LEAST_LOOK) > 0 ? longer : LEAST_LOOK;
    }

    /**
     * Simulated relays.
     *
     * @param count relays
     * @param moving share of the VMs with new numbers in each poll, 0 to 1
     */
    public record Relays(int count, double moving) {
        public Relays {
            if (count < 1 || !(moving >= 0 && moving <= 1)) {
                throw new IllegalArgumentException(
                        "--relays must be 1 or more, --moving between 0 and 1");
            }
        }
    }

    /** Reports of about 1.8 KB or 3.3 KB per VM. */
    public enum ReportSize {
        SMALL("small"),
        FULL("full");

        private final String option;

        ReportSize(String option) {
            this.option = option;
        }

        /** As the simulator's option spells it. */
        public String option() {
            return option;
        }
    }

    /**
     * The programs under measurement, each a folder with {@code app.jar} and {@code lib}.
     *
     * @param engine the engine, unpacked
     * @param simulator the simulator
     */
    public record Programs(Path engine, Path simulator) {}
}
