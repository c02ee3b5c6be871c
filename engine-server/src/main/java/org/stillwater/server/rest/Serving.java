package org.stillwater.server.rest;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.feed.FeedBatch;
import org.stillwater.monitoring.feed.SubscriberLagged;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.server.settings.StreamSettings;

/** Serves one subscription: a snapshot where one is needed, then what happens. Thread-safe. */
@Component
class Serving {

    private final Duration heartBeat;
    private final Duration spacing;

    Serving(StreamSettings settings) {
        this.heartBeat = settings.heartBeat();
        this.spacing = settings.spacing();
    }

    /**
     * Tells until the subscription is over or is to end; on the thread of the reader.
     *
     * @throws SubscriberLagged if the reader was so slow that changes were lost to it
     */
    void follow(Subscription subscription, StreamWriter writer, AtomicBoolean ended)
            throws IOException, InterruptedException, SubscriberLagged {
        if (!subscription.resumed()) {
            writer.snapshot(subscription.startRevision());
        }
        while (!subscription.isOver() && !ended.get()) {
            FeedBatch batch = subscription.next(heartBeat);
            if (subscription.isOver()) {
                return; // perhaps because nothing more may be told
            }
            if (!batch.deltas().isEmpty()) {
                writer.deltas(batch.deltas());
            }
            writer.statistics(batch.refreshed());
            if (batch.isEmpty()) {
                writer.heartBeat();
            } else {
                subscription.rest(spacing);
            }
        }
    }

    /** The revision in what a reader says it saw last; null for nothing that is known here. */
    static @org.jspecify.annotations.Nullable Long revision(StreamIds ids, List<String> seen) {
        for (String text : seen) {
            if (!text.isBlank()) {
                Long revision = ids.revision(text.strip());
                if (revision != null) {
                    return revision;
                }
                try {
                    return Long.valueOf(text.strip());
                } catch (NumberFormatException _) {
                    return null;
                }
            }
        }
        return null;
    }
}
