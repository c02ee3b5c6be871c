package org.stillwater.command.pool;

import java.time.Duration;

/**
 * How pools are kept ready (monitoring specification §8).
 *
 * @param interval how often pools are checked without a reason
 * @param batch most VMs of a pool that one check starts, at least 1
 * @param attempts failed starts of a pool in a row after which it rests until the next interval, at
 *     least 1
 */
public record PoolSettings(Duration interval, int batch, int attempts) {

    /** As in the specification. */
    public static final PoolSettings DEFAULT = new PoolSettings(Duration.ofMinutes(5), 5, 3);

    public PoolSettings {
        if (!interval.isPositive() || batch < 1 || attempts < 1) {
            throw new IllegalArgumentException("limits of pools are at least 1");
        }
    }
}
