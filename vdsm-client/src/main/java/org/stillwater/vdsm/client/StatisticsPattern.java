package org.stillwater.vdsm.client;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.HostField;
import org.stillwater.vdsm.jsonrpc.Json;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * The part of a host's statistics that the engine ignores: the interfaces of its VMs, four fifths
 * of the answer of a host with 100 VMs.
 *
 * <p>The answer is a chain of stretches that stay and of values that may move, as in a {@link
 * ReportPattern}. {@link #match} walks it without a parser: it hashes the stretches and checks the
 * form of the values. If the hash fits, the answer has the shape that the decoder has read, so the
 * members that the decoder skips are well-formed and are skipped again, unread. The decoder reads
 * {@link #kept the rest}: it alone interprets values.
 *
 * <p>Values that may move are numbers in their usual form and, in the part that is read, texts
 * without escapes, such as the host's clock. Immutable.
 */
final class StatisticsPattern {

    /** {@link #match} of an answer of another shape. */
    static final int SURPRISE = -1;

    /** More parts than an answer has that are not used. */
    static final int MOST_CUTS = 8;

    private static final byte NUMBER = 0;
    private static final byte TEXT = 1;

    /** The beginning or end of an ignored part. */
    private static final byte EDGE = 2;

    private static final int MOST_DIGITS = 18;
    private static final int LONGEST_STRETCH = 0xffff;

    /** Bytes before each mark. */
    private final char[] stretches;

    private final byte[] marks;
    private final int last;
    private final long hash;

    private StatisticsPattern(char[] stretches, byte[] marks, int last, long hash) {
        this.stretches = stretches;
        this.marks = marks;
        this.last = last;
        this.hash = hash;
    }

    /**
     * Walks the object that begins at {@code from}.
     *
     * @param length of the body
     * @param edges set to where parts that are not used begin and end
     * @return the position behind the object, or {@link #SURPRISE}
     */
    int match(byte[] body, int from, int length, int[] edges) {
        int at = from;
        int edge = 0;
        long seen = ReportPattern.seed();
        for (int i = 0; i < marks.length; i++) {
            int end = at + stretches[i];
            if (end >= length) {
                return SURPRISE;
            }
            seen = ReportPattern.hash(body, at, end, seen);
            at =
                    switch (marks[i]) {
                        case NUMBER -> number(body, length, end);
                        case TEXT -> text(body, length, end);
                        default -> {
                            edges[edge++] = end;
                            yield end;
                        }
                    };
            if (at == SURPRISE) {
                return SURPRISE;
            }
        }
        int end = at + last;
        return end > length || ReportPattern.hash(body, at, end, seen) != hash ? SURPRISE : end;
    }

    /** The part of the last matched object that the engine reads. */
    InputStream kept(byte[] body, int from, int to, int[] edges) {
        List<InputStream> parts = new ArrayList<>();
        int begin = from;
        int edge = 0;
        for (byte mark : marks) {
            if (mark == EDGE) {
                if (edge % 2 == 0) {
                    parts.add(new ByteArrayInputStream(body, begin, edges[edge] - begin));
                } else {
                    begin = edges[edge];
                }
                edge++;
            }
        }
        parts.add(new ByteArrayInputStream(body, begin, to - begin));
        return new SequenceInputStream(Collections.enumeration(parts));
    }

    /** Digits, perhaps a point and more digits: the position behind it. */
    private static int number(byte[] body, int length, int from) {
        int at = digits(body, length, from);
        if (at == from || (body[from] == '0' && at > from + 1)) {
            return SURPRISE;
        }
        if (at < length && body[at] == '.') {
            int end = digits(body, length, at + 1);
            if (end == at + 1) {
                return SURPRISE;
            }
            at = end;
        }
        return at - from > MOST_DIGITS ? SURPRISE : at;
    }

    private static int digits(byte[] body, int length, int from) {
        int at = from;
        while (at < length && body[at] >= '0' && body[at] <= '9') {
            at++;
        }
        return at;
    }

    /** Printable ASCII up to a quotation mark: the position of that. */
    private static int text(byte[] body, int length, int from) {
        int at = from;
        while (at < length && body[at] != '"') {
            if (body[at] < ' ' || body[at] > '~' || body[at] == '\\') {
                return SURPRISE;
            }
            at++;
        }
        return at < length ? at : SURPRISE;
    }

    /**
     * The pattern of an answer that the decoder has read, or null when nothing is to be skipped.
     *
     * @param wanted names of interfaces that are used
     */
    static @Nullable StatisticsPattern find(
            byte[] body, int from, int length, Predicate<String> wanted) {
        try (JsonParser parser =
                Json.FACTORY.createParser(ObjectReadContext.empty(), body, from, length - from)) {
            parser.nextToken();
            return new Finder(body, from, length, wanted).find(parser);
        }
    }

    private static final class Finder {
        private final byte[] body;
        private final int from;
        private final int length;
        private final Predicate<String> wanted;
        private final StringBuilder stretches = new StringBuilder();
        private final ByteArrayOutputStream marks = new ByteArrayOutputStream();
        private int at;
        private long hash = ReportPattern.seed();
        private int edges;
        private boolean fits = true;

        Finder(byte[] body, int from, int length, Predicate<String> wanted) {
            this.body = body;
            this.from = from;
            this.length = length;
            this.wanted = wanted;
            this.at = from;
        }

        @Nullable StatisticsPattern find(JsonParser parser) {
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean interfaces = parser.currentName().equals(HostField.INTERFACES.wire());
                if (parser.nextToken() == JsonToken.START_OBJECT && interfaces) {
                    interfaces(parser);
                } else {
                    value(parser, true);
                }
            }
            int end = behind(parser);
            boolean found = edges > 0 && edges <= 2 * MOST_CUTS && fits;
            return found
                    ? new StatisticsPattern(
                            stretches.toString().toCharArray(),
                            marks.toByteArray(),
                            end - at,
                            ReportPattern.hash(body, at, end, hash))
                    : null;
        }

        /** Cuts members out, each with the comma before it: so one has to stay before them. */
        private void interfaces(JsonParser parser) {
            int before = SURPRISE; // behind the member before, if that is an object
            boolean cut = false;
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                boolean object = parser.nextToken() == JsonToken.START_OBJECT;
                boolean unused = object && before != SURPRISE && !wanted.test(name);
                if (unused != cut) {
                    mark(before, before, EDGE);
                    edges++;
                    cut = unused;
                }
                value(parser, !cut);
                before = object ? behind(parser) : SURPRISE;
            }
            if (cut) {
                mark(before, before, EDGE);
                edges++;
            }
        }

        /** Marks the parts of a value that may change. */
        private void value(JsonParser parser, boolean texts) {
            int depth = 0;
            JsonToken token = parser.currentToken();
            while (true) {
                if (token.isStructStart()) {
                    depth++;
                } else if (token.isStructEnd()) {
                    depth--;
                } else if (token != JsonToken.PROPERTY_NAME) {
                    scalar(parser, texts);
                }
                if (depth == 0) {
                    return;
                }
                token = parser.nextToken();
            }
        }

        private void scalar(JsonParser parser, boolean texts) {
            boolean quoted = parser.currentToken() == JsonToken.VALUE_STRING;
            if (!quoted && !parser.currentToken().isNumeric()) {
                return;
            }
            int begin =
                    from + (int) parser.currentTokenLocation().getByteOffset() + (quoted ? 1 : 0);
            int end = number(body, length, begin);
            if (end != SURPRISE && (!quoted || body[end] == '"')) {
                mark(begin, end, NUMBER);
            } else if (quoted && texts) {
                end = text(body, length, begin);
                if (end != SURPRISE) {
                    mark(begin, end, TEXT);
                }
            }
        }

        private void mark(int begin, int end, byte mark) {
            fits &= begin - at <= LONGEST_STRETCH;
            stretches.append((char) (begin - at));
            marks.write(mark);
            hash = ReportPattern.hash(body, at, begin, hash);
            at = end;
        }

        private int behind(JsonParser parser) {
            return from + (int) parser.currentLocation().getByteOffset();
        }
    }
}
