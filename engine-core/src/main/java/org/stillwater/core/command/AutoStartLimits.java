package org.stillwater.core.command;

import java.time.Duration;

/**
 * How patient and persistent automatic starts are (monitoring specification §8 and appendix).
 *
 * @param retry after a failed start, so long until the next
 * @param shortRetries so many retries in a row come soon, at least 0
 * @param longRetry later ones come after so long
 * @param blocked so long the less urgent wait for the more urgent at the most
 * @param coldReboots so often a cold reboot is tried at the most, at least 1
 * @param atOnce so many VMs are started in one pass at the most, at least 1
 */
public record AutoStartLimits(
        Duration retry,
        int shortRetries,
        Duration longRetry,
        Duration blocked,
        int coldReboots,
        int atOnce) {

    /** As in the specification. */
    public static final AutoStartLimits DEFAULT =
            new AutoStartLimits(
                    Duration.ofSeconds(30),
                    10,
                    Duration.ofMinutes(30),
                    Duration.ofMinutes(10),
                    10,
                    1_000);

    public AutoStartLimits {
        if (!retry.isPositive() || !longRetry.isPositive() || blocked.isNegative()) {
            throw new IllegalArgumentException("times of automatic starts must be positive");
        }
        if (shortRetries < 0 || coldReboots < 1 || atOnce < 1) {
            throw new IllegalArgumentException("numbers of automatic starts are too small");
        }
    }
}
