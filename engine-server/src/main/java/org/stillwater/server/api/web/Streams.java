package org.stillwater.server.api.web;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.security.AccessRecheck;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.StreamSettings;

/**
 * The streams that are open: counted, bounded, and ended before the web server waits for its last
 * requests, because a stream never ends by itself. Now and then, from memory, all of them are
 * checked: a stream of a reader with changed rights is ended, so that the reader opens a new one or
 * none. Thread-safe.
 */
@Component
public class Streams implements SmartLifecycle {

    /**
     * Owner of a stream, for the limits.
     *
     * @param user name of the user, null without a login
     * @param network the address that it is read from, as limits count addresses
     */
    public record Owner(@Nullable String user, String network) {

        /** The owner of a stream that this request, answered by this thread, opens. */
        public static Owner of(ServletRequest request) {
            return new Owner(Callers.user(), ClientAddress.network(request));
        }
    }

    private final StreamSettings settings;
    private final Map<String, Integer> byUser = new HashMap<>(); // guarded by itself
    private final Map<String, Integer> byNetwork = new HashMap<>(); // guarded by byUser
    private final int most;
    private final StreamIds ids;
    private final Workers workers;
    private final AtomicInteger open = new AtomicInteger();
    private final Set<Place> places = ConcurrentHashMap.newKeySet();
    private final Duration accessCheck;
    private final Counter lagged;
    private @Nullable SupervisedWorker watch; // guarded by this
    private volatile boolean running = true;

    public Streams(
            StreamSettings settings, EngineClock clock, Workers workers, MeterRegistry meters) {
        this.workers = workers;
        this.settings = settings;
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

    public StreamIds ids() {
        return ids;
    }

    /**
     * Takes a slot for a reader.
     *
     * @throws ApiException if there is none: 429 if this reader has too many, 503 if all have
     */
    public Place enter(AccessRecheck standing, Owner owner) {
        synchronized (byUser) {
            check(owner);
            int _ = open.incrementAndGet();
            if (owner.user() != null) {
                byUser.merge(owner.user(), 1, Integer::sum);
            }
            byNetwork.merge(owner.network(), 1, Integer::sum);
            Place place = new Place(standing, owner);
            places.add(place);
            return place;
        }
    }

    /**
     * Takes a slot for the reader of an answer; without a free slot the answer contains the time to
     * retry.
     */
    public Place enter(
            AccessRecheck standing, ServletRequest request, HttpServletResponse response) {
        try {
            return enter(standing, Owner.of(request));
        } catch (ApiException e) {
            response.setHeader(HttpHeaders.RETRY_AFTER, "" + retryAfterSeconds());
            throw e;
        }
    }

    /**
     * Whether a request wants the head of a stream alone: the web server drops each byte of its
     * body, so that its thread would never notice that the reader has gone.
     */
    public static boolean isHead(HttpServletRequest request) {
        return request.getMethod().equals("HEAD");
    }

    /** Seconds after which a reader without a slot should retry. */
    public long retryAfterSeconds() {
        return Math.max(1, settings.retry().toSeconds());
    }

    /**
     * Checks for a free slot without taking it.
     *
     * @throws ApiException if there is none
     */
    public void check(Owner owner) {
        synchronized (byUser) {
            if (open.get() >= most || !running) {
                throw ApiException.unavailable(
                        "There are already %d streams; stillwater.stream.max-subscribers allows no more."
                                .formatted(most));
            }
            if (owner.user() != null
                    && byUser.getOrDefault(owner.user(), 0) >= settings.maxPerUser()) {
                throw ApiException.tooMany(
                        "User %s already has %d streams; stillwater.stream.max-per-user allows no more."
                                .formatted(owner.user(), settings.maxPerUser()));
            }
            if (byNetwork.getOrDefault(owner.network(), 0) >= settings.maxPerAddress()) {
                throw ApiException.tooMany(
                        "%s already has %d streams; stillwater.stream.max-per-address allows no more."
                                .formatted(owner.network(), settings.maxPerAddress()));
            }
        }
    }

    private void leave(Place place) {
        synchronized (byUser) {
            if (places.remove(place)) {
                int _ = open.decrementAndGet();
                if (place.owner.user() != null) {
                    byUser.computeIfPresent(place.owner.user(), (_, n) -> n == 1 ? null : n - 1);
                }
                byNetwork.computeIfPresent(place.owner.network(), (_, n) -> n == 1 ? null : n - 1);
            }
        }
    }

    /** Present rights of a reader, and the end of its stream. */
    private record Told(Caller reader, Runnable end) {}

    /** One reader's slot, for the reader's thread; any thread may end it. */
    public final class Place implements AutoCloseable {

        private final AccessRecheck standing;
        private final Owner owner;
        private volatile @Nullable Told told;

        private Place(AccessRecheck standing, Owner owner) {
            this.owner = owner;
            this.standing = standing;
        }

        /** The reader, as of now; null if it is gone, or may read nothing. */
        public @Nullable Caller reader() {
            Caller now = standing.now();
            return now != null && now.hasAnywhere(Role.READER) ? now : null;
        }

        /**
         * From now on the reader gets the objects that this caller may see.
         *
         * @param end called, perhaps more than once, when that has changed or the engine stops
         */
        public void tells(Caller reader, Runnable end) {
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
            leave(this);
        }
    }

    public void lagged() {
        lagged.increment();
    }

    @Override
    public synchronized void start() {
        running = true;
        if (watch == null) {
            watch = workers.periodic("stream-access", accessCheck, this::look);
            watch.start();
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
            boolean _ = watch.stop(Duration.ZERO);
            watch = null;
        }
    }

    /** Whether the engine still answers; it does a moment before this is started. */
    public boolean isOpen() {
        return running;
    }

    @Override
    public synchronized boolean isRunning() {
        return watch != null;
    }

    /** The first to stop: before the web server, which has lower phases. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
