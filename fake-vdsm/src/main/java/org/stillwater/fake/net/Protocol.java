package org.stillwater.fake.net;

import java.nio.charset.StandardCharsets;

/** A client's protocol, recognised by its first bytes (§1.3). */
enum Protocol {
    STOMP,
    HTTP,
    UNKNOWN;

    /** Bytes needed to recognise it: the length of {@code UNSUBSCRIBE}. */
    static final int NEEDED_BYTES = 11;

    private static final String[] STOMP_COMMANDS = {
        "CONNECT",
        "CONNECTED",
        "DISCONNECT",
        "ERROR",
        "MESSAGE",
        "RECEIPT",
        "SEND",
        "SUBSCRIBE",
        "UNSUBSCRIBE"
    };
    private static final String[] HTTP_REQUESTS = {"PUT /", "GET /"};

    static Protocol of(byte[] bytes, int length) {
        String start =
                new String(bytes, 0, Math.min(length, NEEDED_BYTES), StandardCharsets.US_ASCII);
        for (String command : STOMP_COMMANDS) {
            if (start.startsWith(command)) {
                return STOMP;
            }
        }
        for (String request : HTTP_REQUESTS) {
            if (start.startsWith(request)) {
                return HTTP;
            }
        }
        return UNKNOWN;
    }
}
