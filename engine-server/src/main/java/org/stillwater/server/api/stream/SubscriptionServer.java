package org.stillwater.server.api.stream;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.Attention;
import org.stillwater.monitoring.feed.FeedBatch;
import org.stillwater.monitoring.feed.SubscriberLagged;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.server.api.engine.EngineTopic;
import org.stillwater.server.api.regression.FindingTopic;
import org.stillwater.server.api.web.StreamIds;
import org.stillwater.server.settings.StreamSettings;

/**
 * Serves one subscription of the stream: a snapshot where one is needed, then changes, and a
 * heart-beat after each pause without a message, also while the fleet changes outside the
 * subscription. Thread-safe.
 */
@Component
class SubscriptionServer {

    /** How often, at least, a reader that waits looks for the end of its subscription. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Duration heartBeat;
    private final Duration spacing;

    private final Attention attention;
    private final EngineClock clock;
    private final Supplier<EngineTopic.Reading> topic;
    private final LongFunction<FindingTopic.News> findings;
    private final StreamWriter.Shared shared;
    private final SnapshotTurns turns;

    SubscriptionServer(
            StreamSettings settings,
            EngineClock clock,
            StreamWriter.Shared shared,
            Supplier<EngineTopic.Reading> topic,
            LongFunction<FindingTopic.News> findings) {
        this.topic = topic;
        this.findings = findings;
        this.heartBeat = settings.heartBeat();
        this.attention = shared.fleet().attention();
        this.spacing = settings.spacing();
        this.clock = clock;
        this.turns = new SnapshotTurns(clock, settings.snapshotTurns());
        this.shared = shared;
    }

    /**
     * Encodes a snapshot and drops it: the next one is encoded faster.
     *
     * @param goesOn evaluated before each message
     */
    void rehearse(StreamFilter filter, StreamOutput dropped, BooleanSupplier goesOn)
            throws IOException {
        try (StreamWriter writer = StreamWriter.open(shared, dropped, filter)) {
            Snapshot snapshot = new Snapshot(writer, 0);
            while (goesOn.getAsBoolean() && snapshot.writeNext()) {
                // the next one
            }
        }
    }

    /**
     * Sends until the subscription ends or must end; on the thread of the reader.
     *
     * @throws SubscriberLagged if the reader was so slow that changes were lost to it
     */
    void follow(
            Subscription subscription,
            StreamOutput outlet,
            StreamFilter filter,
            AtomicBoolean ended)
            throws IOException, InterruptedException, SubscriberLagged {
        try (StreamWriter writer = StreamWriter.open(shared, outlet, filter)) {
            if (!subscription.resumed() && !snapshot(subscription, writer, filter, ended)) {
                return;
            }
            boolean engine = filter.tellsEngine();
            if (engine) {
                writer.engine(topic.get());
            }
            long finding = FindingTopic.NOTHING;
            if (filter.tellsFindings()) {
                finding = findings(finding, writer);
            }
            long told = writer.told();
            long toldAt = clock.nanoTime();
            long engineAt = toldAt;
            long viewedAt = toldAt;
            if (attention.isOn()) {
                filter.announceTo(attention);
            }
            while (!subscription.isOver() && !ended.get()) {
                long left = heartBeat.toNanos() - (clock.nanoTime() - toldAt);
                if (engine) {
                    long next = EngineTopic.INTERVAL.toNanos() - (clock.nanoTime() - engineAt);
                    left = Math.min(left, next);
                }
                if (attention.isOn()) {
                    viewedAt = announce(filter, viewedAt);
                    left = Math.min(left, attention.viewTime().toNanos() / 4);
                }
                FeedBatch batch = subscription.next(Duration.ofNanos(Math.max(0, left)));
                if (subscription.isOver()) {
                    return; // perhaps because the reader lost its rights
                }
                if (!batch.deltas().isEmpty()) {
                    writer.deltas(batch.deltas());
                }
                writer.statistics(batch.refreshed());
                if (filter.tellsFindings()) {
                    finding = findings(finding, writer);
                }
                if (engine && clock.nanoTime() - engineAt - EngineTopic.INTERVAL.toNanos() >= 0) {
                    engineAt = clock.nanoTime();
                    writer.engine(topic.get());
                }
                if (writer.told() == told && clock.nanoTime() - toldAt - heartBeat.toNanos() >= 0) {
                    writer.heartBeat();
                }
                if (writer.told() != told) {
                    told = writer.told();
                    toldAt = clock.nanoTime();
                }
                if (!batch.isEmpty()) {
                    rest(subscription, filter.spacing());
                }
            }
        }
    }

    /**
     * Sends the snapshot in the reader's turn. A reader that waited begins after the newest change:
     * the feed keeps changes for some seconds only. One of events does not, as it would lose those
     * from before its turn.
     *
     * @return false if the subscription ended before
     */
    private boolean snapshot(
            Subscription subscription,
            StreamWriter writer,
            StreamFilter filter,
            AtomicBoolean ended)
            throws IOException, InterruptedException {
        if (!filter.looksAtFleet()) {
            writer.snapshot(subscription);
            return true;
        }
        try (SnapshotTurns.Turn turn = turns.lineUp()) {
            long toldAt = clock.nanoTime();
            while (!turn.await(heartBeat.compareTo(LOOK) < 0 ? heartBeat : LOOK)) {
                if (subscription.isOver() || ended.get()) {
                    return false;
                }
                long now = clock.nanoTime();
                if (now - toldAt - heartBeat.toNanos() >= 0) {
                    writer.waits();
                    toldAt = now;
                }
            }
            if (!filter.tellsEvents()) {
                subscription.restart();
            }
            writer.snapshot(subscription);
        }
        return true;
    }

    private void rest(Subscription subscription, @Nullable Duration own)
            throws InterruptedException {
        if (own == null) {
            subscription.rest(spacing);
        } else {
            subscription.pause(own);
        }
    }

    /** Announces the read objects again, before they count as unread; when that was done last. */
    private long announce(StreamFilter filter, long lastNanos) {
        long now = clock.nanoTime();
        if (now - lastNanos < attention.viewTime().toNanos() / 4) {
            return lastNanos;
        }
        filter.announceTo(attention);
        return now;
    }

    /** Sends changes since a version; returns the version that was sent. */
    private long findings(long since, StreamWriter writer) throws IOException {
        FindingTopic.News news = findings.apply(since);
        writer.findings(news.findings());
        return news.version();
    }

    /**
     * The revision after which a reader continues.
     *
     * @param sameSince the oldest revision since which the reader's rights are the present ones
     * @param seen last ids that the reader names; the first that is not blank counts
     * @return null if a snapshot is needed: it is unknown here, or it was sent when something else
     *     could be seen
     */
    static @Nullable Long revision(StreamIds ids, long sameSince, List<String> seen) {
        for (String text : seen) {
            if (!text.isBlank()) {
                Long told = ids.revision(text.strip());
                return told == null || told < sameSince ? null : told;
            }
        }
        return null;
    }
}
