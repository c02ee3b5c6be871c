package org.stillwater.server.alert;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Notices that wait for one receiver, and the thread that sends them: in order, each begin and each
 * end once. While the receiver does not take them they wait in memory; the oldest are dropped
 * beyond a limit, and offered again when no notice waits any more. Thread-safe; taking a notice
 * does not wait for the receiver.
 */
final class DeliveryQueue {

    private static final Logger LOG = LoggerFactory.getLogger(DeliveryQueue.class);

    /** Attempts to send a notice that the receiver refuses for good; then it is dropped. */
    private static final int MOST_REFUSALS = 5;

    /**
     * Number of lasting alerts with a begin that was sent; beyond it the end of the oldest is not
     * sent.
     */
    private static final int MOST_LASTING = 100_000;

    /**
     * How much and how often is sent.
     *
     * @param queue notices that may wait
     * @param batch notices in one request
     * @param gather wait for more notices after the first one
     * @param spacing time between two requests at least
     * @param firstRetry pause after a failure; doubles
     * @param longestRetry such a pause at most
     */
    record Limits(
            int queue,
            int batch,
            Duration gather,
            Duration spacing,
            Duration firstRetry,
            Duration longestRetry) {}

    /**
     * Receives the notices that a receiver accepted: by id, whether the newest notice was about a
     * begin.
     */
    @FunctionalInterface
    interface Taken {
        void by(String receiver, Map<UUID, Boolean> begins);
    }

    private final String receiver;
    private final Taken taken;
    private final NoticeSender sender;
    private final Limits limits;
    private final EngineClock clock;
    private final Counter sent;
    private final Counter failed;
    private final Counter dropped;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private final Deque<Notice> waiting = new ArrayDeque<>();
    private final Set<UUID> lasting = new LinkedHashSet<>();
    private long waitingSinceNanos;
    private long sentAtNanos;
    private boolean anySent;
    private @Nullable Duration pause;
    private @Nullable Instant failingSince;
    private @Nullable String trouble;
    private int refusals;

    /** Whether notices were dropped for want of room since the last offer. */
    private boolean incomplete;

    private volatile Runnable offer = () -> {};

    /** Notices in the next request; fewer after a refusal, to find the refused one. */
    private int most;

    private volatile @Nullable SupervisedWorker worker;

    DeliveryQueue(
            String receiver,
            NoticeSender sender,
            Limits limits,
            Taken taken,
            EngineClock clock,
            MeterRegistry meters) {
        this.receiver = receiver;
        this.taken = taken;
        this.sender = sender;
        this.limits = limits;
        this.most = limits.batch();
        this.clock = clock;
        this.sent = counter(meters, "stillwater.alerts.sent", "Alerts that the receiver took");
        this.failed =
                counter(meters, "stillwater.alerts.failed", "Requests that the receiver refused");
        this.dropped =
                counter(
                        meters,
                        "stillwater.alerts.dropped",
                        "Alerts dropped because many waited or the receiver refuses them");
        Gauge.builder("stillwater.alerts.waiting", this, DeliveryQueue::waiting)
                .tag("receiver", receiver)
                .description("Alerts that wait for the receiver")
                .register(meters);
    }

    private Counter counter(MeterRegistry meters, String name, String description) {
        return Counter.builder(name)
                .tag("receiver", receiver)
                .description(description)
                .register(meters);
    }

    /** Starts the sending thread. */
    void start(Workers workers) {
        SupervisedWorker started =
                workers.worker(
                        "alert-delivery-" + receiver,
                        new SupervisedWorker.Work() {
                            @Override
                            public boolean await() throws InterruptedException {
                                return awaitNotice();
                            }

                            @Override
                            public void perform() throws InterruptedException {
                                boolean _ = send();
                            }
                        });
        worker = started;
        started.start();
    }

    /** Ends the thread, and sends waiting notices if the receiver accepts them in this time. */
    void stop(Duration patience) {
        SupervisedWorker running = worker;
        if (running != null) {
            boolean _ = running.stop(Duration.ZERO);
            sendLast(patience);
        }
        sender.close();
    }

    private void sendLast(Duration patience) {
        lock.lock();
        try {
            if (waiting.isEmpty() || pause != null) {
                return;
            }
        } finally {
            lock.unlock();
        }
        Thread last =
                Thread.ofVirtual()
                        .name("alert-delivery-last")
                        .start(() -> {
                            try {
                                boolean _ = send();
                            } catch (InterruptedException _) {
                                Thread.currentThread().interrupt(); // time is over
                            }
                        });
        try {
            if (!last.join(patience)) {
                last.interrupt();
            }
        } catch (InterruptedException _) {
            last.interrupt();
            Thread.currentThread().interrupt(); // the caller gives up early
        }
    }

    String receiver() {
        return receiver;
    }

    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    AlertDelivery.Condition condition() {
        lock.lock();
        try {
            return new AlertDelivery.Condition(
                    receiver, waiting.size(), (long) dropped.count(), failingSince, trouble);
        } finally {
            lock.unlock();
        }
    }

    /** A former life of the engine sent the begin; this one sends the end. */
    void restored(UUID id) {
        lock.lock();
        try {
            begun(id);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the newest state of a finding or alert. */
    void take(UUID id, boolean lasts, Supplier<Notice> notice) {
        lock.lock();
        try {
            if (lasts ? !begun(id) : !lasting.remove(id)) {
                return; // already sent, or an end without a sent begin
            }
            if (waiting.isEmpty()) {
                waitingSinceNanos = clock.nanoTime();
            }
            waiting.addLast(notice.get());
            if (waiting.size() > limits.queue()) {
                dropOldest();
            }
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** The receiver stays where it was, so that the same begin or end is taken once more. */
    private void dropOldest() {
        Notice oldest = waiting.removeFirst();
        if (oldest.end() == null) {
            lasting.remove(oldest.id());
        } else {
            boolean _ = begun(oldest.id());
        }
        incomplete = true;
        dropped.increment();
    }

    /**
     * Offers the newest states of all findings and alerts to this queue: called on the sending
     * thread when no notice waits, after some were dropped.
     */
    void offeredBy(Runnable states) {
        offer = states;
    }

    /** Takes what was dropped, now that there is room. */
    private void complete() {
        lock.lock();
        try {
            if (!incomplete || !waiting.isEmpty()) {
                return;
            }
            incomplete = false;
        } finally {
            lock.unlock();
        }
        offer.run();
    }

    private boolean begun(UUID id) {
        boolean fresh = lasting.add(id);
        if (lasting.size() > MOST_LASTING) {
            lasting.remove(lasting.iterator().next());
        }
        return fresh;
    }

    private boolean awaitNotice() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                long left = waiting.isEmpty() ? Long.MAX_VALUE : untilDue();
                if (left <= 0) {
                    return true;
                }
                if (left == Long.MAX_VALUE) {
                    news.await();
                } else {
                    long _ = news.awaitNanos(left);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nanoseconds until waiting notices may be sent. */
    private long untilDue() {
        long now = clock.nanoTime();
        long gathered = limits.gather().toNanos() - (now - waitingSinceNanos);
        if (!anySent) {
            return gathered;
        }
        Duration rest = pause == null ? limits.spacing() : pause;
        return Math.max(gathered, rest.toNanos() - (now - sentAtNanos));
    }

    /**
     * Sends waiting notices, as many as one request takes. Tests without a thread call this.
     *
     * @return whether the receiver took it
     */
    boolean send() throws InterruptedException {
        List<Notice> batch = new ArrayList<>();
        lock.lock();
        try {
            waiting.stream().limit(most).forEach(batch::add);
        } finally {
            lock.unlock();
        }
        if (batch.isEmpty()) {
            return true;
        }
        NoticeSender.Outcome outcome = sender.send(batch);
        boolean isTaken = follow(outcome, batch);
        if (isTaken) {
            Map<UUID, Boolean> begins = new LinkedHashMap<>();
            batch.forEach(each -> begins.put(each.id(), each.end() == null));
            taken.by(receiver, begins);
            complete();
        }
        return isTaken;
    }

    private boolean follow(NoticeSender.Outcome outcome, List<Notice> batch) {
        lock.lock();
        try {
            anySent = true;
            sentAtNanos = clock.nanoTime();
            return switch (outcome) {
                case NoticeSender.Outcome.Taken(String remark) -> {
                    remove(batch);
                    sent.increment(batch.size());
                    well(remark);
                    yield true;
                }
                case NoticeSender.Outcome.Failed(String reason) -> {
                    failed(reason);
                    yield false;
                }
                case NoticeSender.Outcome.Refused(String reason) -> {
                    failed(reason);
                    refused(batch);
                    yield false;
                }
            };
        } finally {
            lock.unlock();
        }
    }

    /** One refused notice must not take the others of its request with it. */
    private void refused(List<Notice> batch) {
        if (batch.size() > 1) {
            most = batch.size() / 2;
            return;
        }
        refusals++;
        if (refusals >= MOST_REFUSALS) {
            LOG.warn("an alert is dropped, {} refuses it: {}", receiver, batch.getFirst().id());
            remove(batch);
            dropped.increment(batch.size());
            refusals = 0;
            most = limits.batch();
        }
    }

    private void remove(List<Notice> batch) {
        waiting.removeIf(new HashSet<>(batch)::contains);
        waitingSinceNanos = clock.nanoTime();
    }

    private void well(@Nullable String remark) {
        pause = null;
        refusals = 0;
        most = limits.batch();
        if (remark == null) {
            failingSince = null;
            trouble = null;
        } else {
            failed.increment();
            trouble(remark);
        }
    }

    private void failed(String reason) {
        failed.increment();
        trouble(reason);
        Duration doubled = pause == null ? limits.firstRetry() : pause.multipliedBy(2);
        pause = doubled.compareTo(limits.longestRetry()) > 0 ? limits.longestRetry() : doubled;
    }

    private void trouble(String reason) {
        if (failingSince == null) {
            failingSince = clock.now();
            LOG.warn("{} does not take alerts: {}", receiver, reason);
        }
        trouble = reason;
    }
}
