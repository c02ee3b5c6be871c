package org.stillwater.core.command;

import java.time.Duration;

/**
 * Time limits of operations.
 *
 * @param mostHosts most hosts on which a start or migration is tried, at least 1 (monitoring
 *     specification §8: {@code MaxRerunVmOnVdsCount} 3)
 * @param start how long a VM may take until it is up
 * @param shutdown how long a guest may take to shut down, after the delay that its user gave it
 * @param stop how long a process may take to end after the call to its host
 * @param pause how long a VM may take to pause or continue
 * @param reboot how long a guest may take to restart
 * @param suspend how long a VM's memory may take to be written
 * @param migration how long a migration may take without an end
 * @param turn how long a migration may wait while hosts take no more of them
 * @param turnRetry pause before the next call to a host that took no more migrations
 * @param busy for how long an order is repeated that was refused because another operation was
 *     under way; zero: it is not
 * @param busyRetry pause before each repetition
 */
public record CommandLimits(
        int mostHosts,
        Duration start,
        Duration shutdown,
        Duration stop,
        Duration pause,
        Duration reboot,
        Duration suspend,
        Duration migration,
        Duration turn,
        Duration turnRetry,
        Duration busy,
        Duration busyRetry) {

    /** Values of the specification, where it has one. */
    public static final CommandLimits DEFAULT =
            new CommandLimits(
                    3,
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(2),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(30),
                    Duration.ofHours(6),
                    Duration.ofHours(1),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(2));

    public CommandLimits {
        if (mostHosts < 1) {
            throw new IllegalArgumentException("a start is tried on at least 1 host");
        }
        for (Duration time :
                new Duration[] {
                    start, shutdown, stop, pause, reboot, suspend, migration, turn, turnRetry,
                    busyRetry
                }) {
            if (!time.isPositive()) {
                throw new IllegalArgumentException("patience must be positive");
            }
        }
        if (busy.isNegative()) {
            throw new IllegalArgumentException("patience must not be negative");
        }
    }
}
