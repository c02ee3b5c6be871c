package org.stillwater.server.api.stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.annotations.ParameterObject;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.SubscriberLagged;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.web.Streams;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.StreamSettings;

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

    private final FleetReader fleet;
    private final Streams streams;
    private final SubscriptionServer serving;
    private final Callers access;
    private final StreamSettings settings;

    StreamController(
            FleetReader fleet,
            Streams streams,
            SubscriptionServer serving,
            Callers access,
            StreamSettings settings) {
        this.fleet = fleet;
        this.streams = streams;
        this.serving = serving;
        this.access = access;
        this.settings = settings;
    }

    @GetMapping
    void stream(
            @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId,
            @RequestParam(name = "lastEventId", required = false) @Nullable String lastEventIdToo,
            @ParameterObject StreamQuery query,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        Caller caller = access.current();
        StreamFilter filter = new StreamFilter(fleet, caller, query);
        Long after =
                SubscriptionServer.revision(
                        streams.ids(),
                        Callers.sameSince(),
                        List.of(
                                FilterText.text(lastEventId),
                                FilterText.text(lastEventIdToo),
                                FilterText.text(query.since())));
        try (Streams.Place place = streams.enter(access.standing(), request, response)) {
            response.setContentType("text/event-stream;charset=UTF-8");
            response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
            response.setHeader("X-Accel-Buffering", "no");
            response.setBufferSize(EventOutlet.BUFFER_BYTES);
            EventOutlet outlet = new EventOutlet(response.getOutputStream(), streams.ids());
            outlet.retry(settings.retry());
            if (!Streams.isHead(request)) {
                serve(after, caller, filter, outlet, place);
            }
        }
    }

    /**
     * Sends until the reader disconnects; starts again with a snapshot when the reader's rights
     * change.
     */
    private void serve(
            @Nullable Long after,
            Caller first,
            StreamFilter filter,
            EventOutlet outlet,
            Streams.Place place)
            throws IOException, InterruptedException {
        Long from = after;
        Caller reader = first;
        while (reader != null && streams.isOpen()) {
            boolean lagged = false;
            try (Subscription subscription =
                    fleet.changes().subscribe(from, filter.numbers() != null)) {
                place.tells(reader, subscription::close);
                serving.follow(subscription, outlet, filter.forCaller(reader), new AtomicBoolean());
            } catch (SubscriberLagged _) {
                streams.lagged();
                lagged = true;
            }
            Caller now = place.reader();
            if (!lagged && reader.equals(now)) {
                return; // the engine stops
            }
            reader = now;
            from = null;
        }
    }
}
