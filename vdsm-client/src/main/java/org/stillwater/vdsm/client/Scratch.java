package org.stillwater.vdsm.client;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A reused character buffer in which a value is put together before anything is created of it: a
 * joined list, or a sub-tree as compact JSON. What equals the known text, or has the known digest,
 * is then forgotten instead of allocated. Not thread-safe.
 */
final class Scratch {
    private static final int USUAL_CHARS = 2_048;
    private static final int MOST_KEPT_CHARS = 64 * 1_024;
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private char[] chars = new char[USUAL_CHARS];
    private int length;

    void clear() {
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

    /** Appends the text of a scalar as it is. */
    void appendText(JsonParser parser) {
        int count = parser.getStringLength();
        ensure(count);
        System.arraycopy(
                parser.getStringCharacters(), parser.getStringOffset(), chars, length, count);
        length += count;
    }

    /** Appends a quoted JSON string. */
    void appendString(String text) {
        append('"');
        for (int i = 0; i < text.length(); i++) {
            appendEscaped(text.charAt(i));
        }
        append('"');
    }

    /** Appends the value at the parser as compact JSON; leaves the parser on its last token. */
    void appendValue(JsonParser parser) {
        int depth = 0;
        do {
            JsonToken token = parser.currentToken();
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
                case PROPERTY_NAME -> {
                    appendString(parser.currentName());
                    append(':');
                }
                case VALUE_STRING -> {
                    appendQuoted(parser);
                    append(',');
                }
                default -> {
                    appendText(parser);
                    append(',');
                }
            }
        } while (depth > 0 && parser.nextToken() != null);
        length--; // the comma behind the whole value
    }

    private void appendQuoted(JsonParser parser) {
        char[] text = parser.getStringCharacters();
        int from = parser.getStringOffset();
        int to = from + parser.getStringLength();
        append('"');
        for (int i = from; i < to; i++) {
            appendEscaped(text[i]);
        }
        append('"');
    }

    private void appendEscaped(char c) {
        if (c >= ' ' && c != '"' && c != '\\') {
            append(c);
        } else if (c == '"' || c == '\\') {
            append('\\');
            append(c);
        } else {
            ensure(6);
            append('\\');
            append('u');
            append('0');
            append('0');
            append(HEX[c >>> 4]);
            append(HEX[c & 0xf]);
        }
    }

    private void ensure(int more) {
        if (length + more > chars.length) {
            chars = Arrays.copyOf(chars, Math.max(length + more, chars.length * 2));
        }
    }

    /** The known text when it equals the content, else a new one. */
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
        return Texts.clean(new String(chars, 0, length));
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
