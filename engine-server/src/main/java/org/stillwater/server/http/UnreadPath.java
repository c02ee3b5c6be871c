package org.stillwater.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The path in the first line of a request that was not read to its end. Stateless. */
final class UnreadPath {

    /** More characters than distinguish the interfaces. */
    private static final int LONGEST = 256;

    private UnreadPath() {}

    /**
     * The path.
     *
     * @param received received bytes of the request, from its beginning; unchanged
     * @return its beginning, without a query; empty if there is no path in it
     */
    static String of(ByteBuffer received) {
        ByteBuffer bytes = received.duplicate();
        int end = bytes.limit();
        int from = 0;
        while (from < end && bytes.get(from) <= ' ') {
            from++; // empty lines may come before the first one
        }
        while (from < end && bytes.get(from) > ' ') {
            from++; // the method
        }
        while (from < end && bytes.get(from) == ' ') {
            from++;
        }
        int to = from;
        while (to < end && to - from < LONGEST && bytes.get(to) > ' ' && bytes.get(to) != '?') {
            to++;
        }
        byte[] path = new byte[to - from];
        bytes.get(from, path);
        return new String(path, StandardCharsets.US_ASCII);
    }
}
