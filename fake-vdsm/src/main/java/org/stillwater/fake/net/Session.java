package org.stillwater.fake.net;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.vdsm.stomp.StompCommand;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeader;
import org.stillwater.vdsm.stomp.StompHeaders;
import org.stillwater.vdsm.wire.Destination;

/**
 * VDSM's STOMP dialect (§1.4.2–1.4.6): the effect of each command. There is no state but the
 * subscriptions: SUBSCRIBE and SEND work before CONNECT. Thread-safe.
 */
final class Session {

    private static final String VERSION = "1.2";

    /** VDSM has no limit; a client with more has lost count. */
    private static final int MOST_SUBSCRIPTIONS = 1024;

    private final Broker broker;
    private final Dispatcher dispatcher;

    Session(Broker broker, Dispatcher dispatcher) {
        this.broker = broker;
        this.dispatcher = dispatcher;
    }

    /**
     * Acts on a frame.
     *
     * @return false if the connection is to be dropped
     */
    boolean handle(Connection from, StompFrame frame) {
        return switch (frame.command()) {
            case StompCommand.CONNECT -> connect(from, frame);
            case StompCommand.SUBSCRIBE -> subscribe(from, frame);
            case StompCommand.UNSUBSCRIBE -> unsubscribe(from, frame);
            case StompCommand.SEND -> send(from, frame);
            case StompCommand.DISCONNECT -> disconnect(from, frame);
            default -> false;
        };
    }

    private static boolean connect(Connection from, StompFrame frame) {
        if (!VERSION.equals(frame.header(StompHeader.ACCEPT_VERSION))) {
            from.send(OutFrame.error("Version unsupported"));
            return true;
        }
        HeartBeat agreed = HeartBeat.requested(frame.header(StompHeader.HEART_BEAT));
        from.send(
                OutFrame.of(
                        StompCommand.CONNECTED,
                        StompHeaders.of(
                                StompHeader.VERSION,
                                VERSION,
                                StompHeader.HEART_BEAT,
                                agreed.header())));
        from.keep(agreed);
        return true;
    }

    private boolean subscribe(Connection from, StompFrame frame) {
        String destination = given(frame, StompHeader.DESTINATION);
        String id = given(frame, StompHeader.ID);
        if (destination == null || id == null) {
            from.send(OutFrame.error("Missing destination or subscription id header"));
            return true;
        }
        if (broker.count(from) >= MOST_SUBSCRIPTIONS) {
            return false;
        }
        if (!broker.add(new Subscription(from, id, destination))) {
            from.send(OutFrame.error("Subscription id already exists"));
        }
        return true;
    }

    private boolean unsubscribe(Connection from, StompFrame frame) {
        String id = given(frame, StompHeader.ID);
        if (id == null) {
            from.send(OutFrame.error("Missing id header"));
        } else {
            broker.remove(from, id);
        }
        return true;
    }

    private boolean send(Connection from, StompFrame frame) {
        String destination = frame.headers().getOrDefault(StompHeader.DESTINATION, "");
        List<Subscription> listeners = broker.atOrAbove(destination);
        boolean request = isRequest(destination);
        if (!request && listeners.isEmpty()) {
            from.send(OutFrame.error("Subscription not available"));
            return true;
        }
        byte[] body = frame.body().toByteArray();
        for (Subscription listener : listeners) {
            forward(frame.headers(), body, listener);
        }
        if (request) {
            dispatcher.request(
                    body,
                    given(frame, StompHeader.REPLY_TO),
                    frame.header(StompHeader.CORRELATION_ID),
                    from);
        }
        return true;
    }

    /** Any SEND also reaches the subscribers of its destination: the host is a small broker. */
    private static void forward(StompHeaders sent, byte[] body, Subscription listener) {
        StompHeaders[] kept = {StompHeaders.none()};
        sent.forEach((name, value) -> {
            if (!name.equals(StompHeader.CONTENT_LENGTH)
                    && !name.equals(StompHeader.SUBSCRIPTION)) {
                kept[0] = kept[0].with(name, value);
            }
        });
        listener.connection()
                .send(
                        new OutFrame(
                                StompCommand.MESSAGE,
                                kept[0].with(StompHeader.SUBSCRIPTION, listener.id()),
                                JsonBody.of(body),
                                StompCommand.SEND));
    }

    private static boolean disconnect(Connection from, StompFrame frame) {
        String receipt = given(frame, StompHeader.RECEIPT);
        if (receipt == null) {
            return false;
        }
        from.send(
                OutFrame.of(
                        StompCommand.RECEIPT, StompHeaders.of(StompHeader.RECEIPT_ID, receipt)));
        return true;
    }

    private static boolean isRequest(String destination) {
        return isOrUnder(destination, Destination.REQUESTS)
                || isOrUnder(destination, Destination.STORAGE_REQUESTS);
    }

    private static boolean isOrUnder(String destination, String parent) {
        return destination.startsWith(parent)
                && (destination.length() == parent.length()
                        || destination.charAt(parent.length()) == '.');
    }

    private static @Nullable String given(StompFrame frame, String header) {
        String value = frame.header(header);
        return value == null || value.isEmpty() ? null : value;
    }
}
