package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.port.EngineClock;

/**
 * Failed logins by name or by address: after so many of one, it is blocked for a while. Remembers a
 * bounded number of them. Thread-safe.
 */
final class FailureCounts {

    private static final int MOST_KEYS = 100_000;

    private record Count(int failures, long blockedUntilNanos) {

        boolean isBlocked(int most, long now) {
            return failures >= most && blockedUntilNanos - now > 0;
        }
    }

    private final int most;
    private final Duration time;
    private final EngineClock clock;
    private final Cache<String, Count> counts;

    /**
     * Nothing counted yet.
     *
     * @param most how many failures block
     * @param time how long it is blocked, and after how long without a failure all are forgotten
     */
    FailureCounts(int most, Duration time, EngineClock clock) {
        this.most = most;
        this.time = time;
        this.clock = clock;
        this.counts =
                Caffeine.newBuilder()
                        .maximumSize(MOST_KEYS)
                        .expireAfterWrite(time)
                        .ticker(clock::nanoTime)
                        .build();
    }

    /** For how long it is blocked yet, null if it is not. */
    @Nullable Duration blocked(String key) {
        Count count = counts.getIfPresent(key);
        if (count == null || count.failures() < most) {
            return null;
        }
        long left = count.blockedUntilNanos() - clock.nanoTime();
        return left > 0 ? Duration.ofNanos(left) : null;
    }

    /** Counts a failure; whether it is the one that blocks. */
    boolean failed(String key) {
        long now = clock.nanoTime();
        boolean[] blocks = {false};
        counts.asMap()
                .compute(
                        key,
                        (_, before) -> {
                            if (before != null && before.isBlocked(most, now)) {
                                return before; // it was under way when another one blocked
                            }
                            // A block that has ended counts for nothing: otherwise failures that
                            // keep its memory alive would never be blocked again.
                            int failures =
                                    before == null || before.failures() >= most
                                            ? 1
                                            : before.failures() + 1;
                            blocks[0] = failures == most;
                            return new Count(failures, now + time.toNanos());
                        });
        return blocks[0];
    }

    /** Forgets the failures. */
    void succeeded(String key) {
        counts.invalidate(key);
    }
}
