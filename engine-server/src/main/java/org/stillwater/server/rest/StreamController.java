package org.stillwater.server.rest;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.feed.FeedBatch;
import org.stillwater.monitoring.feed.SubscriberLagged;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.server.settings.StreamSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * The event stream {@code /api/v1/stream}: a snapshot, then every change in order.
 *
 * <p>Each stream is served by the virtual thread of its request, which waits in the feed itself: a
 * change wakes it, is written and flushed at once, and no queue lies between. A reader that is slow
 * costs a position in the feed's ring and nothing more; when the ring has gone past it, it gets a
 * fresh snapshot on the same connection.
 */
@RestController
@RequestMapping("/api/v1/stream")
class StreamController {

    private final MonitoringEngine engine;
    private final Streams streams;
    private final StreamSettings settings;
    private final StreamIds ids;
    private final JsonMapper mapper;

    StreamController(
            MonitoringEngine engine, Streams streams, StreamSettings settings, JsonMapper mapper) {
        this.engine = engine;
        this.streams = streams;
        this.settings = settings;
        this.ids = streams.ids();
        this.mapper = mapper;
    }

    @GetMapping
    void stream(
            @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId,
            @RequestParam(name = "lastEventId", required = false) @Nullable String lastEventIdToo,
            @RequestParam(defaultValue = "") String entity,
            @RequestParam(defaultValue = "full") String view,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        StreamWriter.Entities entities = StreamWriter.Entities.of(entity);
        VmJson.Form form =
                switch (view) {
                    case "full" -> VmJson.Form.FULL;
                    case "light" -> VmJson.Form.LIGHT;
                    default -> throw ApiException.badRequest("view must be full or light");
                };
        Long after = ids.revision(lastEventId != null ? lastEventId : lastEventIdToo);
        if (!streams.enter()) {
            response.setHeader(HttpHeaders.RETRY_AFTER, "" + settings.retry().toSeconds());
            throw ApiException.unavailable(
                    "There are already %d streams; stillwater.stream.max-subscribers allows no more."
                            .formatted(settings.maxSubscribers()));
        }
        try {
            response.setContentType("text/event-stream;charset=UTF-8");
            response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
            response.setHeader("X-Accel-Buffering", "no");
            serve(
                    after,
                    new StreamWriter(
                            response.getOutputStream(),
                            mapper,
                            ids,
                            entities,
                            form,
                            settings.snapshotChunk()));
        } finally {
            streams.leave();
        }
    }

    private void serve(@Nullable Long after, StreamWriter writer)
            throws IOException, InterruptedException {
        writer.retry(settings.retry());
        Long from = after;
        while (true) {
            try (Subscription subscription = engine.subscribe(from, false)) {
                streams.opened(subscription);
                follow(subscription, writer);
                return;
            } catch (SubscriberLagged _) {
                streams.lagged();
                from = null;
            }
        }
    }

    private void follow(Subscription subscription, StreamWriter writer)
            throws IOException, InterruptedException, SubscriberLagged {
        if (!subscription.resumed()) {
            writer.snapshot(subscription.startRevision(), engine.hosts(), engine.vms().iterator());
        }
        while (!subscription.isOver()) {
            FeedBatch batch = subscription.next(settings.heartBeat());
            if (!batch.deltas().isEmpty()) {
                writer.deltas(batch.deltas());
            } else if (!subscription.isOver()) {
                writer.heartBeat();
            }
        }
    }
}
