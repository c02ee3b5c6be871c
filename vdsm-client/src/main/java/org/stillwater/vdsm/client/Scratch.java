package org.stillwater.vdsm.client;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.text.TextLimit;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A reused character buffer in which a joined list, or a sub-tree as compact JSON, is built before
 * any object is created. Content that equals the known text, or has the known digest, is dropped
 * without an allocation. Not thread-safe.
 */
final class Scratch {
    private static final int USUAL_CHARS = 2_048;

    /** Twice the longest list that is kept of a VM, so that none is allocated for every cycle. */
    private static final int MOST_KEPT_CHARS = 128 * 1_024;

    /** Marks, in a JSON document, that entries were left out. */
    private static final String CUT_NAME = "\"cut\":true";

    private static final String CUT_ENTRY = "{" + CUT_NAME + "}";

    /** A number is no longer than the parser takes it; a real one of a host is much shorter. */
    private static final int MOST_DIGITS = 1_000;

    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private char[] chars = new char[USUAL_CHARS];
    private int length;
    private boolean altered;

    void clear() {
        altered = false;
        if (chars.length > MOST_KEPT_CHARS) {
            chars = new char[USUAL_CHARS];
        }
        length = 0;
    }

    int length() {
        return length;
    }

    char charAt(int index) {
        return chars[index];
    }

    char[] copy() {
        return Arrays.copyOf(chars, length);
    }

    void append(char c) {
        ensure(1);
        chars[length++] = c;
    }

    /** Whether something was cut, left out or replaced since the last {@link #clear}. */
    boolean isAltered() {
        return altered;
    }

    /** Notes that something was left out. */
    void alter() {
        altered = true;
    }

    /** Removes the characters beyond this length. */
    void truncate(int to) {
        length = to;
    }

    /** Appends the text of a scalar as it may be kept. */
    void appendText(JsonParser parser, int limit) {
        char[] text = parser.getStringCharacters();
        int from = parser.getStringOffset();
        int count = parser.getStringLength();
        if (SafeText.isSafe(text, from, from + count, limit)) {
            ensure(count);
            System.arraycopy(text, from, chars, length, count);
            length += count;
        } else {
            altered = true;
            ensure(Math.min(count, limit));
            length = SafeText.clean(text, from, from + count, chars, length, limit);
        }
    }

    /** Appends a quoted JSON string. */
    void appendString(String text) {
        append('"');
        int from = length;
        for (int i = 0; i < text.length(); i++) {
            append(text.charAt(i));
        }
        escape(from);
        append('"');
    }

    /**
     * Appends the value at the parser as compact JSON, as much of it as may be kept: entries of the
     * outermost list or object that do not fit are left out whole, so that the rest is JSON. Leaves
     * the parser on the value's last token.
     *
     * @param limit of the whole value
     * @param mostPerText characters of one text in it; a longer one is cut
     * @param marked whether a last entry {@code {"cut":true}} marks that entries were left out
     */
    void appendDocument(JsonParser parser, TextLimit limit, int mostPerText, boolean marked) {
        int most = length + limit.characters() - (marked ? CUT_ENTRY.length() + 1 : 0) - 1;
        JsonToken open = parser.currentToken();
        if (open != JsonToken.START_ARRAY && open != JsonToken.START_OBJECT) {
            int from = length;
            if (!appendValue(parser, mostPerText, most)) {
                length = from;
                append('"');
                append(SafeText.CUT);
                append('"');
            }
            return;
        }
        boolean object = open == JsonToken.START_OBJECT;
        append(object ? '{' : '[');
        int entries = 0;
        boolean full = false;
        while (!endsValue(parser.nextToken())) {
            int before = length;
            if (entries > 0 && !full) {
                append(',');
            }
            if (object) {
                if (!full) {
                    appendName(parser);
                }
                parser.nextToken();
            }
            if (full || entries == limit.entries()) {
                parser.skipChildren();
            } else if (appendValue(parser, mostPerText, most)) {
                entries++;
                continue;
            }
            full = true;
            altered = true;
            length = before;
        }
        if (full && marked) {
            if (entries > 0) {
                append(',');
            }
            String mark = object ? CUT_NAME : CUT_ENTRY;
            for (int i = 0; i < mark.length(); i++) {
                append(mark.charAt(i));
            }
        }
        append(object ? '}' : ']');
    }

    private static boolean endsValue(@Nullable JsonToken token) {
        return token == null || token == JsonToken.END_ARRAY || token == JsonToken.END_OBJECT;
    }

    /**
     * Appends the value at the parser as compact JSON; leaves the parser on its last token.
     *
     * @param mostPerText characters of one text in it; a longer one is cut
     * @param most length of everything appended so far; when it is exceeded, the rest is skipped
     * @return whether the whole value was appended; if not, the caller truncates
     */
    boolean appendValue(JsonParser parser, int mostPerText, int most) {
        int depth = 0;
        boolean fits = true;
        do {
            JsonToken token = parser.currentToken();
            if (!fits) {
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                continue;
            }
            switch (token) {
                case START_OBJECT -> {
                    append('{');
                    depth++;
                }
                case START_ARRAY -> {
                    append('[');
                    depth++;
                }
                case END_OBJECT, END_ARRAY -> {
                    if (chars[length - 1] == ',') {
                        length--;
                    }
                    append(token == JsonToken.END_OBJECT ? '}' : ']');
                    depth--;
                    append(',');
                }
                case PROPERTY_NAME -> appendName(parser);
                case VALUE_STRING -> {
                    append('"');
                    int from = length;
                    appendText(parser, mostPerText);
                    escape(from);
                    append('"');
                    append(',');
                }
                default -> {
                    appendText(parser, MOST_DIGITS);
                    append(',');
                }
            }
            fits = length - 1 <= most;
        } while (depth > 0 && parser.nextToken() != null);
        length--; // the comma behind the whole value
        altered |= !fits;
        return fits;
    }

    private void appendName(JsonParser parser) {
        String name = parser.currentName();
        String safe = SafeText.of(name, TextLimit.NAME.characters());
        altered |= safe.length() != name.length() || !safe.equals(name);
        appendString(safe);
        append(':');
    }

    /** Escapes the characters after {@code from} that JSON does not allow as they are. */
    private void escape(int from) {
        int more = 0;
        for (int i = from; i < length; i++) {
            char c = chars[i];
            more += c == '"' || c == '\\' ? 1 : c < ' ' ? 5 : 0;
        }
        if (more == 0) {
            return;
        }
        ensure(more);
        int to = length + more;
        for (int i = length - 1; i >= from; i--) {
            char c = chars[i];
            if (c == '"' || c == '\\') {
                chars[--to] = c;
                chars[--to] = '\\';
            } else if (c < ' ') {
                chars[--to] = HEX[c & 0xf];
                chars[--to] = HEX[c >>> 4];
                chars[--to] = '0';
                chars[--to] = '0';
                chars[--to] = 'u';
                chars[--to] = '\\';
            } else {
                chars[--to] = c;
            }
        }
        length += more;
    }

    private void ensure(int more) {
        if (length + more > chars.length) {
            chars = Arrays.copyOf(chars, Math.max(length + more, chars.length * 2));
        }
    }

    /** The known text when it equals the content, else one that is shared or new. */
    String textOr(@Nullable String known) {
        if (known != null && known.length() == length) {
            int i = 0;
            while (i < length && known.charAt(i) == chars[i]) {
                i++;
            }
            if (i == length) {
                return known;
            }
        }
        return Texts.composed(chars, length);
    }

    /**
     * A 64-bit digest of the content; never 0. It depends on the characters only, so it may be kept
     * across restarts. FNV-1a, finished by the mixing of MurmurHash3.
     */
    long digest() {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ chars[i]) * 0x100000001b3L;
        }
        hash ^= hash >>> 33;
        hash *= 0xff51afd7ed558ccdL;
        hash ^= hash >>> 33;
        hash *= 0xc4ceb9fe1a85ec53L;
        hash ^= hash >>> 33;
        return hash == 0 ? 1 : hash;
    }
}
