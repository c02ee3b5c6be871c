package org.stillwater.xapi.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * XML-RPC of XAPI, read from its bytes. Nine tenths of a reply are values that are skipped, so the
 * search for the next tag determines the cost: it examines eight bytes at once, and the tags that
 * XAPI writes are compared as one number. Other notations of the same document (white space,
 * attributes, empty elements, comments, CDATA) are read as well, more slowly; a document type is
 * refused. Values that are read are checked in full; of skipped ones only the end is.
 *
 * <p>The cursor stands behind the opening tag of a {@code value} when a value is expected, and
 * behind its closing tag after it was read.
 *
 * <p>It is long because all readers share one position in the bytes.
 */
final class XmlRpcSource implements XmlReply {

    /** The largest text. */
    private static final int MOST_BYTES = 1 << 27;

    private static final int LONGEST_TAG = 1 << 10;

    private static final byte[] CLOSED = {};

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long BRACKETS = '<' * ONES;
    private static final long AMPERSANDS = '&' * ONES;
    private static final long RETURNS = '\r' * ONES;
    private static final long SIX = -1L >>> 16;
    private static final long SEVEN = -1L >>> 8;

    private static final long VALUE = word("<value>");
    private static final long VALUE_ANYHOW = word("<value");
    private static final long END_VALUE = word("</value>");
    private static final long END_VALUE_ANYHOW = word("</value");
    private static final long STRUCT = word("<struct>");
    private static final long MEMBER = word("<member>");
    private static final long END_MEMBER = word("</member");
    private static final long NAME = word("<name>");
    private static final long END_NAME = word("</name>");
    private static final long ARRAY = word("<array>");
    private static final long DATA = word("<data>");

    private final InputStream in;

    /** Behind {@link #limit} it has the margin of {@link ShortBytes}, with old content. */
    private byte[] bytes = ReadBuffers.ALL.take();

    private int at;
    private int limit;

    /** From here on bytes are kept when more are read; -1: none. */
    private int kept = -1;

    /** Name of the last tag, until more is read. */
    private int tagFrom;

    private int tagLength;

    /** Whether the last tag was an empty element, and the end of it was not read yet. */
    private boolean emptyElement;

    private final ShortBytes key = new ShortBytes();
    private final RecordWriter writer = new RecordWriter();

    private XmlRpcSource(InputStream in) {
        this.in = in;
    }

    /** Up to eight bytes as a number, the first one lowest. */
    private static long word(String ascii) {
        long word = 0;
        for (int i = 0; i < ascii.length(); i++) {
            word |= (long) ascii.charAt(i) << (8 * i);
        }
        return word;
    }

    /** A reply; the first value is that of its one parameter. */
    static XmlRpcSource of(InputStream in) throws IOException {
        XmlRpcSource source = new XmlRpcSource(in);
        boolean opened = false;
        try {
            source.open("methodResponse");
            source.open("params");
            source.open("param");
            source.open("value");
            opened = true;
            return source;
        } finally {
            if (!opened) {
                source.close();
            }
        }
    }

    @Override
    public void end() throws IOException {
        close("param");
        close("params");
        close("methodResponse");
    }

    // ------------------------------------------------------------------------------- bytes

    /** Gets more bytes behind those that are kept or not yet read; false at the end. */
    private boolean more() throws IOException {
        int from = kept < 0 ? at : kept;
        int held = limit - from;
        if (held == bytes.length - ShortBytes.MARGIN) {
            if (held >= MOST_BYTES) {
                throw new XapiException.Protocol("a value is too long", null);
            }
            byte[] larger = new byte[2 * held + ShortBytes.MARGIN];
            System.arraycopy(bytes, from, larger, 0, held);
            bytes = larger;
        } else if (from > 0) {
            System.arraycopy(bytes, from, bytes, 0, held);
        }
        at -= from;
        kept = kept < 0 ? -1 : 0;
        limit = held;
        int read = in.read(bytes, limit, bytes.length - ShortBytes.MARGIN - limit);
        limit += Math.max(read, 0);
        return read > 0;
    }

    private static XapiException.Protocol early() {
        return new XapiException.Protocol("the reply ends too early", new EOFException());
    }

    private static XapiException.Protocol broken(String what) {
        return new XapiException.Protocol("no XML-RPC: " + what, null);
    }

    private boolean has(int count) throws IOException {
        while (limit - at < count) {
            if (!more()) {
                return false;
            }
        }
        return true;
    }

    private void need(int count) throws IOException {
        if (!has(count)) {
            throw early();
        }
    }

    /** The beginning of the kept bytes, which it releases. */
    private int released() {
        int from = kept;
        kept = -1;
        return from;
    }

    /** Goes to the next bracket. */
    private void toBracket() throws IOException {
        while (true) {
            if (at >= limit) {
                at = limit;
                if (!more()) {
                    throw early();
                }
            }
            long bracket = ShortBytes.eight(bytes, at) ^ BRACKETS;
            // The lowest bit that is set is right: a borrow only runs upwards.
            long found = (bracket - ONES) & ~bracket & HIGH_BITS;
            if (found == 0) {
                at += Long.BYTES;
                continue;
            }
            at += Long.numberOfTrailingZeros(found) >>> 3;
            if (at < limit) {
                return;
            }
        }
    }

    /**
     * Goes to the bracket that ends a text.
     *
     * @return whether the text may have an entity, the end of a line, or no ASCII
     */
    private boolean toEndOfText() throws IOException {
        long special = 0;
        while (true) {
            if (at >= limit) {
                at = limit;
                if (!more()) {
                    throw early();
                }
            }
            long eight = ShortBytes.eight(bytes, at);
            long bracket = eight ^ BRACKETS;
            long found = (bracket - ONES) & ~bracket & HIGH_BITS;
            long ampersand = eight ^ AMPERSANDS;
            long carriage = eight ^ RETURNS;
            // Bytes behind the bracket may count: that costs time only.
            special |= eight | ((ampersand - ONES) & ~ampersand) | ((carriage - ONES) & ~carriage);
            if (found == 0) {
                at += Long.BYTES;
                continue;
            }
            at += Long.numberOfTrailingZeros(found) >>> 3;
            if (at < limit) {
                return (special & HIGH_BITS) != 0;
            }
        }
    }

    // ------------------------------------------------------------------------------- tags

    /** Reads the next tag of any notation, past texts before it; whether it opens an element. */
    private boolean tag() throws IOException {
        if (emptyElement) {
            emptyElement = false;
            return false;
        }
        toBracket();
        need(2);
        while (isMarkup()) {
            String _ = markup();
            toBracket();
            need(2);
        }
        boolean opens = bytes[at + 1] != '/';
        at += opens ? 1 : 2;
        need(1);
        requireName(bytes[at]);
        kept = at;
        int length = -1;
        byte quote = 0;
        while (true) {
            if (at == limit && !more()) {
                throw early();
            }
            byte b = bytes[at];
            if (quote != 0) {
                quote = b == quote ? 0 : quote;
            } else if (b == '>') {
                break;
            } else if (b == '"' || b == '\'') {
                quote = b;
            } else if (b == '<') {
                throw broken("a tag within a tag");
            } else if (length < 0 && (b == '/' || (b <= ' ' && b >= 0))) {
                length = at - kept;
            }
            at++;
            if (at - kept > LONGEST_TAG) {
                throw broken("a tag is too long");
            }
        }
        emptyElement = opens && bytes[at - 1] == '/';
        tagFrom = released();
        tagLength = length < 0 ? at - tagFrom : length;
        at++;
        return opens;
    }

    private static void requireName(byte first) throws XapiException.Protocol {
        if (!((first >= 'a' && first <= 'z')
                || (first >= 'A' && first <= 'Z')
                || first == '_'
                || first < 0)) {
            throw broken("a bracket that begins no tag");
        }
    }

    /** Whether the last tag has this name. */
    private boolean is(String name) {
        if (tagLength != name.length()) {
            return false;
        }
        for (int i = 0; i < tagLength; i++) {
            if (bytes[tagFrom + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private void open(String name) throws IOException {
        if (!tag() || !is(name)) {
            throw broken(name + " expected");
        }
    }

    private void close(String name) throws IOException {
        if (tag() || !is(name)) {
            throw broken("the end of " + name + " expected");
        }
    }

    private boolean isMarkup() {
        return bytes[at + 1] == '!' || bytes[at + 1] == '?';
    }

    /** Passes a comment, an instruction or CDATA; the text of CDATA, empty for the others. */
    private String markup() throws IOException {
        if (bytes[at + 1] == '?') {
            past("?>");
            return "";
        }
        need(4);
        if (bytes[at + 2] == '-' && bytes[at + 3] == '-') {
            at += 4;
            past("-->");
            return "";
        }
        String begin = "<![CDATA[";
        need(begin.length());
        if (!stands(begin)) {
            throw broken("a document type");
        }
        at += begin.length();
        kept = at;
        past("]]>");
        int from = released();
        return decoded(from, at - "]]>".length() - from, false);
    }

    private boolean stands(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            if (bytes[at + i] != ascii.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private void past(String end) throws IOException {
        need(end.length());
        while (!stands(end)) {
            at++;
            need(end.length());
        }
        at += end.length();
    }

    // ------------------------------------------------------------------------------- texts

    /** The text up to the next tag, in which the cursor stands then. */
    private String content() throws IOException {
        kept = at;
        boolean special = toEndOfText();
        need(2);
        int from = released();
        String text = string(from, at - from, special);
        return isMarkup() ? text + afterMarkup() : text;
    }

    private String afterMarkup() throws IOException {
        StringBuilder text = new StringBuilder();
        while (isMarkup()) {
            text.append(markup());
            kept = at;
            boolean special = toEndOfText();
            need(2);
            int from = released();
            text.append(string(from, at - from, special));
        }
        return text.toString();
    }

    private String string(int from, int length, boolean special) throws XapiException.Protocol {
        if (length == 0) {
            return "";
        }
        if (special) {
            return decoded(from, length, true);
        }
        return length <= AsciiStringCache.LONGEST
                ? AsciiStringCache.ALL.of(bytes, from, length, key.set(bytes, from, length))
                : new String(bytes, from, length, StandardCharsets.ISO_8859_1);
    }

    private String decoded(int from, int length, boolean entities) throws XapiException.Protocol {
        CharBuffer raw;
        try {
            raw = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, length));
        } catch (CharacterCodingException e) {
            throw new XapiException.Protocol("no XML: a text is no UTF-8", e);
        }
        StringBuilder text = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '&' && entities) {
                int end = i + 1;
                while (end < raw.length() && raw.charAt(end) != ';') {
                    end++;
                }
                if (end == raw.length()) {
                    throw broken("an ampersand that begins nothing");
                }
                text.append(EscapedText.entity(raw.subSequence(i + 1, end).toString()));
                i = end;
            } else if (c == '\r') { // a reader of XML ends lines in one way
                text.append('\n');
                i += i + 1 < raw.length() && raw.charAt(i + 1) == '\n' ? 1 : 0;
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }

    // ------------------------------------------------------------------------------- structure

    private boolean isNext(long word, long mask) throws IOException {
        return !emptyElement && has(Long.BYTES) && (ShortBytes.eight(bytes, at) & mask) == word;
    }

    @Override
    public void beginObject() throws IOException {
        if (isNext(STRUCT, -1L)) {
            at += 8;
        } else {
            open("struct");
        }
    }

    /** Enters the name of the next member; false at the end of the object, which it leaves. */
    private boolean nextMember() throws IOException {
        if (isNext(END_MEMBER, -1L) && has(9) && bytes[at + 8] == '>') {
            at += 9;
        }
        if (isNext(MEMBER, -1L) && has(14) && (ShortBytes.eight(bytes, at + 8) & SIX) == NAME) {
            at += 14;
            return true;
        }
        boolean opens = tag();
        while (!opens && is("member")) {
            opens = tag();
        }
        if (opens) {
            if (!is("member")) {
                throw broken("a member expected");
            }
            open("name");
            return true;
        }
        if (!is("struct")) {
            throw broken("the end of struct expected");
        }
        close("value");
        return false;
    }

    /** From the end of a member's name to its value. */
    private void nameToValue() throws IOException {
        if (isNext(END_NAME, SEVEN)
                && has(15)
                && (ShortBytes.eight(bytes, at + 7) & SEVEN) == VALUE) {
            at += 14;
            return;
        }
        close("name");
        open("value");
    }

    @Override
    public @Nullable String nextName() throws IOException {
        if (!nextMember()) {
            return null;
        }
        String name = emptyElement ? "" : content();
        nameToValue();
        return name;
    }

    @Override
    public int nextField(XapiClass type) throws IOException {
        if (!nextMember()) {
            return END;
        }
        if (emptyElement) {
            nameToValue();
            return UNKNOWN;
        }
        kept = at;
        boolean special = toEndOfText();
        need(2);
        int from = released();
        int length = at - from;
        int place = UNKNOWN;
        if (special || isMarkup()) {
            String name = string(from, length, special);
            place = type.place(isMarkup() ? name + afterMarkup() : name);
        } else if (length <= ShortBytes.MOST) {
            place = type.place(key.set(bytes, from, length));
        }
        nameToValue();
        return place;
    }

    @Override
    public void beginArray() throws IOException {
        if (isNext(ARRAY, SEVEN) && has(15) && (ShortBytes.eight(bytes, at + 7) & SIX) == DATA) {
            at += 13;
            return;
        }
        open("array");
        open("data");
    }

    @Override
    public boolean nextElement() throws IOException {
        if (isNext(VALUE, SEVEN)) {
            at += 7;
            return true;
        }
        if (tag()) {
            if (!is("value")) {
                throw broken("a value expected");
            }
            return true;
        }
        if (!is("data")) {
            throw broken("the end of data expected");
        }
        close("array");
        close("value");
        return false;
    }

    // ------------------------------------------------------------------------------- values

    /** A scalar, in an element of its type or bare. */
    @Override
    public String text() throws IOException {
        if (emptyElement) {
            close("value");
            return "";
        }
        String bare = content();
        if (isNext(END_VALUE, -1L)) {
            at += 8;
            return bare;
        }
        if (!tag()) {
            if (!is("value")) {
                throw broken("the end of value expected");
            }
            return bare;
        }
        String typed = emptyElement ? "" : content();
        if (tag()) {
            throw broken("a text expected");
        }
        close("value");
        return typed;
    }

    @Override
    public void copyText(RecordWriter out) throws IOException {
        if (emptyElement) {
            out.text(text());
            return;
        }
        kept = at;
        boolean special = toEndOfText();
        boolean plain = !special && isNext(END_VALUE, -1L);
        int from = released();
        if (plain) {
            out.ascii(bytes, from, at - from);
            at += 8;
        } else {
            at = from;
            out.text(text());
        }
    }

    @Override
    public RecordWriter writer() {
        return writer;
    }

    @Override
    public long number() throws IOException {
        if (emptyElement) {
            return Source.parseNumber(text());
        }
        kept = at;
        boolean special = toEndOfText();
        need(2);
        int from = kept;
        int digits = bytes[from] == '-' ? from + 1 : from;
        boolean plain = !special && at > digits && at - digits <= 18;
        long value = 0;
        for (int i = digits; i < at && plain; i++) {
            int digit = bytes[i] - '0';
            plain = digit >= 0 && digit <= 9;
            value = 10 * value + digit;
        }
        boolean negative = digits > from;
        if (plain && isNext(END_VALUE, -1L)) {
            kept = -1;
            at += 8;
            return negative ? -value : value;
        }
        at = released();
        return Source.parseNumber(text());
    }

    @Override
    public double real() throws IOException {
        return Source.parseReal(text());
    }

    @Override
    public boolean flag() throws IOException {
        return switch (text()) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            default -> throw new XapiException.Protocol("a bool expected", null);
        };
    }

    /** Only values in values count. */
    @Override
    public void skip() throws IOException {
        if (emptyElement) {
            close("value");
            return;
        }
        int depth = 1;
        while (true) {
            toBracket();
            need(Long.BYTES); // so many follow every tag of a value
            long eight = ShortBytes.eight(bytes, at);
            if (eight == END_VALUE) {
                at += 8;
                if (--depth == 0) {
                    return;
                }
            } else if ((eight & SEVEN) == VALUE) {
                at += 7;
                depth++;
            } else if (isMarkup()) {
                String _ = markup();
            } else if ((eight & SIX) == VALUE_ANYHOW || (eight & SEVEN) == END_VALUE_ANYHOW) {
                boolean opens = tag();
                if (is("value") && !emptyElement) {
                    depth += opens ? 1 : -1;
                }
                emptyElement = false;
                if (depth == 0) {
                    return;
                }
            } else {
                byte second = bytes[at + 1];
                if (second != '/') {
                    requireName(second);
                }
                at += 2;
            }
        }
    }

    /** Gives the buffer back; the stream is its owner's. */
    @Override
    public void close() {
        byte[] buffer = bytes;
        bytes = CLOSED;
        at = 0;
        limit = 0;
        if (buffer.length > 0) {
            ReadBuffers.ALL.giveBack(buffer);
        }
    }
}
