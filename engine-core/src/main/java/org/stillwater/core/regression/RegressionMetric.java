package org.stillwater.core.regression;

/**
 * Metrics that the engine measures to detect regressions. Each is a latency, a loss, a duration, or
 * the throughput of a saturated device: the throughput of an idle device shows demand, not
 * capacity.
 */
public enum RegressionMetric {
    /** Mean latency of reads of a disk of a VM, while the guest reads. */
    DISK_READ_LATENCY("disk-read-latency", Unit.MILLISECONDS, true),
    /** Mean latency of writes of a disk of a VM, while the guest writes. */
    DISK_WRITE_LATENCY("disk-write-latency", Unit.MILLISECONDS, true),
    /** Read rate of a disk of a VM, while requests wait. */
    DISK_READ_THROUGHPUT("disk-read-throughput", Unit.BYTES_PER_SECOND, false),
    /** Write rate of a disk of a VM, while requests wait. */
    DISK_WRITE_THROUGHPUT("disk-write-throughput", Unit.BYTES_PER_SECOND, false),
    /**
     * Share of time in which a processor of a VM waits for one of the host, plus one percent. Pools
     * of XAPI report it; VDSM does not.
     */
    CPU_WAIT("cpu-wait", Unit.PERCENT, true),
    /**
     * Share of a VM's memory that its balloon takes, plus one percent: memory pressure. Of VMs with
     * a guaranteed memory below their maximum only.
     */
    VM_BALLOON("vm-balloon", Unit.PERCENT, true),
    /** Packets that an interface of a VM or host drops per second, plus one. */
    INTERFACE_LOSS("interface-loss", Unit.PACKETS_PER_SECOND, true),
    /** Duration of a host's check of a storage domain. */
    STORAGE_DELAY("storage-delay", Unit.MILLISECONDS, true),
    /** Response time of a host's agent. */
    HOST_ANSWER("host-answer", Unit.MILLISECONDS, true),
    /** Delay of a host's events relative to its fastest message, plus a millisecond. */
    EVENT_LAG("event-lag", Unit.MILLISECONDS, true),
    /** Swap space that a host uses: memory pressure. */
    HOST_SWAP("host-swap", Unit.MEBIBYTES, true),
    /** Time from the begin of a migration to its end, by source host. */
    MIGRATION_DURATION("migration-duration", Unit.SECONDS, true),
    /** Time from the start of a VM until it is up, by its host. */
    BOOT_TIME("boot-time", Unit.SECONDS, true),
    /** Throughput of a cell of the disk benchmark, by its runs, not by samples. */
    BENCHMARK_THROUGHPUT("benchmark-throughput", Unit.MEGABYTES_PER_SECOND, false);

    /** Units of values. */
    public enum Unit {
        MILLISECONDS("ms", "ms·h", 1),
        SECONDS("s", "s·h", 1),
        /** Its impact is in MB/s·h. */
        BYTES_PER_SECOND("B/s", "MB/s·h", 1e-6),
        MEGABYTES_PER_SECOND("MB/s", "MB/s·h", 1),
        PACKETS_PER_SECOND("packets/s", "packets/s·h", 1),
        MEBIBYTES("MiB", "MiB·h", 1),
        PERCENT("%", "%·h", 1);

        private final String label;
        private final String impact;
        private final double factor;

        Unit(String label, String impact, double factor) {
            this.label = label;
            this.impact = impact;
            this.factor = factor;
        }

        /** Unit of values. */
        public String label() {
            return label;
        }

        /** Unit of a lasting change. */
        public String impactLabel() {
            return impact;
        }

        /** Converts a change for an hour to the unit of impact. */
        public double impact(double change) {
            return Math.abs(change) * factor;
        }
    }

    private final String label;
    private final Unit unit;
    private final boolean worseIsHigher;

    RegressionMetric(String label, Unit unit, boolean worseIsHigher) {
        this.label = label;
        this.unit = unit;
        this.worseIsHigher = worseIsHigher;
    }

    /** Unique name in the API. */
    public String label() {
        return label;
    }

    /** Units of values. */
    public Unit unit() {
        return unit;
    }

    /** Whether the engine samples the fleet for it; otherwise each value is a separate event. */
    public boolean isSampled() {
        return switch (this) {
            case DISK_READ_LATENCY,
                    DISK_WRITE_LATENCY,
                    DISK_READ_THROUGHPUT,
                    DISK_WRITE_THROUGHPUT,
                    CPU_WAIT,
                    VM_BALLOON,
                    INTERFACE_LOSS,
                    STORAGE_DELAY,
                    HOST_ANSWER,
                    HOST_SWAP ->
                    true;
            case EVENT_LAG, MIGRATION_DURATION, BOOT_TIME, BENCHMARK_THROUGHPUT -> false;
        };
    }

    /** Whether a change in this direction is a degradation. */
    public boolean isWorse(double relativeChange) {
        return worseIsHigher ? relativeChange > 0 : relativeChange < 0;
    }
}
