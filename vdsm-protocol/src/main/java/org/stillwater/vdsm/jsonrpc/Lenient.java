package org.stillwater.vdsm.jsonrpc;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.io.NumberInput;

/**
 * Reads values the way an engine must: VDSM writes most numbers as texts, some as integers, some as
 * floats, and not always the same (protocol page §3.3.11). Each method takes the parser on the
 * first token of a value, leaves it on the last, and creates no object for the usual forms.
 *
 * <p>A value that is not of the wanted kind ({@code ""}, {@code "abc"}, null, an object) is
 * answered with the given <em>absent</em> value.
 */
public final class Lenient {
    /** Powers of ten that a double represents exactly. */
    private static final double[] EXACT_POWERS_OF_TEN = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22
    };

    /** Above this an integer may not be a double. */
    private static final long EXACT_DOUBLE = 1L << 53;

    /** No more digits fit a long for certain. */
    private static final int MOST_DIGITS = 18;

    private Lenient() {}

    /** An integer, decimals cut off, numbers beyond 64 bits held at the nearest bound. */
    public static long longOf(JsonParser parser, long absent) {
        if (!isScalarText(parser)) {
            return absent;
        }
        char[] text = parser.getStringCharacters();
        int from = parser.getStringOffset();
        int to = from + parser.getStringLength();
        while (from < to && text[from] == ' ') {
            from++;
        }
        while (to > from && text[to - 1] == ' ') {
            to--;
        }
        int at = from;
        boolean negative = at < to && text[at] == '-';
        if (negative || (at < to && text[at] == '+')) {
            at++;
        }
        int digits = at;
        long value = 0;
        while (at < to && text[at] >= '0' && text[at] <= '9' && at - digits < MOST_DIGITS) {
            value = value * 10 + (text[at] - '0');
            at++;
        }
        if (at == to && at > digits) {
            return negative ? -value : value;
        }
        // A fraction, an exponent, or more digits than fit: rare, so the slow way will do.
        return slowLong(text, from, to, absent);
    }

    /** An integer of 32 bits, decimals cut off, numbers beyond held at the nearest bound. */
    public static int intOf(JsonParser parser, int absent) {
        long value = longOf(parser, absent);
        return Math.clamp(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** A number; never an infinite one. */
    public static double doubleOf(JsonParser parser, double absent) {
        if (!isScalarText(parser)) {
            return absent;
        }
        char[] text = parser.getStringCharacters();
        int from = parser.getStringOffset();
        int to = from + parser.getStringLength();
        int at = from;
        boolean negative = at < to && text[at] == '-';
        if (negative) {
            at++;
        }
        long mantissa = 0;
        int digits = 0;
        int point = -1;
        for (; at < to && digits <= MOST_DIGITS; at++) {
            char c = text[at];
            if (c >= '0' && c <= '9') {
                mantissa = mantissa * 10 + (c - '0');
                digits++;
            } else if (c == '.' && point < 0) {
                point = at;
            } else {
                break;
            }
        }
        if (at == to && digits > 0 && digits <= MOST_DIGITS && mantissa < EXACT_DOUBLE) {
            // Both operands are exact, so the one division rounds correctly.
            double value = point < 0 ? mantissa : mantissa / EXACT_POWERS_OF_TEN[to - point - 1];
            return negative ? -value : value;
        }
        return slowDouble(text, from, to, absent);
    }

    /** A boolean, its text in any case, or a number (0 is false). */
    public static boolean booleanOf(JsonParser parser, boolean absent) {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_TRUE) {
            return true;
        }
        if (token == JsonToken.VALUE_FALSE) {
            return false;
        }
        if (!isScalarText(parser)) {
            return absent;
        }
        if (textEquals(parser, "true")) {
            return true;
        }
        if (textEquals(parser, "false")) {
            return false;
        }
        long number = longOf(parser, Long.MIN_VALUE);
        return number == Long.MIN_VALUE ? absent : number != 0;
    }

    private static boolean textEquals(JsonParser parser, String lowerCase) {
        int length = parser.getStringLength();
        if (length != lowerCase.length()) {
            return false;
        }
        char[] text = parser.getStringCharacters();
        int from = parser.getStringOffset();
        for (int i = 0; i < length; i++) {
            if ((text[from + i] | 0x20) != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** True on a text or number; anything structured is skipped. */
    private static boolean isScalarText(JsonParser parser) {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_STRING
                || token == JsonToken.VALUE_NUMBER_INT
                || token == JsonToken.VALUE_NUMBER_FLOAT) {
            return true;
        }
        parser.skipChildren();
        return false;
    }

    private static long slowLong(char[] text, int from, int to, long absent) {
        double value = slowDouble(text, from, to, Double.NaN);
        if (Double.isNaN(value)) {
            return absent;
        }
        if (Math.abs(value) < EXACT_DOUBLE) {
            return (long) value;
        }
        int end = from;
        while (end < to && (text[end] == '-' || text[end] == '+' || isDigit(text[end]))) {
            end++;
        }
        boolean exponent = end < to && text[end] != '.';
        try {
            return exponent ? (long) value : Long.parseLong(new String(text, from, end - from));
        } catch (NumberFormatException beyond64Bits) {
            return (long) value; // a cast saturates
        }
    }

    private static double slowDouble(char[] text, int from, int to, double absent) {
        // Parsers accept forms that no host sends, such as "0x1p3", "1d" and "NaN"; and without a
        // digit, the empty text of every unused port would cost an exception.
        boolean digit = false;
        for (int i = from; i < to; i++) {
            char c = text[i];
            digit |= isDigit(c);
            if (!isDigit(c) && ".-+eE ".indexOf(c) < 0) {
                return absent;
            }
        }
        if (!digit) {
            return absent;
        }
        try {
            double value = NumberInput.parseDouble(text, from, to - from, true);
            return Math.clamp(value, -Double.MAX_VALUE, Double.MAX_VALUE);
        } catch (NumberFormatException notANumber) {
            return absent;
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
