package org.stillwater.fake.xapi.codec;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call as it came.
 *
 * @param method as written
 * @param arguments untyped: strings, longs, doubles, booleans, dates, lists, maps, {@code null}
 * @param id to be echoed; {@code null} in XML-RPC
 * @param version of JSON-RPC; 0 in XML-RPC
 */
public record Request(
        String method, List<@Nullable Object> arguments, @Nullable Object id, int version) {

    /** The body is no call: HTTP status 500. */
    public static final class Malformed extends Exception {

        private static final long serialVersionUID = 1L;

        public Malformed(String message) {
            super(message);
        }
    }
}
