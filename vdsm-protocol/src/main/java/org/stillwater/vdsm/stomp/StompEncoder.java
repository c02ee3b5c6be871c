package org.stillwater.vdsm.stomp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Writes frames: LF line ends, UTF-8, the escapes of STOMP 1.2 in every header (CONNECT and
 * CONNECTED included, which is VDSM's dialect), {@code content-length} in octets after the given
 * headers whenever there is a body, and one NUL with nothing after it. Stateless and thread-safe.
 */
public final class StompEncoder {
    /** Ends a frame. */
    public static final byte NUL = 0;

    /** The one octet of a heart-beat. */
    public static final byte HEART_BEAT = '\n';

    private StompEncoder() {}

    /** The whole frame in one array, fit for a single write: for small frames. */
    public static byte[] encode(StompFrame frame) {
        ByteArrayOutputStream out =
                new ByteArrayOutputStream(256 + Math.toIntExact(frame.body().length()));
        try {
            write(frame, out);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return out.toByteArray();
    }

    /** Writes the whole frame; a large body goes out segment by segment. Does not flush. */
    public static void write(StompFrame frame, OutputStream out) throws IOException {
        out.write(encodeHead(frame.command(), frame.headers(), frame.body().length()));
        frame.body().writeTo(out);
        out.write(NUL);
    }

    /**
     * Encodes command, headers and blank line: all that precedes the body. The caller then writes
     * exactly {@code bodyBytes} octets and one {@link #NUL}.
     *
     * <p>{@code content-length} is added when {@code bodyBytes} is positive and the headers do not
     * hold one already.
     */
    public static byte[] encodeHead(String command, StompHeaders headers, long bodyBytes) {
        StringBuilder head = new StringBuilder(192).append(command).append('\n');
        headers.forEach((name, value) -> {
            escape(head, name);
            head.append(':');
            escape(head, value);
            head.append('\n');
        });
        if (bodyBytes > 0 && !headers.contains(StompHeader.CONTENT_LENGTH)) {
            head.append(StompHeader.CONTENT_LENGTH).append(':').append(bodyBytes).append('\n');
        }
        return head.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void escape(StringBuilder out, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '\r' -> out.append("\\r");
                case '\n' -> out.append("\\n");
                case ':' -> out.append("\\c");
                default -> out.append(c);
            }
        }
    }
}
