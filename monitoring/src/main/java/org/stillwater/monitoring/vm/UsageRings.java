package org.stillwater.monitoring.vm;

import java.util.ArrayList;
import java.util.List;

/**
 * Most recent usage samples of one VM in an array of bytes: one ring per metric, followed by two
 * bytes per metric: samples held, and where the next one goes (monitoring specification §1.3,
 * {@code UsageHistoryLimit}).
 */
final class UsageRings {

    static final int CPU = 0;
    static final int MEMORY = 1;
    static final int NETWORK = 2;
    private static final int METRICS = 3;

    private UsageRings() {}

    static byte[] ofLimit(int limit) {
        if (limit < 0 || limit > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("the usage history holds 0 to 127 samples");
        }
        return new byte[METRICS * (limit + 2)];
    }

    private static int limit(byte[] rings) {
        return rings.length / METRICS - 2;
    }

    /** Adds a sample, 0 to 100; the oldest goes when the ring is full. */
    static void add(byte[] rings, int metric, long percent) {
        int limit = limit(rings);
        if (limit == 0) {
            return;
        }
        int held = METRICS * limit + 2 * metric;
        int next = held + 1;
        rings[metric * limit + rings[next]] = (byte) percent;
        rings[next] = (byte) ((rings[next] + 1) % limit);
        if (rings[held] < limit) {
            rings[held]++;
        }
    }

    /** The samples held, oldest first. */
    static List<Integer> samples(byte[] rings, int metric) {
        int limit = limit(rings);
        if (limit == 0) {
            return List.of();
        }
        int held = rings[METRICS * limit + 2 * metric];
        int next = rings[METRICS * limit + 2 * metric + 1];
        List<Integer> samples = new ArrayList<>(held);
        for (int i = 0; i < held; i++) {
            samples.add((int) rings[metric * limit + Math.floorMod(next - held + i, limit)]);
        }
        return samples;
    }
}
