package org.stillwater.server.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.port.EngineClock;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.server.settings.StreamSettings;

/**
 * The streams that are open: counted, bounded, and ended before the web server waits for its last
 * requests, because a stream never ends by itself. Thread-safe.
 */
@Component
class Streams implements SmartLifecycle {

    private final int most;
    private final StreamIds ids;
    private final AtomicInteger open = new AtomicInteger();
    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();
    private final Set<Batch.Follower> followers = ConcurrentHashMap.newKeySet();
    private final Counter lagged;
    private volatile boolean running = true;

    Streams(StreamSettings settings, EngineClock clock, MeterRegistry meters) {
        this.most = settings.maxSubscribers();
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

    /** Takes a place; false when there is none. */
    boolean enter() {
        if (open.incrementAndGet() <= most && running) {
            return true;
        }
        open.decrementAndGet();
        return false;
    }

    /** Whether there is no place now. */
    boolean isFull() {
        return open.get() >= most || !running;
    }

    void leave() {
        open.decrementAndGet();
        subscriptions.removeIf(Subscription::isOver);
        followers.removeIf(Batch.Follower::isClosed);
    }

    void opened(Subscription subscription) {
        subscriptions.add(subscription);
        if (!running) {
            subscription.close();
        }
    }

    void opened(Batch.Follower follower) {
        followers.add(follower);
        if (!running) {
            follower.close();
        }
    }

    void lagged() {
        lagged.increment();
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        subscriptions.forEach(Subscription::close);
        subscriptions.clear();
        followers.forEach(Batch.Follower::close);
        followers.clear();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The first to stop: before the web server, whose phases are lower. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
