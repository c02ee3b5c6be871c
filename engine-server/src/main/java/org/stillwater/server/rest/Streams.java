package org.stillwater.server.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.port.EngineClock;
import org.stillwater.server.security.Standing;
import org.stillwater.server.settings.StreamSettings;

/**
 * The streams that are open: counted, bounded, and ended before the web server waits for its last
 * requests, because a stream never ends by itself. Now and then, from memory, all of them are
 * looked at: a stream whose reader may see something else than when it began is ended, to begin
 * anew with that or not at all. Thread-safe.
 */
@Component
class Streams implements SmartLifecycle {

    private final int most;
    private final StreamIds ids;
    private final AtomicInteger open = new AtomicInteger();
    private final Set<Place> places = ConcurrentHashMap.newKeySet();
    private final Duration accessCheck;
    private final Counter lagged;
    private @Nullable ScheduledExecutorService watch; // guarded by this
    private volatile boolean running = true;

    Streams(StreamSettings settings, EngineClock clock, MeterRegistry meters) {
        this.most = settings.maxSubscribers();
        this.accessCheck = settings.accessCheck();
        this.ids = new StreamIds(Long.toString(clock.now().toEpochMilli(), 36));
        Gauge.builder("stillwater.stream.subscribers", open, AtomicInteger::get)
                .description("Event streams that are open")
                .register(meters);
        this.lagged =
                Counter.builder("stillwater.stream.lagged")
                        .description("Readers that fell behind and got a fresh snapshot")
                        .register(meters);
    }

    StreamIds ids() {
        return ids;
    }

    /** Takes a place for a reader; null when there is none. */
    @Nullable Place enter(Standing standing) {
        if (open.incrementAndGet() <= most && running) {
            Place place = new Place(standing);
            places.add(place);
            return place;
        }
        open.decrementAndGet();
        return null;
    }

    /** What a reader is told at the time. */
    private record Told(Caller reader, Runnable end) {}

    /** One reader's place; of its thread, but that anybody may end what it is told. */
    final class Place implements AutoCloseable {

        private final Standing standing;
        private volatile @Nullable Told told;

        private Place(Standing standing) {
            this.standing = standing;
        }

        /** Who reads, as of now; null if that is nobody any more, or may read nothing. */
        @Nullable Caller reader() {
            Caller now = standing.now();
            return now != null && now.hasAnywhere(Role.READER) ? now : null;
        }

        /**
         * From now on the reader is told what this caller may see.
         *
         * @param end called, perhaps more than once, when that has changed or the engine stops
         */
        void tells(Caller reader, Runnable end) {
            told = new Told(reader, end);
            look();
        }

        private void look() {
            Told present = told;
            if (present != null && (!running || !present.reader().equals(reader()))) {
                present.end().run();
            }
        }

        @Override
        public void close() {
            if (places.remove(this)) {
                open.decrementAndGet();
            }
        }
    }

    /** Whether there is no place now. */
    boolean isFull() {
        return open.get() >= most || !running;
    }

    void lagged() {
        lagged.increment();
    }

    @Override
    public synchronized void start() {
        running = true;
        if (watch == null) {
            watch =
                    Executors.newSingleThreadScheduledExecutor(
                            Thread.ofVirtual().name("stream-access").factory());
            long nanos = accessCheck.toNanos();
            var _ = watch.scheduleWithFixedDelay(this::look, nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        places.forEach(Place::look);
    }

    @Override
    public synchronized void stop() {
        running = false;
        look();
        if (watch != null) {
            var _ = watch.shutdownNow();
            watch = null;
        }
    }

    /** Whether the engine still answers; it does a moment before this is started. */
    boolean isOpen() {
        return running;
    }

    @Override
    public synchronized boolean isRunning() {
        return watch != null;
    }

    /** The first to stop: before the web server, whose phases are lower. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
