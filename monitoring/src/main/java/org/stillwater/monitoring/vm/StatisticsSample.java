package org.stillwater.monitoring.vm;

import static org.stillwater.monitoring.vm.StatisticsLayout.*;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StatisticsStore.DiskSample;
import org.stillwater.core.store.StatisticsStore.NicSample;
import org.stillwater.core.vm.InterfaceStatus;

/**
 * The values of one VM that are sampled for readers outside the engine (monitoring specification
 * §1.3), when they differ from those saved last.
 *
 * @param values values to be saved
 * @param digest digest of the values
 * @param partsDigest digest of the identities of interfaces and disks
 */
public record StatisticsSample(StatisticsStore.Sample values, int digest, int partsDigest) {

    private static final int[] SAMPLED = {
        CPU_USER,
        CPU_SYSTEM,
        ELAPSED,
        CPU_USAGE,
        MEMORY_USAGE,
        NETWORK_USAGE,
        DISKS_USAGE_DIGEST,
        MEMORY_BUFFERED,
        MEMORY_CACHED
    };

    /** Numbers of a VM that runs nowhere, if no report came since the engine's start. */
    private static final long[] NOTHING = new long[HEADER];

    static {
        NOTHING[CPU_USER] = ZERO;
        NOTHING[CPU_SYSTEM] = ZERO;
        NOTHING[MEMORY_BUFFERED] = NONE;
        NOTHING[MEMORY_CACHED] = NONE;
    }

    /**
     * Compares.
     *
     * @param nics interfaces in the order of the numbers
     * @param numbers a copy of the VM's numbers
     * @param stopped whether the VM runs nowhere
     * @param savedDigest digest of the last saved values, 0 for none
     * @param savedPartsDigest digest of the interfaces and disks saved last, 0 for none
     * @return null without changes to save
     */
    static @Nullable StatisticsSample of(
            VmId id,
            VmNic[] nics,
            long[] numbers,
            byte @Nullable [] disksUsage,
            boolean stopped,
            int savedDigest,
            int savedPartsDigest) {
        boolean known = numbers[OBSERVED] != 0;
        if (!known && !stopped) {
            return null;
        }
        long[] n = known ? numbers : NOTHING;
        int digest = digest(n);
        if (digest == savedDigest) {
            return null;
        }
        List<NicSample> nicSamples = known ? nics(nics, n) : List.of();
        List<DiskSample> diskSamples = known ? disks(nics.length, n) : List.of();
        int partsDigest = digest(nicSamples, diskSamples);
        return new StatisticsSample(
                new StatisticsStore.Sample(
                        id,
                        fraction(n[CPU_USER]),
                        fraction(n[CPU_SYSTEM]),
                        whole(n[ELAPSED]),
                        percent(n[CPU_USAGE]),
                        percent(n[MEMORY_USAGE]),
                        percent(n[NETWORK_USAGE]),
                        known ? PackedDisksUsage.unpack(disksUsage) : null,
                        whole(n[MEMORY_BUFFERED]),
                        whole(n[MEMORY_CACHED]),
                        nicSamples,
                        diskSamples,
                        partsDigest != savedPartsDigest),
                digest,
                partsDigest);
    }

    private static List<NicSample> nics(VmNic[] nics, long[] n) {
        List<NicSample> samples = new ArrayList<>(nics.length);
        for (int i = 0; i < nics.length; i++) {
            int at = nic(i);
            if (everReported(n, at)) {
                samples.add(
                        new NicSample(
                                nics[i].id(),
                                (n[at + NIC_FLAGS] & REPORTED) != 0
                                        ? InterfaceStatus.UP
                                        : InterfaceStatus.NONE,
                                fraction(n[at + NIC_RECEIVE_RATE]),
                                fraction(n[at + NIC_SEND_RATE]),
                                whole(n[at + NIC_RECEIVE_DROPPED]),
                                whole(n[at + NIC_SEND_DROPPED]),
                                whole(n[at + NIC_RECEIVED]),
                                whole(n[at + NIC_SENT]),
                                whole(n[at + NIC_RECEIVED_OFFSET]),
                                whole(n[at + NIC_SENT_OFFSET]),
                                fraction(n[at + NIC_SAMPLE_TIME])));
            }
        }
        return samples;
    }

    /** A host that reports an image twice has its last word. */
    private static List<DiskSample> disks(int nics, long[] n) {
        Map<UUID, DiskSample> samples = new LinkedHashMap<>();
        for (int at = disk(nics, 0); at < n.length; at += DISK) {
            long upper = n[at + DISK_IMAGE_UPPER];
            long lower = n[at + DISK_IMAGE_LOWER];
            if (upper != NONE || lower != NONE) {
                UUID image = new UUID(upper, lower);
                samples.put(
                        image,
                        new DiskSample(
                                image,
                                rounded(n[at + DISK_READ_RATE]),
                                rounded(n[at + DISK_WRITE_RATE]),
                                whole(n[at + DISK_READS]),
                                whole(n[at + DISK_WRITES]),
                                whole(n[at + DISK_SIZE]),
                                seconds(n[at + DISK_READ_LATENCY]),
                                seconds(n[at + DISK_WRITE_LATENCY]),
                                seconds(n[at + DISK_FLUSH_LATENCY])));
            }
        }
        return List.copyOf(samples.values());
    }

    /**
     * 32 bits fit into the VM's numbers without making them larger. A change that they do not show,
     * one in four thousand million, is made up for by the next one.
     */
    private static int digest(long[] numbers) {
        long digest = 0;
        for (int at : SAMPLED) {
            digest = mixed(digest, numbers[at]);
        }
        for (int at = HEADER; at < numbers.length; at++) {
            digest = mixed(digest, numbers[at]);
        }
        return folded(digest);
    }

    /** Of identities only, so that it stands while only numbers move. */
    private static int digest(List<NicSample> nics, List<DiskSample> disks) {
        long digest = nics.size();
        for (NicSample nic : nics) {
            digest = mixed(digest, nic.id());
        }
        for (DiskSample disk : disks) {
            digest = mixed(digest, disk.imageId());
        }
        return folded(digest);
    }

    private static long mixed(long digest, UUID id) {
        return mixed(mixed(digest, id.getMostSignificantBits()), id.getLeastSignificantBits());
    }

    private static long mixed(long digest, long value) {
        long mixed = (digest ^ value) * 0x9E3779B97F4A7C15L;
        return mixed ^ (mixed >>> 32);
    }

    /** Never 0, which marks no digest. */
    private static int folded(long digest) {
        int folded = (int) digest;
        return folded == 0 ? 1 : folded;
    }

    private static @Nullable Double fraction(long bits) {
        double value = Double.longBitsToDouble(bits);
        return Double.isNaN(value) ? null : value;
    }

    private static @Nullable Long rounded(long bits) {
        Double value = fraction(bits);
        return value == null ? null : (Long) Math.round(value);
    }

    private static @Nullable Double seconds(long bits) {
        Double nanos = fraction(bits);
        return nanos == null ? null : (Double) (nanos / NANOS_PER_SECOND);
    }

    private static @Nullable Long whole(long value) {
        return value == NONE ? null : (Long) value;
    }

    private static @Nullable Integer percent(long value) {
        return value == NONE ? null : (Integer) Math.clamp(value, 0, 100);
    }
}
