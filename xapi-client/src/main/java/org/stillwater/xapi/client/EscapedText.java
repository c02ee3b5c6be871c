package org.stillwater.xapi.client;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The text of a successful XML-RPC reply as bytes without entities, so that JSON inside it goes
 * straight to the JSON reader. It knows the envelope that XAPI writes, with white space between
 * elements or without; any other reply is left to a parser of XML.
 */
final class EscapedText extends InputStream {

    private static final String[] OPENING = {
        "<methodResponse>", "<params>", "<param>", "<value>", "<struct>", "<member>",
        "<name>Status</name>", "<value>", "?<string>", "Success", "?</string>", "</value>",
        "</member>", "<member>", "<name>Value</name>", "<value>", "?<string>"
    };

    private static final String[] CLOSING = {
        "?</string>",
        "</value>",
        "</member>",
        "</struct>",
        "</value>",
        "</param>",
        "</params>",
        "</methodResponse>"
    };

    private static final byte[][] DECLARATIONS = {
        ascii("<?xml version=\"1.0\"?>"),
        ascii("<?xml version='1.0'?>"),
        ascii("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"),
        ascii("<?xml version=\"1.0\" encoding=\"utf-8\"?>")
    };

    /** All that stands before or behind the text. */
    private static final int ENVELOPE_BYTES = 2_048;

    private static final int PIECE_BYTES = 1 << 16;

    /** The longest entity: a character by its number. */
    private static final int ENTITY_BYTES = 16;

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long AMPERSANDS = '&' * ONES;
    private static final long BRACKETS = '<' * ONES;
    private static final long RETURNS = '\r' * ONES;

    /** Six bytes of the one entity that JSON is full of. */
    private static final long QUOTE = 0x3B746F757126L;

    private static final long SIX_BYTES = 0xFFFFFFFFFFFFL;

    private final InputStream in;
    private final byte[] piece;
    private int at;
    private int limit;
    private boolean over;

    /** Bytes of a character that did not fit where the others were written. */
    private byte[] rest = {};

    private int restAt;

    private EscapedText(InputStream in, byte[] piece, int at, int limit) {
        this.in = in;
        this.piece = piece;
        this.at = at;
        this.limit = limit;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A reply's text, or the whole reply if it is none that this class reads. */
    record Opened(@Nullable EscapedText text, InputStream whole) {}

    /** Looks at the beginning of a reply. */
    static Opened open(InputStream in) throws IOException {
        byte[] piece = new byte[PIECE_BYTES + ShortBytes.MARGIN];
        int limit = in.readNBytes(piece, 0, ENVELOPE_BYTES);
        int begun = 0;
        for (byte[] each : DECLARATIONS) {
            if (matches(piece, 0, limit, each)) {
                begun = each.length;
            }
        }
        int at = past(piece, begun, limit, OPENING);
        return at < 0
                ? new Opened(
                        null,
                        new SequenceInputStream(new ByteArrayInputStream(piece, 0, limit), in))
                : new Opened(new EscapedText(in, piece, at, limit), in);
    }

    private static boolean matches(byte[] bytes, int from, int to, byte[] wanted) {
        return to - from >= wanted.length
                && Arrays.equals(bytes, from, from + wanted.length, wanted, 0, wanted.length);
    }

    /**
     * The position behind these words, with optional white space between them; a question mark
     * marks an optional word. -1: the text differs.
     */
    private static int past(byte[] bytes, int from, int to, String[] words) {
        int at = from;
        for (int i = 0; i < words.length; i++) {
            boolean optional = words[i].startsWith("?");
            byte[] word = ascii(optional ? words[i].substring(1) : words[i]);
            int next = at;
            while (next < to && isSpace(bytes[next])) {
                next++;
            }
            if (matches(bytes, next, to, word)) {
                at = next + word.length;
            } else if (!optional) {
                return -1;
            }
        }
        return at;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\t' || b == '\n' || b == '\r';
    }

    // ------------------------------------------------------------------------------- the text

    /** Keeps the unread bytes and reads more; false at the end. */
    private boolean more() throws IOException {
        System.arraycopy(piece, at, piece, 0, limit - at);
        limit -= at;
        at = 0;
        int read = in.read(piece, limit, PIECE_BYTES - limit);
        limit += Math.max(read, 0);
        return read > 0;
    }

    private static XapiException.Protocol early() {
        return new XapiException.Protocol("the reply ends too early", new EOFException());
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        int out = offset;
        int end = offset + length;
        while (true) {
            while (restAt < rest.length && out < end) {
                into[out++] = rest[restAt++];
            }
            if (out == end || over) {
                return out == offset ? -1 : out - offset;
            }
            if (at == limit) {
                if (out > offset) {
                    return out - offset; // available bytes are not held back
                }
                if (!more()) {
                    throw early();
                }
            }
            out = plain(into, out, end);
            if (out < end && at < limit) {
                out = special(into, out);
            }
        }
    }

    /** Copies up to the next byte that stands for something else, or as much as there is room. */
    private int plain(byte[] into, int begun, int end) {
        int from = at;
        int out = begun;
        // Eight bytes are written even if fewer count; the next ones are written over them.
        int last = Math.min(limit - from, end - out) + from - Long.BYTES;
        while (from <= last) {
            long eight = ShortBytes.eight(piece, from);
            ShortBytes.putEight(into, out, eight);
            long ampersand = eight ^ AMPERSANDS;
            long bracket = eight ^ BRACKETS;
            long carriage = eight ^ RETURNS;
            long found =
                    (((ampersand - ONES) & ~ampersand)
                                    | ((bracket - ONES) & ~bracket)
                                    | ((carriage - ONES) & ~carriage))
                            & HIGH_BITS;
            if (found == 0) {
                from += Long.BYTES;
                out += Long.BYTES;
                continue;
            }
            int count = Long.numberOfTrailingZeros(found) >>> 3;
            from += count;
            out += count;
            if ((ShortBytes.eight(piece, from) & SIX_BYTES) != QUOTE || from + 6 > limit) {
                at = from;
                return out;
            }
            into[out++] = '"';
            from += 6;
            last = Math.min(limit - from, end - out) + from - Long.BYTES;
        }
        while (from < limit && out < end) {
            byte b = piece[from];
            if (b == '&' || b == '<' || b == '\r') {
                break;
            }
            into[out++] = b;
            from++;
        }
        at = from;
        return out;
    }

    /** Deals with an entity, the end of a line or of the text; there is room for one byte. */
    private int special(byte[] into, int out) throws IOException {
        return switch (piece[at]) {
            case '&' -> {
                rest = entity();
                into[out] = rest[0];
                restAt = 1;
                yield out + 1;
            }
            case '\r' -> { // a reader of XML ends lines in one way
                if (limit - at < 2 && !more()) {
                    throw early();
                }
                at += piece[at + 1] == '\n' ? 2 : 1;
                into[out] = '\n';
                yield out + 1;
            }
            case '<' -> {
                end();
                yield out;
            }
            default -> out; // room ended
        };
    }

    private byte[] entity() throws IOException {
        int end = at;
        while (piece[end] != ';') {
            end++;
            if (end - at > ENTITY_BYTES) {
                throw new XapiException.Protocol("not XML: an ampersand without an entity", null);
            }
            if (end == limit) {
                int length = end - at;
                if (!more()) {
                    throw early();
                }
                end = at + length;
            }
        }
        String name = new String(piece, at + 1, end - at - 1, StandardCharsets.ISO_8859_1);
        at = end + 1;
        return entity(name).getBytes(StandardCharsets.UTF_8);
    }

    /** The character that an entity of XML stands for. */
    static String entity(String name) throws XapiException.Protocol {
        return switch (name) {
            case "quot" -> "\"";
            case "amp" -> "&";
            case "lt" -> "<";
            case "gt" -> ">";
            case "apos" -> "'";
            default -> character(name);
        };
    }

    private static String character(String name) throws XapiException.Protocol {
        try {
            int point =
                    name.startsWith("#x")
                            ? Integer.parseInt(name.substring(2), 16)
                            : Integer.parseInt(name.substring(1));
            if (name.startsWith("#") && point > 0 && Character.isValidCodePoint(point)) {
                return Character.toString(point);
            }
        } catch (NumberFormatException | StringIndexOutOfBoundsException _) {
            // Below.
        }
        throw new XapiException.Protocol("no XML: &" + name + ";", null);
    }

    /** The text is over: the rest must close the envelope. */
    private void end() throws IOException {
        while (limit - at < ENVELOPE_BYTES && more()) {
            // To the end of the reply.
        }
        if (past(piece, at, limit, CLOSING) < 0) {
            throw limit - at < ENVELOPE_BYTES
                    ? early()
                    : new XapiException.Protocol("no JSON inside XML", null);
        }
        over = true;
    }

    /** Skips the rest of the text. */
    void drain() throws IOException {
        byte[] sink = new byte[1 << 13];
        while (read(sink, 0, sink.length) >= 0) {
            // Nothing of it counts.
        }
    }
}
