package org.stillwater.server.api.stream;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Who shares what the stream tells: as soon as two readers have one and the same subscription, they
 * have one tape. Tapes are few, because each takes a megabyte; readers beyond them, and those who
 * share with nobody, have what they are told written for themselves. Thread-safe.
 */
@Component
class StreamTapes {

    /** Subscriptions that have a tape at the same time. */
    private static final int MOST = 16;

    private final Map<Key, Audience> audiences = new HashMap<>(); // guarded by this
    private final AtomicLong encodings = new AtomicLong();
    private int tapes; // guarded by this

    StreamTapes(MeterRegistry meters) {
        FunctionCounter.builder("stillwater.stream.encodings", encodings, AtomicLong::get)
                .description("Changes that were written for readers who share them")
                .register(meters);
    }

    /** What readers must have in common. */
    private record Key(StreamFilter.Audience audience, boolean isTyped) {}

    /** Readers that have it in common. */
    private static final class Audience {
        private int readers; // guarded by the registry
        private volatile @Nullable StreamTape tape;
    }

    /** Changes that were written onto tapes so far. */
    long encodings() {
        return encodings.get();
    }

    /** Takes a seat for a reader. */
    synchronized Seat enter(StreamFilter.Audience told, boolean isTyped) {
        Key key = new Key(told, isTyped);
        Audience audience = audiences.computeIfAbsent(key, _ -> new Audience());
        audience.readers++;
        if (audience.readers > 1 && audience.tape == null && tapes < MOST) {
            tapes++;
            audience.tape = new StreamTape(encodings);
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
        if (audience.readers < 2 && audience.tape != null) {
            tapes--;
            audience.tape = null;
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

        /** What is shared at the time; null if nothing is. */
        @Nullable StreamTape tape() {
            return audience.tape;
        }

        @Override
        public void close() {
            leave(this);
        }
    }
}
