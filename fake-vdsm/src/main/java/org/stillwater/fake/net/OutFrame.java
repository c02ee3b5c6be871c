package org.stillwater.fake.net;

import org.jspecify.annotations.Nullable;
import org.stillwater.vdsm.stomp.StompCommand;
import org.stillwater.vdsm.stomp.StompHeader;
import org.stillwater.vdsm.stomp.StompHeaders;

/**
 * A frame on its way out.
 *
 * @param command STOMP command; empty for a heart-beat
 * @param headers without {@code content-length}
 * @param body its content, if any
 * @param label its name for faults: a verb, an event name, or the command
 */
record OutFrame(String command, StompHeaders headers, @Nullable JsonBody body, String label) {

    static final OutFrame HEART_BEAT = new OutFrame("", StompHeaders.none(), null, "heart-beat");

    /** No frame: releases the data that a fault holds back. */
    static final OutFrame FLUSH = new OutFrame("", StompHeaders.none(), null, "flush");

    /** Cost of a waiting frame besides its body. */
    private static final int OVERHEAD_BYTES = 256;

    static OutFrame of(String command, StompHeaders headers) {
        return new OutFrame(command, headers, null, command);
    }

    static OutFrame error(String text) {
        return new OutFrame(
                StompCommand.ERROR, StompHeaders.none(), JsonBody.of(text), StompCommand.ERROR);
    }

    /** Header order as sent by VDSM (§1.4.5). */
    static OutFrame message(String destination, String subscription, JsonBody body, String label) {
        return new OutFrame(
                StompCommand.MESSAGE,
                StompHeaders.of(
                        StompHeader.DESTINATION,
                        destination,
                        StompHeader.CONTENT_TYPE,
                        "application/json",
                        StompHeader.SUBSCRIPTION,
                        subscription),
                body,
                label);
    }

    int bodyBytes() {
        return body == null ? 0 : body.length();
    }

    long weight() {
        return OVERHEAD_BYTES + (long) bodyBytes();
    }
}
