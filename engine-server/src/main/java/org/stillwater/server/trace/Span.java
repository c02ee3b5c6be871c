package org.stillwater.server.trace;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A part of a trace, with its parts.
 *
 * @param name its name, from a small set
 * @param start when it began
 * @param end when it ended, not before {@code start}
 * @param attributes its further attributes
 * @param error why it failed; empty if it did not
 * @param parts its parts, in the order of their beginnings
 */
record Span(
        String name,
        Instant start,
        Instant end,
        Map<String, String> attributes,
        String error,
        List<Span> parts) {

    Span {
        end = end.isBefore(start) ? start : end;
        attributes = Map.copyOf(attributes);
        parts = List.copyOf(parts);
    }

    /** A part without parts that succeeded. */
    static Span of(String name, Instant start, Instant end) {
        return new Span(name, start, end, Map.of(), "", List.of());
    }
}
