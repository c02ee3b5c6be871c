package org.stillwater.command.host;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;

/**
 * How often hosts could not be switched off in their present outage, and when they are tried again.
 * Used by one thread.
 */
final class FenceRetries {

    /** Number of doublings after which the pause stays the same. */
    private static final int MOST_DOUBLED = 20;

    private final int attempts;
    private final Duration pause;
    private final Map<HostId, Failures> failures = new HashMap<>();

    /** How often in which outage. */
    private record Failures(long episode, int count) {}

    /**
     * Consequence of a failure.
     *
     * @param count how often it failed in this outage
     * @param after when it is tried again; null if that was done often enough
     */
    record Retry(int count, @Nullable Duration after) {}

    /**
     * Has no failures.
     *
     * @param attempts most attempts per host in one outage
     * @param pause before the second attempt; twice as long before each further one
     */
    FenceRetries(int attempts, Duration pause) {
        this.attempts = attempts;
        this.pause = pause;
    }

    /** It could not be switched off. */
    Retry failed(HostWork work) {
        Failures before = failures.get(work.host());
        int count = before == null || before.episode() != work.episode() ? 1 : before.count() + 1;
        failures.put(work.host(), new Failures(work.episode(), count));
        return new Retry(
                count,
                count >= attempts
                        ? null
                        : pause.multipliedBy(1L << Math.min(count - 1, MOST_DOUBLED)));
    }

    /** Whether the host is unchanged since its failure with this number. */
    boolean isDue(HostWork work, int count) {
        Failures now = failures.get(work.host());
        return now != null && now.episode() == work.episode() && now.count() == count;
    }

    boolean hasFailed(HostWork work) {
        Failures known = failures.get(work.host());
        return known != null && known.episode() == work.episode();
    }

    /** Its outage is over. */
    void forget(HostId host) {
        failures.remove(host);
    }
}
