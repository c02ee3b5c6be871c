package org.stillwater.monitoring.vm;

import static org.stillwater.monitoring.vm.StatisticsLayout.*;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.StatisticsStore;

/**
 * The values of one VM that are sampled for readers outside the engine (monitoring specification
 * §1.3), when they differ from those saved last.
 *
 * @param values what is to be saved
 * @param digest what to tell {@link VmStatistics#sampled(int)} once it is saved
 */
public record StatisticsSample(StatisticsStore.Sample values, int digest) {

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

    /** What a VM that runs nowhere uses, if no report came since the engine's start. */
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
     * @param numbers the head of the VM's numbers
     * @param stopped whether the VM runs nowhere
     * @param savedDigest digest of what was saved last, 0 for nothing
     * @return null if there is nothing to save
     */
    static @Nullable StatisticsSample of(
            VmId id,
            long[] numbers,
            @Nullable String disksUsage,
            boolean stopped,
            int savedDigest) {
        boolean known = numbers[OBSERVED] != 0;
        if (!known && !stopped) {
            return null;
        }
        long[] n = known ? numbers : NOTHING;
        int digest = digest(n);
        return digest == savedDigest
                ? null
                : new StatisticsSample(
                        new StatisticsStore.Sample(
                                id,
                                fraction(n[CPU_USER]),
                                fraction(n[CPU_SYSTEM]),
                                whole(n[ELAPSED]),
                                percent(n[CPU_USAGE]),
                                percent(n[MEMORY_USAGE]),
                                percent(n[NETWORK_USAGE]),
                                known ? disksUsage : null,
                                whole(n[MEMORY_BUFFERED]),
                                whole(n[MEMORY_CACHED])),
                        digest);
    }

    /**
     * 32 bits fit into the VM's numbers without making them larger. A change that they do not show,
     * one in four thousand million, is made up for by the next one.
     */
    private static int digest(long[] numbers) {
        long digest = 0;
        for (int at : SAMPLED) {
            digest = (digest ^ numbers[at]) * 0x9E3779B97F4A7C15L;
            digest ^= digest >>> 32;
        }
        int folded = (int) digest;
        return folded == 0 ? 1 : folded;
    }

    private static @Nullable Double fraction(long bits) {
        double value = Double.longBitsToDouble(bits);
        return Double.isNaN(value) ? null : value;
    }

    private static @Nullable Long whole(long value) {
        return value == NONE ? null : (Long) value;
    }

    private static @Nullable Integer percent(long value) {
        return value == NONE ? null : (Integer) Math.clamp(value, 0, 100);
    }
}
