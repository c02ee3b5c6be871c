package org.stillwater.server.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** Status lines of HTTP/1.1 with the phrases of RFC 9110 §15, made once. */
final class StatusLines {

    private static final int FIRST = 100;
    private static final int LAST = 599;
    private static final byte[] @Nullable [] LINES = new byte[LAST - FIRST + 1][];

    static {
        for (HttpStatus status : HttpStatus.values()) {
            String line = "HTTP/1.1 %d %s\r\n".formatted(status.value(), status.getReasonPhrase());
            LINES[status.value() - FIRST] = line.getBytes(StandardCharsets.US_ASCII);
        }
    }

    private StatusLines() {}

    /** The line, with its end; null for a status that has no phrase. */
    static byte @Nullable [] of(int status) {
        return status < FIRST || status > LAST ? null : LINES[status - FIRST];
    }
}
