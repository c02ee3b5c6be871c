package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.time.EngineClock;

/**
 * How fast clients come: each has a bucket of tokens that fills by itself, and a request takes one.
 * Remembers a bounded number of clients, and each only until its bucket is full again. Thread-safe.
 */
final class Rates {

    private static final int MOST_CLIENTS = 100_000;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long nanosPerToken;
    private final long mostNanos;
    private final EngineClock clock;

    /** When a client's bucket will be full, in nanoseconds of the clock. */
    private final Cache<String, Long> full;

    /**
     * All buckets are full.
     *
     * @param perSecond tokens that each gets in a second, from 1
     * @param burst tokens that each holds, from 1
     */
    Rates(int perSecond, int burst, EngineClock clock) {
        this.nanosPerToken = SECOND_NANOS / perSecond;
        this.mostNanos = nanosPerToken * burst;
        this.clock = clock;
        this.full =
                Caffeine.newBuilder()
                        .maximumSize(MOST_CLIENTS)
                        .expireAfterWrite(Duration.ofNanos(mostNanos))
                        .ticker(clock::nanoTime)
                        .build();
    }

    /** Takes a token; null if there was one, else after how long there will be. */
    @Nullable Duration take(String client) {
        long now = clock.nanoTime();
        long[] wait = {0};
        full.asMap()
                .compute(
                        client,
                        (_, known) -> {
                            long at = known == null || known - now < 0 ? now : known;
                            long over = at + nanosPerToken - now - mostNanos;
                            if (over > 0) {
                                wait[0] = over;
                                return known;
                            }
                            return at + nanosPerToken;
                        });
        return wait[0] > 0 ? Duration.ofNanos(wait[0]) : null;
    }
}
