package org.stillwater.server.api.stream;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Shares one {@link EncodedFrameCache} among readers with the same subscription, as soon as there
 * are two. Caches are few, because each takes a megabyte; other readers encode for themselves.
 * Thread-safe.
 */
@Component
class EncodedFrameCaches {

    /** Caches at the same time. */
    private static final int MOST = 16;

    private final Map<Key, Audience> audiences = new HashMap<>(); // guarded by this
    private final AtomicLong encodings = new AtomicLong();
    private int caches; // guarded by this

    EncodedFrameCaches(MeterRegistry meters) {
        FunctionCounter.builder("stillwater.stream.encodings", encodings, AtomicLong::get)
                .description("Changes encoded once for the readers that share them")
                .register(meters);
    }

    /** Properties that readers of one cache share. */
    private record Key(StreamFilter.Audience audience, boolean isTyped) {}

    /** Readers that have it in common. */
    private static final class Audience {
        private int readers; // guarded by the registry
        private volatile @Nullable EncodedFrameCache cache;
    }

    /** Changes that were encoded into caches so far. */
    long encodings() {
        return encodings.get();
    }

    /** Takes a seat for a reader. */
    synchronized Seat enter(StreamFilter.Audience told, boolean isTyped) {
        Key key = new Key(told, isTyped);
        Audience audience = audiences.computeIfAbsent(key, _ -> new Audience());
        audience.readers++;
        if (audience.readers > 1 && audience.cache == null && caches < MOST) {
            caches++;
            audience.cache = new EncodedFrameCache(encodings);
        }
        return new Seat(key, audience);
    }

    private synchronized void leave(Seat seat) {
        if (seat.left) {
            return;
        }
        seat.left = true;
        Audience audience = seat.audience;
        audience.readers--;
        if (audience.readers < 2 && audience.cache != null) {
            caches--;
            audience.cache = null;
        }
        if (audience.readers == 0) {
            audiences.remove(seat.key);
        }
    }

    /** One reader's. */
    final class Seat implements AutoCloseable {

        private final Key key;
        private final Audience audience;
        private boolean left; // guarded by the registry

        private Seat(Key key, Audience audience) {
            this.key = key;
            this.audience = audience;
        }

        /** Cache that readers share now; null for none. */
        @Nullable EncodedFrameCache cache() {
            return audience.cache;
        }

        @Override
        public void close() {
            leave(this);
        }
    }
}
