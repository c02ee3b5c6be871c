package org.stillwater.xapi.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * JSON of XAPI of all ages: raw control characters in texts, names without quotes (metrics before
 * 2023), and every spelling of not a number and infinity.
 *
 * <p>The reader skips most of a reply, so the search for the end of a text determines the cost: it
 * examines eight bytes at once. Values that are read are checked in full; of skipped ones only the
 * end is. {@code in} is read in large pieces; a value that does not fit is kept until its end is
 * there.
 *
 * <p>It is long because all readers share one position in the bytes.
 */
final class JsonSource implements Source {

    /** The largest text, name, or raw value. */
    private static final int MOST_BYTES = 1 << 27;

    /** Deepest nesting of objects and sets: the bits of a long. */
    private static final int DEEPEST = 63;

    private static final byte[] CLOSED = {};
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long QUOTES = '"' * ONES;
    private static final long BACKSLASHES = '\\' * ONES;

    /** Powers of ten that a double holds exactly. */
    private static final double[] POWERS_OF_TEN = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22
    };

    /** So many decimal digits always fit into the 53 bits of a double. */
    private static final int EXACT_DIGITS = 15;

    private final InputStream in;

    /** Behind {@link #limit} it has the margin of {@link ShortBytes}, with old content. */
    private byte[] bytes;

    private int at;
    private int limit;

    /** From here on bytes are kept when more are read; -1: none. */
    private int kept = -1;

    /** Whether the open object or set has had no element yet. */
    private boolean fresh;

    private final ShortBytes key = new ShortBytes();
    private final RecordWriter writer = new RecordWriter();
    private final FieldOrder order = new FieldOrder();

    private JsonSource(InputStream in, byte[] bytes, int limit) {
        this.in = in;
        this.bytes = bytes;
        this.limit = limit;
    }

    static JsonSource of(InputStream in) {
        return new JsonSource(in, ReadBuffers.ALL.take(), 0);
    }

    /** A source over bytes in memory. */
    static JsonSource of(byte[] text, int from, int to) {
        byte[] bytes = new byte[to - from + ShortBytes.MARGIN];
        System.arraycopy(text, from, bytes, 0, to - from);
        return new JsonSource(InputStream.nullInputStream(), bytes, to - from);
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

    private static XapiException.Protocol unexpected(String expected, int found) {
        return new XapiException.Protocol(
                "no JSON: %s expected, not '%c'".formatted(expected, (char) (found & 0xFF)), null);
    }

    private void need(int count) throws IOException {
        while (limit - at < count) {
            if (!more()) {
                throw early();
            }
        }
    }

    /** The first byte that is no white space; it stays. */
    private int look() throws IOException {
        while (true) {
            while (at < limit) {
                byte b = bytes[at];
                if (b > ' ' || b < 0) {
                    return b;
                }
                at++;
            }
            if (!more()) {
                throw early();
            }
        }
    }

    private void expect(char expected) throws IOException {
        int found = look();
        if (found != expected) {
            throw unexpected("'" + expected + "'", found);
        }
        at++;
    }

    // ------------------------------------------------------------------------------- structure

    @Override
    public void beginObject() throws IOException {
        expect('{');
        fresh = true;
    }

    @Override
    public void beginArray() throws IOException {
        expect('[');
        fresh = true;
    }

    @Override
    public boolean nextElement() throws IOException {
        return goesOn(']');
    }

    /** Whether another element or member follows; otherwise skips the end. */
    private boolean goesOn(char end) throws IOException {
        int found = look();
        if (found == end) {
            at++;
            fresh = false;
            return false;
        }
        if (!fresh) {
            expect(',');
            found = look();
            if (found == end) {
                throw unexpected("an element", found);
            }
        }
        fresh = false;
        return true;
    }

    @Override
    public @Nullable String nextName() throws IOException {
        if (!goesOn('}')) {
            return null;
        }
        String name;
        if (look() == '"') {
            at++;
            name = string();
        } else {
            name = bareName();
        }
        expect(':');
        return name;
    }

    @Override
    public int nextField(XapiClass type) throws IOException {
        if (fresh) {
            order.begin(type);
        }
        int expected = order.expected();
        int name = at;
        if (!fresh) { // behind the comma, and the blank of old servers
            name += bytes[at + 1] == ' ' ? 2 : 1;
        }
        if (expected > 0
                && name + expected <= limit
                && (fresh || bytes[at] == ',')
                && order.isAt(bytes, name)) {
            fresh = false;
            at = name + expected;
            return order.take();
        }
        return otherField(type);
    }

    /** The next field, if it is not the expected one. */
    private int otherField(XapiClass type) throws IOException {
        if (!goesOn('}')) {
            order.end();
            return END;
        }
        if (look() != '"') {
            int place = type.place(bareName());
            order.pass();
            expect(':');
            return place;
        }
        at++;
        kept = at;
        boolean special = toQuote();
        int from = released();
        int length = at - from;
        at++;
        int place = UNKNOWN;
        if (special) {
            place = type.place(unescaped(from, length));
        } else if (length <= ShortBytes.MOST) {
            place = type.place(key.set(bytes, from, length));
        }
        // The first quote is gone if the name was at the end of the buffer.
        if (!special && from > 0 && at < limit && bytes[at] == ':') {
            order.learn(bytes, from - 1, length + 3, place);
        } else {
            order.pass();
        }
        expect(':');
        return place;
    }

    private String bareName() throws IOException {
        kept = at;
        while (true) {
            if (at == limit && !more()) {
                throw early();
            }
            byte b = bytes[at];
            if (b == ':' || (b <= ' ' && b >= 0)) {
                break;
            }
            if (!Character.isLetterOrDigit(b & 0xFF) && b != '_' && b != '$') {
                throw unexpected("a name", b);
            }
            at++;
        }
        if (at == kept) {
            throw unexpected("a name", bytes[at]);
        }
        int from = released();
        return new String(bytes, from, at - from, StandardCharsets.ISO_8859_1);
    }

    /** The beginning of the kept bytes, which it releases. */
    private int released() {
        int from = kept;
        kept = -1;
        return from;
    }

    // ------------------------------------------------------------------------------- texts

    /**
     * Goes to the closing quote of a text; {@code at} stands in it.
     *
     * @return whether a character of it is escaped or no ASCII
     */
    private boolean toQuote() throws IOException {
        long high = 0;
        boolean escaped = false;
        while (true) {
            if (at >= limit) {
                at = limit;
                if (!more()) {
                    throw early();
                }
            }
            long eight = ShortBytes.eight(bytes, at);
            long quote = eight ^ QUOTES;
            long backslash = eight ^ BACKSLASHES;
            // The lowest bit that is set is right: a borrow only runs upwards.
            long found =
                    (((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash)) & HIGH_BITS;
            if (found == 0) {
                high |= eight;
                at += Long.BYTES;
                continue;
            }
            int count = Long.numberOfTrailingZeros(found) >>> 3;
            high |= eight & ((1L << (8 * count)) - 1);
            at += count;
            if (at >= limit) {
                continue;
            }
            if (bytes[at] == '"') {
                return escaped || (high & HIGH_BITS) != 0;
            }
            escaped = true;
            need(2);
            at += 2;
        }
    }

    /** The text from here to its closing quote, which is passed. */
    private String string() throws IOException {
        kept = at;
        boolean special = toQuote();
        int from = released();
        int length = at - from;
        at++;
        if (special) {
            return unescaped(from, length);
        }
        if (length == 0) {
            return "";
        }
        return length <= AsciiStringCache.LONGEST
                ? AsciiStringCache.ALL.of(bytes, from, length, key.set(bytes, from, length))
                : new String(bytes, from, length, StandardCharsets.ISO_8859_1);
    }

    private String unescaped(int from, int length) throws XapiException.Protocol {
        String raw;
        try {
            raw =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes, from, length))
                            .toString();
        } catch (CharacterCodingException e) {
            throw new XapiException.Protocol("no JSON: a text is no UTF-8", e);
        }
        int backslash = raw.indexOf('\\');
        if (backslash < 0) {
            return raw;
        }
        StringBuilder text = new StringBuilder(raw.length());
        int done = 0;
        while (backslash >= 0) {
            text.append(raw, done, backslash);
            char kind = raw.charAt(backslash + 1);
            done = backslash + 2;
            switch (kind) {
                case '"', '\\', '/' -> text.append(kind);
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'u' -> {
                    text.append(unit(raw, done));
                    done += 4;
                }
                default -> throw unexpected("an escape", kind);
            }
            backslash = raw.indexOf('\\', done);
        }
        return text.append(raw, done, raw.length()).toString();
    }

    /** A unit of UTF-16 in four hexadecimal digits. */
    private static char unit(String raw, int from) throws XapiException.Protocol {
        int unit = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = i < raw.length() ? Character.digit(raw.charAt(i), 16) : -1;
            if (digit < 0 || raw.charAt(i) > 'f') {
                throw new XapiException.Protocol("no JSON: an escape without its digits", null);
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    // ------------------------------------------------------------------------------- values

    @Override
    public String text() throws IOException {
        int first = look();
        if (first == '"') {
            at++;
            return string();
        }
        String word = word();
        return switch (word) {
            case "nan", "-nan" -> "NaN";
            case "inf" -> "Infinity";
            case "-inf" -> "-Infinity";
            default -> word;
        };
    }

    @Override
    public void copyText(RecordWriter out) throws IOException {
        if (look() != '"') {
            out.text(text());
            return;
        }
        at++;
        kept = at;
        boolean special = toQuote();
        int from = released();
        int length = at - from;
        at++;
        if (special) {
            out.text(unescaped(from, length));
        } else {
            out.ascii(bytes, from, length);
        }
    }

    @Override
    public RecordWriter writer() {
        return writer;
    }

    /** A value that is neither text, object nor set. */
    private String word() throws IOException {
        kept = at;
        passWord();
        int from = released();
        String word = new String(bytes, from, at - from, StandardCharsets.ISO_8859_1);
        switch (word.charAt(0)) {
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> {
                if (!word.equals("-nan")) {
                    double _ = Source.parseReal(word);
                }
            }
            default -> {
                switch (word) {
                    case "true", "false", "null", "nan", "NaN", "inf", "Infinity" -> {
                        // Words that stand for values.
                    }
                    default -> throw new XapiException.Protocol("no JSON: " + word, null);
                }
            }
        }
        return word;
    }

    private void passWord() throws IOException {
        int begun = at;
        int passed = 0;
        while (true) {
            if (at == limit) {
                passed += at - begun;
                if (!more()) {
                    break; // a value may end the reply
                }
                begun = at;
            }
            byte b = bytes[at];
            boolean inside =
                    (b >= '0' && b <= '9')
                            || (b >= 'a' && b <= 'z')
                            || (b >= 'A' && b <= 'Z')
                            || b == '.'
                            || b == '-'
                            || b == '+'
                            || b == '_';
            if (!inside) {
                break;
            }
            at++;
        }
        if (passed + at - begun == 0) {
            throw at < limit ? unexpected("a value", bytes[at]) : early();
        }
    }

    @Override
    public long number() throws IOException {
        int first = look();
        if (first == '"') {
            at++;
            return Source.parseNumber(string());
        }
        kept = at;
        passWord();
        int from = released();
        boolean negative = bytes[from] == '-';
        int digits = negative ? from + 1 : from;
        if (at - digits < 1 || at - digits > 18) {
            return Source.parseNumber(
                    new String(bytes, from, at - from, StandardCharsets.ISO_8859_1));
        }
        long value = 0;
        for (int i = digits; i < at; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                throw new XapiException.Protocol(
                        "no int: "
                                + new String(bytes, from, at - from, StandardCharsets.ISO_8859_1),
                        null);
            }
            value = 10 * value + digit;
        }
        return negative ? -value : value;
    }

    @Override
    public double real() throws IOException {
        boolean quoted = look() == '"';
        if (quoted) {
            at++;
        }
        kept = at;
        boolean special = false;
        if (quoted) {
            special = toQuote();
        } else {
            passWord();
        }
        int from = released();
        int length = at - from;
        at += quoted ? 1 : 0;
        if (special) {
            return Source.parseReal(unescaped(from, length));
        }
        double value = plainReal(from, from + length);
        return Double.isNaN(value)
                ? Source.parseReal(new String(bytes, from, length, StandardCharsets.ISO_8859_1))
                : value;
    }

    /**
     * A decimal number of few digits without exponent: an integer divided by a power of ten, both
     * exact, which is rounded once and so is the nearest double.
     *
     * @return not a number for any other form
     */
    private double plainReal(int from, int to) {
        int i = from < to && bytes[from] == '-' ? from + 1 : from;
        boolean negative = i > from;
        long digits = 0;
        int count = 0;
        int point = -1;
        for (; i < to; i++) {
            int digit = bytes[i] - '0';
            if (digit >= 0 && digit <= 9) {
                digits = 10 * digits + digit;
                count++;
                if (count > EXACT_DIGITS) {
                    return Double.NaN;
                }
            } else if (bytes[i] == '.' && point < 0 && count > 0) {
                point = i;
            } else {
                return Double.NaN;
            }
        }
        if (count == 0) {
            return Double.NaN;
        }
        double value = point < 0 ? digits : digits / POWERS_OF_TEN[to - point - 1];
        return negative ? -value : value;
    }

    @Override
    public boolean flag() throws IOException {
        look();
        return switch (word()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new XapiException.Protocol("a bool expected", null);
        };
    }

    // ------------------------------------------------------------------------------- passing over

    @Override
    public void skip() throws IOException {
        long objects = 0; // a bit for each open object or set, set for an object
        int depth = 0;
        do {
            int found = look();
            switch (found) {
                case '"' -> {
                    at++;
                    boolean _ = toQuote();
                    at++;
                }
                case '{', '[' -> {
                    if (depth == DEEPEST) {
                        throw new XapiException.Protocol("a value is nested too deep", null);
                    }
                    objects = objects << 1 | (found == '{' ? 1 : 0);
                    depth++;
                    at++;
                }
                case '}', ']' -> {
                    if (depth == 0 || (objects & 1) != (found == '}' ? 1 : 0)) {
                        throw unexpected("a value", found);
                    }
                    objects >>>= 1;
                    depth--;
                    at++;
                }
                case ',', ':' -> {
                    if (depth == 0) {
                        throw unexpected("a value", found);
                    }
                    at++;
                }
                default -> passWord();
            }
        } while (depth > 0);
    }

    /** Skips {@code null}; returns whether it was there. */
    boolean passNull() throws IOException {
        if (look() != 'n') {
            return false;
        }
        need(4);
        boolean isNull = bytes[at + 1] == 'u' && bytes[at + 2] == 'l' && bytes[at + 3] == 'l';
        if (isNull) {
            at += 4;
        }
        return isNull;
    }

    /** Whether a set begins here; reads nothing. */
    boolean isArray() throws IOException {
        return look() == '[';
    }

    /** Whether an object begins here; reads nothing. */
    boolean isObject() throws IOException {
        return look() == '{';
    }

    /** Takes bytes that are valid during the call. */
    @FunctionalInterface
    interface Bytes<T> {
        T take(byte[] bytes, int from, int to) throws IOException;
    }

    /** Takes bytes that may be a value; null if they are another one. */
    @FunctionalInterface
    interface Guess<T> {
        @Nullable T take(byte[] bytes, int from, int to);
    }

    /**
     * Gives the next bytes to a taker that knows a value of this length, with {@link
     * ShortBytes#MARGIN} behind them, and passes over them if they are that value.
     */
    <T> @Nullable T guess(int length, Guess<T> taker) throws IOException {
        look();
        kept = at;
        boolean there = true;
        while (there && limit - at < length) {
            there = more();
        }
        int from = released();
        T taken = there ? taker.take(bytes, from, from + length) : null;
        at = taken == null ? from : from + length;
        return taken;
    }

    /** Passes over a value and gives its bytes, with {@link ShortBytes#MARGIN} behind them. */
    <T> T raw(Bytes<T> taker) throws IOException {
        look();
        kept = at;
        skip();
        int from = released();
        return taker.take(bytes, from, at);
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
