package org.stillwater.fake.xapi.net;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request as it came.
 *
 * @param headers by name in lower case
 * @param body {@code null} if it may not be read: no length, none that is a number, or too long
 */
@SuppressWarnings("ArrayRecordComponent") // read once, compared never
record HttpRequest(
        String method,
        String path,
        String query,
        Map<String, String> headers,
        byte @Nullable [] body) {

    /** Source: http_svr.ml. */
    static final int LARGEST_BODY_BYTES = 300 * 1024;

    private static final int LARGEST_HEADER_BYTES = 64 * 1024;

    /** Reads a request; {@code null} at the end of the stream. */
    static @Nullable HttpRequest read(BufferedInputStream in) throws IOException {
        String first = line(in);
        if (first == null || first.isEmpty()) {
            return null;
        }
        String[] words = first.split(" ");
        if (words.length < 2) {
            return null;
        }
        Map<String, String> headers = new HashMap<>();
        for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        int mark = words[1].indexOf('?');
        String path = mark < 0 ? words[1] : words[1].substring(0, mark);
        String query = mark < 0 ? "" : words[1].substring(mark + 1);
        byte[] body = new byte[0];
        if (words[0].equals("POST")) {
            int length = length(headers.get("content-length"));
            body = length < 0 ? null : in.readNBytes(length);
        }
        return new HttpRequest(words[0], path, query, headers, body);
    }

    /** Bytes of a body that may be read; -1 for none such. */
    private static int length(@Nullable String text) {
        if (text == null) {
            return -1;
        }
        try {
            long length = Long.parseLong(text);
            return length < 0 || length > LARGEST_BODY_BYTES ? -1 : (int) length;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static @Nullable String line(BufferedInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            if (line.length() > LARGEST_HEADER_BYTES) {
                throw new IOException("the header is too long");
            }
            line.append((char) b);
        }
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r'
                ? line.substring(0, end - 1)
                : line.toString();
    }

    /** All values of a parameter of the query. */
    List<String> all(String name) {
        List<String> values = new ArrayList<>();
        for (String each : query.split("&")) {
            int equals = each.indexOf('=');
            if (equals > 0 && each.substring(0, equals).equals(name)) {
                values.add(URLDecoder.decode(each.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return values;
    }

    /** The first value of a parameter, or {@code null}. */
    @Nullable String one(String name) {
        List<String> values = all(name);
        return values.isEmpty() ? null : values.getFirst();
    }

    boolean closes() {
        return "close".equalsIgnoreCase(headers.get("connection"));
    }
}
