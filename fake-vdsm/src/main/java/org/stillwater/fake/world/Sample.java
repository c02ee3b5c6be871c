package org.stillwater.fake.world;

import org.jspecify.annotations.Nullable;

/**
 * The content of a host's newest 15 s sample about one domain: totals at the sample and growth
 * since the one before. All of it is computed from seeds and active time; nothing is stored.
 */
final class Sample {

    private static final int CPU_LANE = 0;
    private static final int FAULTS_LANE = 2;
    private static final long NANOS_PER_HUNDREDTH = Meter.PERIOD_MILLIS * 1_000_000L / (100 * 100);

    /** Total bytes of a NIC. */
    record Traffic(long received, long sent) {
        /** The host receives the bytes that the guest sends. */
        @SuppressWarnings("ArgumentSelectionDefectChecker") // swapping them is the purpose
        Traffic fromTheOtherEnd() {
            return new Traffic(sent, received);
        }
    }

    /** Total bytes of a disk, their growth in the sample, and latencies in quarters of ns. */
    record BlockIo(
            long read,
            long readDelta,
            long written,
            long writeDelta,
            long readLatencyQuarters,
            long writeLatencyQuarters) {}

    private final Machine machine;
    private final long segment;
    private final long into;
    private final long segmentBefore;
    private final long intoBefore;
    private final boolean moving;
    private final long chance;
    private final long cpuNanos;
    private final long cpuDelta;

    private Sample(Machine machine, long activeMillis, long activeBefore) {
        this.machine = machine;
        this.segment = activeMillis / Meter.PERIOD_MILLIS;
        this.into = activeMillis % Meter.PERIOD_MILLIS;
        this.segmentBefore = activeBefore / Meter.PERIOD_MILLIS;
        this.intoBefore = activeBefore % Meter.PERIOD_MILLIS;
        this.moving = activeMillis > activeBefore;
        long seed = machine.seed;
        this.chance = Meter.chance(seed, segment);
        long mean = machine.cpuNanosPerSample;
        this.cpuNanos =
                Meter.total(mean, segment, into, chance, Meter.chance(seed, segment + 1), CPU_LANE);
        this.cpuDelta = moving ? cpuNanos - before(mean, seed, CPU_LANE) : 0;
    }

    /** The newest sample, or {@code null} while there are not two. */
    static @Nullable Sample of(Domain domain, HostMoment moment) {
        ActiveTime active = domain.active;
        if (active == null || !domain.isSampled(moment.now())) {
            return null;
        }
        long at = moment.lastSample();
        return new Sample(domain.machine, active.at(at), active.at(at - Meter.PERIOD_MILLIS));
    }

    /** CPU use in hundredths of a percent of one core. */
    long cpuHundredths() {
        return cpuDelta / NANOS_PER_HUNDREDTH;
    }

    long cpuNanos() {
        return cpuNanos;
    }

    Traffic traffic(Nic nic) {
        long seed = machine.seed ^ ((long) nic.serial() << 20);
        long from = Meter.chance(seed, segment);
        long to = Meter.chance(seed, segment + 1);
        long mean = nic.bytesPerSample();
        return new Traffic(
                Meter.total(mean, segment, into, from, to, 0),
                Meter.total(mean * 2 / 3, segment, into, from, to, 1));
    }

    BlockIo blockIo(Disk disk) {
        long seed = machine.seed ^ disk.volume().getLeastSignificantBits();
        long from = Meter.chance(seed, segment);
        long to = Meter.chance(seed, segment + 1);
        long beforeFrom = Meter.chance(seed, segmentBefore);
        long beforeTo = segmentBefore + 1 == segment ? from : to;
        long read = Meter.total(disk.readPerSample(), segment, into, from, to, 0);
        long written = Meter.total(disk.writtenPerSample(), segment, into, from, to, 1);
        long readDelta = 0;
        long writeDelta = 0;
        if (moving) {
            readDelta =
                    read
                            - Meter.total(
                                    disk.readPerSample(),
                                    segmentBefore,
                                    intoBefore,
                                    beforeFrom,
                                    beforeTo,
                                    0);
            writeDelta =
                    written
                            - Meter.total(
                                    disk.writtenPerSample(),
                                    segmentBefore,
                                    intoBefore,
                                    beforeFrom,
                                    beforeTo,
                                    1);
        }
        return new BlockIo(
                read,
                readDelta,
                written,
                writeDelta,
                800_000 + (from >>> 16 & 0xffff) * 64,
                2_000_000 + (from >>> 32 & 0xffff) * 128);
    }

    long minorFaults() {
        return moving ? (chance >>> (FAULTS_LANE * 8) & 0xffff) >> 4 : 0;
    }

    /** Unused memory. */
    long unusedKib(Machine of) {
        long total = of.guestMemoryKib();
        return total * of.unusedPermille() / 1000 + total / 25_600 * (chance >>> 8 & 255);
    }

    /** Unused memory and the memory that caches would give back. */
    long freeKib(Machine of) {
        return unusedKib(of) + of.guestMemoryKib() * of.cachedPermille() / 1000;
    }

    private long before(long mean, long seed, int lane) {
        return Meter.total(
                mean,
                segmentBefore,
                intoBefore,
                Meter.chance(seed, segmentBefore),
                Meter.chance(seed, segmentBefore + 1),
                lane);
    }
}
