package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.text.TextLimit;
import org.stillwater.vdsm.jsonrpc.Lenient;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads the values of one answer of a host, leniently (protocol page §3.3.11): a number may be a
 * text, a boolean may be a number, null counts as missing. A value of a wrong kind costs that value
 * only, and is counted. Objects and lists keep a bounded number of members; further members are
 * skipped and counted. Each method takes the parser on the first token of a value and leaves it on
 * the last. For one answer and one thread.
 */
final class HostReader {
    /** Counters of bytes, of which two can still be added. */
    private static final long MOST_WHOLE = 1L << 62;

    private static final double MOST_NUMBER = 1e15;

    private final JsonParser p;
    private final int mostMembers;
    private int misfits;
    private int altered;
    private int charactersLeft = ReportedText.HOST_ANSWER.mostCharacters();
    private int valuesLeft = ReportedText.HOST_ANSWER.mostEntries();

    HostReader(JsonParser parser, int mostMembers) {
        this.p = parser;
        this.mostMembers = mostMembers;
    }

    /** Values that were not of the wanted kind, so far. */
    int misfits() {
        return misfits;
    }

    /** Texts and lists that were cut, left out or cleaned, so far. */
    int altered() {
        return altered;
    }

    /** Reads the value of one member. */
    @FunctionalInterface
    interface Member {
        void read(String name);
    }

    /** Reads one value; null when it is of no use. */
    @FunctionalInterface
    interface Value<T> {
        @Nullable T read();
    }

    /** Calls the reader on the first token of each member's value, if this is an object. */
    void members(Member reader) {
        members(_ -> true, reader);
    }

    private void members(Predicate<String> wanted, Member reader) {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            skipMisfit();
            return;
        }
        int read = 0;
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = p.currentName();
            p.nextToken();
            if (!wanted.test(name)) {
                p.skipChildren();
            } else if (read++ < mostMembers && valuesLeft-- > 0) {
                reader.read(name);
            } else {
                skipBeyond();
            }
        }
    }

    /** The results of the reader for each element; empty if the value is no list. */
    <T> List<T> list(Value<T> reader) {
        List<T> elements = new ArrayList<>();
        if (p.currentToken() != JsonToken.START_ARRAY) {
            skipMisfit();
            return elements;
        }
        while (p.nextToken() != JsonToken.END_ARRAY) {
            T element = null;
            if (elements.size() < mostMembers && valuesLeft-- > 0) {
                element = reader.read();
            } else {
                skipBeyond();
            }
            if (element != null) {
                elements.add(element);
            }
        }
        return elements;
    }

    /** The results of the reader for each member, by name. */
    <T> Map<String, T> map(Value<T> reader) {
        return map(_ -> true, reader);
    }

    /** The results of the reader for each wanted member, by name. */
    <T> Map<String, T> map(Predicate<String> wanted, Value<T> reader) {
        Map<String, T> map = new LinkedHashMap<>();
        members(
                wanted,
                name -> {
                    T value = reader.read();
                    if (value != null) {
                        String key = kept(SafeText.of(name, TextLimit.NAME.characters()));
                        if (key != null) {
                            altered += key.equals(name) ? 0 : 1;
                            map.put(key, value);
                        }
                    }
                });
        return map;
    }

    @Nullable String text() {
        return text(ReportedText.HOST_TEXT.mostCharacters());
    }

    /**
     * A text as it may be kept.
     *
     * @param limit most characters of it
     */
    @Nullable String text(int limit) {
        if (p.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        String text = checked(Texts.textOr(p, null, limit));
        if (text != null && Texts.isAltered(p, limit)) {
            altered++;
        }
        return kept(text);
    }

    /** Null when one answer holds more text than is kept of it. */
    private @Nullable String kept(@Nullable String text) {
        if (text == null || text.length() > charactersLeft) {
            altered += text == null ? 0 : 1;
            return null;
        }
        charactersLeft -= text.length();
        return text;
    }

    /** A text; empty is as good as none. */
    @Nullable String textOrNone() {
        String text = text();
        return text == null || text.isEmpty() ? null : text;
    }

    /** A text that stands in a list: numbers are none. */
    @Nullable String textOnly() {
        if (p.currentToken() == JsonToken.VALUE_STRING) {
            return text();
        }
        skipMisfit();
        return null;
    }

    @Nullable Double number() {
        return number(-MOST_NUMBER, MOST_NUMBER);
    }

    /** A number; one beyond the bounds is of the wrong kind. */
    @Nullable Double number(double least, double most) {
        boolean none = isNone();
        double value = Lenient.doubleOf(p, Double.NaN);
        return value >= least && value <= most ? (Double) value : misfit(none);
    }

    @Nullable Long whole() {
        return whole(-MOST_WHOLE, MOST_WHOLE);
    }

    /** A whole number; one beyond the bounds is of the wrong kind. */
    @Nullable Long whole(long least, long most) {
        boolean none = isNone();
        long value = Lenient.longOf(p, Long.MIN_VALUE);
        return value >= least && value <= most ? (Long) value : misfit(none);
    }

    @Nullable Integer integer() {
        Long value = whole(Integer.MIN_VALUE, Integer.MAX_VALUE);
        return value == null ? null : (Integer) value.intValue();
    }

    /** A whole number that is not negative. */
    @Nullable Long count() {
        return whole(0, MOST_WHOLE);
    }

    /** A whole number of 32 bits that is not negative. */
    @Nullable Integer countInteger() {
        Long value = whole(0, Integer.MAX_VALUE);
        return value == null ? null : (Integer) value.intValue();
    }

    /** A measured number that is not negative. */
    @Nullable Double quantity() {
        return number(0, MOST_NUMBER);
    }

    @Nullable Boolean truth() {
        boolean none = isNone();
        boolean ifFalse = Lenient.booleanOf(p, false);
        return ifFalse == Lenient.booleanOf(p, true) ? (Boolean) ifFalse : misfit(none);
    }

    List<String> texts() {
        return list(this::textOnly);
    }

    List<Integer> integers() {
        return list(this::integer);
    }

    /** The value as compact JSON, null for none. */
    @Nullable String json() {
        if (p.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        Scratch scratch = new Scratch();
        scratch.appendDocument(
                p,
                ReportedText.HOST_DOCUMENT.limit(),
                ReportedText.HOST_TEXT.mostCharacters(),
                true);
        altered += scratch.isAltered() ? 1 : 0;
        return kept(scratch.textOr(null));
    }

    /** A text as it is, anything else as compact JSON. */
    @Nullable String textOrJson() {
        return p.currentToken() == JsonToken.VALUE_STRING ? text() : json();
    }

    /** Leaves the value unread. */
    void skip() {
        p.skipChildren();
    }

    /** Leaves the value unread because it is of no use. */
    void skipMisfit() {
        misfit(isNone());
        p.skipChildren();
    }

    /** Leaves the value unread because there are more of them than are kept. */
    private void skipBeyond() {
        altered++;
        skipMisfit();
    }

    boolean isObject() {
        return p.currentToken() == JsonToken.START_OBJECT;
    }

    /** Null, or the empty text that old agents write for it. */
    private boolean isNone() {
        return p.currentToken() == JsonToken.VALUE_NULL
                || (p.currentToken() == JsonToken.VALUE_STRING && p.getStringLength() == 0);
    }

    private <T> @Nullable T checked(@Nullable T value) {
        return value == null ? misfit(false) : value;
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // null is of every type
    private <T> @Nullable T misfit(boolean none) {
        if (!none) {
            misfits++;
        }
        return null;
    }
}
