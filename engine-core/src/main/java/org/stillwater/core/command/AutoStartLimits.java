package org.stillwater.core.command;

import java.time.Duration;

/**
 * Time limits and retries of automatic starts (monitoring specification §8 and appendix).
 *
 * @param retry pause after a failed start
 * @param shortRetries retries in a row with that pause, at least 0
 * @param longRetry pause before further retries
 * @param blocked longest time that less urgent VMs wait for more urgent ones
 * @param coldReboots most attempts of a cold reboot, at least 1
 * @param atOnce most VMs started in one pass, at least 1
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
