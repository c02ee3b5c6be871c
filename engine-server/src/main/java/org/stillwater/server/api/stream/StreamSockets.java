package org.stillwater.server.api.stream;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.adapter.NativeWebSocketSession;
import org.springframework.web.socket.handler.TextWebSocketHandler;
import org.stillwater.core.access.Caller;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.SubscriberLagged;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Streams;
import org.stillwater.server.security.AccessRecheck;
import org.stillwater.server.settings.StreamSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * The stream over WebSocket: the same messages, with their type in the JSON.
 *
 * <p>Each socket has one virtual thread, which waits in the feed and sends; it blocks while the
 * reader is slow, and nothing is queued for it. Changes that the reader missed meanwhile are in the
 * feed's ring; statistics are sent in their state at that time. When the ring has gone past it, the
 * socket is closed with a code of its own, and the reader comes again with the last revision that
 * it saw. Thread-safe.
 */
@Component
class StreamSockets extends TextWebSocketHandler {

    /** The subscription cannot be understood. */
    static final int MALFORMED = 4000;

    /** The reader was too slow: changes are no longer kept. */
    static final int LAGGED = 4008;

    static final String STANDING = "stillwater.standing";
    static final String OWNER = "stillwater.owner";
    static final String QUERY = "stillwater.query";
    static final String CALLER = "stillwater.caller";
    static final String SAME_SINCE = "stillwater.same-since";

    private static final Logger log = LoggerFactory.getLogger(StreamSockets.class);
    private static final int LONGEST_REASON = 120;
    private static final int LARGEST_MESSAGE = 64 * 1024;
    private static final String SEND_TIMEOUT = "org.apache.tomcat.websocket.BLOCKING_SEND_TIMEOUT";

    private final FleetReader fleet;
    private final Streams streams;
    private final SubscriptionServer serving;
    private final StreamSettings settings;
    private final JsonMapper mapper;
    private final Map<String, Reader> readers = new ConcurrentHashMap<>();

    StreamSockets(
            FleetReader fleet,
            Streams streams,
            SubscriptionServer serving,
            StreamSettings settings,
            JsonMapper mapper) {
        this.fleet = fleet;
        this.streams = streams;
        this.serving = serving;
        this.settings = settings;
        this.mapper = mapper;
    }

    @Override
    public void afterConnectionEstablished(WebSocketSession session) throws IOException {
        session.setTextMessageSizeLimit(LARGEST_MESSAGE);
        Streams.Place place;
        try {
            place =
                    streams.enter(
                            session.getAttributes().get(STANDING) instanceof AccessRecheck known
                                    ? known
                                    : () -> null,
                            session.getAttributes().get(OWNER) instanceof Streams.Owner known
                                    ? known
                                    : new Streams.Owner(null, session.getId()));
        } catch (ApiException _) { // it found a place at its handshake, which another one took
            session.close(CloseStatus.SERVICE_OVERLOAD.withReason("too many streams"));
            return;
        }
        if (session instanceof NativeWebSocketSession known
                && known.getNativeSession() instanceof jakarta.websocket.Session wire) {
            wire.getUserProperties().put(SEND_TIMEOUT, settings.sendTimeout().toMillis());
        }
        Object query = session.getAttributes().get(QUERY);
        Reader reader =
                new Reader(session, place, query instanceof StreamQuery known ? known : null);
        readers.put(session.getId(), reader);
        Thread.ofVirtual().name("stream-" + session.getId()).start(reader::run);
    }

    @Override
    protected void handleTextMessage(WebSocketSession session, TextMessage message)
            throws IOException {
        Reader reader = readers.get(session.getId());
        if (reader != null) {
            reader.said(message.getPayload());
        }
    }

    @Override
    public void handleTransportError(WebSocketSession session, Throwable failure) {
        log.debug("A reader of the stream went away: {}", failure.getMessage());
    }

    @Override
    public void afterConnectionClosed(WebSocketSession session, CloseStatus status) {
        Reader reader = readers.remove(session.getId());
        if (reader != null) {
            reader.end();
        }
    }

    /** One socket. */
    private final class Reader {

        private final WebSocketSession session;
        private final Streams.Place place;
        private final @Nullable StreamQuery asked;
        private final AtomicBoolean ended = new AtomicBoolean();
        private final BlockingQueue<String> said = new ArrayBlockingQueue<>(1);
        private volatile @Nullable Subscription subscription;

        Reader(WebSocketSession session, Streams.Place place, @Nullable StreamQuery asked) {
            this.session = session;
            this.place = place;
            this.asked = asked;
        }

        /**
         * Takes a new subscription of the reader; a second one before the first was processed is
         * refused.
         */
        void said(String message) throws IOException {
            if (!heard(message)) {
                session.close(
                        new CloseStatus(
                                MALFORMED,
                                "another subscription is being answered; wait for its snapshot"));
            }
        }

        /**
         * Ends the answer that is being sent at the time; never the answer to this very message,
         * which the reader's thread may have taken already.
         */
        private synchronized boolean heard(String message) {
            if (!said.offer(message)) {
                return false;
            }
            Subscription present = subscription;
            if (present != null) {
                present.close();
            }
            return true;
        }

        private synchronized void tells(Subscription next) {
            subscription = next;
        }

        void end() {
            ended.set(true);
            Subscription present = subscription;
            if (present != null) {
                present.close();
            }
        }

        private void run() {
            try {
                serve();
            } catch (ApiException e) {
                close(new CloseStatus(MALFORMED, shortened(e.getMessage())));
            } catch (SubscriberLagged e) {
                streams.lagged();
                close(
                        new CloseStatus(
                                LAGGED,
                                "too slow: changes are lost; come again with since, or for a"
                                        + " snapshot"));
            } catch (IOException | IllegalStateException e) {
                log.debug("A reader of the stream went away: {}", e.getMessage());
                close(CloseStatus.SESSION_NOT_RELIABLE);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                close(CloseStatus.GOING_AWAY);
            } catch (RuntimeException e) {
                log.error("A stream ended for a reason that is a defect of the engine", e);
                close(CloseStatus.SERVER_ERROR);
            } finally {
                ended.set(true);
                readers.remove(session.getId(), this);
                place.close();
            }
        }

        private void serve() throws IOException, InterruptedException, SubscriberLagged {
            StreamQuery query = asked;
            if (query == null) {
                String first = said.poll(settings.firstMessage().toMillis(), TimeUnit.MILLISECONDS);
                query = first == null ? StreamQuery.EVERYTHING : StreamQuery.read(mapper, first);
            }
            String since = query.since();
            Object before = session.getAttributes().get(CALLER);
            long sameSince =
                    session.getAttributes().get(SAME_SINCE) instanceof Long known
                            ? known
                            : Long.MAX_VALUE;
            while (!ended.get()) {
                Caller reader = place.reader();
                if (reader == null) {
                    close(
                            CloseStatus.POLICY_VIOLATION.withReason(
                                    "the login has ended, or the user has no role any more"));
                    return;
                }
                if (!reader.equals(before)) {
                    sameSince =
                            fleet.changes()
                                    .nextRevision(); // the messages so far are not a beginning
                    before = reader;
                }
                StreamFilter filter = new StreamFilter(fleet, reader, query);
                Long after =
                        SubscriptionServer.revision(
                                streams.ids(), sameSince, List.of(FilterText.text(since)));
                try (Subscription next =
                        fleet.changes().subscribe(after, filter.numbers() != null)) {
                    tells(next);
                    place.tells(reader, next::close);
                    if (said.isEmpty()) {
                        serving.follow(next, new SocketOutlet(session, mapper), filter, ended);
                    }
                }
                String other = said.poll();
                if (other != null) {
                    query = StreamQuery.read(mapper, other);
                    since = query.since();
                } else if (streams.isOpen() && !reader.equals(place.reader())) {
                    since = null; // a snapshot of the objects that are visible now
                } else {
                    close(CloseStatus.GOING_AWAY);
                    return;
                }
            }
        }

        private void close(CloseStatus status) {
            try {
                session.close(status);
            } catch (IOException | IllegalStateException e) {
                log.debug("A reader of the stream had gone: {}", e.getMessage());
            }
        }

        private static String shortened(@Nullable String reason) {
            String text = String.valueOf(reason);
            while (text.getBytes(StandardCharsets.UTF_8).length > LONGEST_REASON) {
                text = text.substring(0, text.length() - 1);
            }
            return text;
        }
    }
}
