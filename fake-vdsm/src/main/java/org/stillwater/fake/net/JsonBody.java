package org.stillwater.fake.net;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * JSON that writes itself, so that a 20 MB answer is never copied into one array.
 *
 * <p>Immutable: every {@link #writeTo} writes the same {@link #length()} bytes, on any thread, as
 * often as there are subscribers, and possibly seconds later. Arrays given to the factories are not
 * copied and must not change afterwards.
 */
public interface JsonBody {

    /** The literal {@code true}: the answer of verbs without a value (§2.1). */
    JsonBody TRUE = of("true");

    /** The number of bytes {@link #writeTo} writes. */
    int length();

    /**
     * Writes the JSON as UTF-8. Small writes are fine: the transport collects them.
     *
     * @param out the frame being built; it blocks while the reader is slow
     * @throws IOException if the connection is gone
     */
    void writeTo(OutputStream out) throws IOException;

    /** Encoded JSON in one array. */
    static JsonBody of(byte[] json) {
        return new JsonBody() {
            @Override
            public int length() {
                return json.length;
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                out.write(json);
            }
        };
    }

    /** JSON text. */
    static JsonBody of(String json) {
        return of(json.getBytes(StandardCharsets.UTF_8));
    }

    /** Encoded JSON in pieces, written one after the other as they are (separators included). */
    static JsonBody ofChunks(List<byte[]> chunks) {
        List<byte[]> pieces = List.copyOf(chunks);
        int length = 0;
        for (byte[] piece : pieces) {
            length = Math.addExact(length, piece.length);
        }
        int total = length;
        return new JsonBody() {
            @Override
            public int length() {
                return total;
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                for (byte[] piece : pieces) {
                    out.write(piece);
                }
            }
        };
    }
}
