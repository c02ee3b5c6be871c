package org.stillwater.core.text;

/**
 * Makes texts of hosts and guests safe to keep, to log and to show. Pure.
 *
 * <p>Excluded characters, with the reasons:
 *
 * <ul>
 *   <li>control characters (C0, DEL, C1) and the line and paragraph separators U+2028 and U+2029
 *       become a space: no text forges a line of a log, steers a terminal, or breaks XML 1.0. Texts
 *       of several lines become one line. U+0000, which PostgreSQL does not store, is dropped
 *   <li>characters that show nothing and change how others are shown are dropped: bidirectional
 *       marks, embeddings, overrides and isolates (Unicode Standard Annex 9), zero-width
 *       characters, soft hyphens, the byte-order mark, interlinear annotation, tags. Two names that
 *       look equal are equal
 *   <li>half a surrogate pair and the noncharacters U+FFFE and U+FFFF become U+FFFD, because
 *       neither UTF-8 nor XML 1.0 holds them
 * </ul>
 *
 * <p>A text that is longer than its limit is cut between two code points and ends in {@link #CUT}.
 * The result for one text is always the same and is not changed by another run, so that a report
 * that repeats a text equals the known text. {@link #isKept} finds that out where the text lies,
 * without creating anything.
 */
public final class SafeText {

    /** Last character of a text that was cut. */
    public static final char CUT = '…';

    private static final int REPLACEMENT = 0xfffd;

    /** A code unit that is left out. */
    private static final int DROPPED = -1;

    /** A surrogate pair that is left out. */
    private static final int DROPPED_PAIR = -2;

    private SafeText() {}

    /** The text as it may be kept; the same instance when there is nothing to change. */
    public static String of(String text, int limit) {
        int length = text.length();
        boolean safe = length <= limit;
        for (int i = 0; safe && i < length; i++) {
            safe = isPlain(text.charAt(i)) || isSafePair(text, i);
            if (safe && Character.isHighSurrogate(text.charAt(i))) {
                i++;
            }
        }
        return safe ? text : of(text.toCharArray(), 0, length, limit);
    }

    /** Whether a text is safe: cleaning would not change it. */
    public static boolean isSafe(String text) {
        return of(text, text.length()).equals(text);
    }

    private static boolean isSafePair(String text, int at) {
        return at + 1 < text.length()
                && Character.isSurrogatePair(text.charAt(at), text.charAt(at + 1))
                && !isTag(Character.toCodePoint(text.charAt(at), text.charAt(at + 1)));
    }

    /** The part of a buffer as a text that may be kept. */
    public static String of(char[] text, int from, int to, int limit) {
        if (isSafe(text, from, to, limit)) {
            return new String(text, from, to - from);
        }
        char[] clean = new char[Math.min(to - from, limit)];
        int length = clean(text, from, to, clean, 0, limit);
        return new String(clean, 0, length);
    }

    /** Whether a part of a buffer may be kept as it is. */
    public static boolean isSafe(char[] text, int from, int to, int limit) {
        if (to - from > limit) {
            return false;
        }
        for (int i = from; i < to; i++) {
            char c = text[i];
            if (!isPlain(c)) {
                int point = pointAt(text, i, to);
                if (point < 0 || !Character.isSupplementaryCodePoint(point)) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /**
     * Writes the part of a buffer into another one as it may be kept.
     *
     * @param into has room for {@code min(to − from, limit)} characters from {@code at} on
     * @return the position behind the last character written
     */
    public static int clean(char[] text, int from, int to, char[] into, int at, int limit) {
        int out = at;
        int i = from;
        while (i < to) {
            int point = pointAt(text, i, to);
            i += width(point);
            if (point < 0) {
                continue;
            }
            int units = Character.charCount(point);
            if (out - at + units > limit) {
                return cut(into, at, out, limit);
            }
            out += Character.toChars(point, into, out);
        }
        return out;
    }

    /** Makes room for the mark at the end of a text that has become too long. */
    private static int cut(char[] into, int at, int out, int limit) {
        int end = Math.min(out, at + limit - 1);
        if (end > at && end < out && Character.isHighSurrogate(into[end - 1])) {
            end--;
        }
        into[end] = CUT;
        return end + 1;
    }

    /**
     * Whether the part of a buffer, as it may be kept, is a known text. Creates nothing, and reads
     * no further than the limit requests.
     */
    public static boolean isKept(char[] text, int from, int to, int limit, String known) {
        boolean tooLong = exceeds(text, from, to, limit);
        int length = known.length();
        int whole = tooLong ? length - 1 : length;
        if (length > limit || (tooLong && (whole < 0 || known.charAt(whole) != CUT))) {
            return false;
        }
        int out = 0;
        int i = from;
        while (i < to && out < whole) {
            int point = pointAt(text, i, to);
            i += width(point);
            if (point >= 0) {
                if (!holds(known, out, point)) {
                    return false;
                }
                out += Character.charCount(point);
            }
        }
        if (!tooLong) {
            return out == length && !exceeds(text, i, to, 0);
        }
        // One character less than there is room for, where a pair did not fit.
        return out == limit - 1 || (out == limit - 2 && nextIsPair(text, i, to));
    }

    private static boolean nextIsPair(char[] text, int from, int to) {
        for (int i = from; i < to; ) {
            int point = pointAt(text, i, to);
            if (point >= 0) {
                return Character.isSupplementaryCodePoint(point);
            }
            i += width(point);
        }
        return false;
    }

    private static boolean holds(String known, int at, int point) {
        int units = Character.charCount(point);
        if (at + units > known.length()) {
            return false;
        }
        return units == 1
                ? known.charAt(at) == point
                : known.charAt(at) == Character.highSurrogate(point)
                        && known.charAt(at + 1) == Character.lowSurrogate(point);
    }

    /** Whether more than this number of characters of the rest may be kept. */
    private static boolean exceeds(char[] text, int from, int to, int room) {
        int kept = 0;
        for (int i = from; i < to && kept <= room; ) {
            int point = pointAt(text, i, to);
            kept += point < 0 ? 0 : Character.charCount(point);
            i += width(point);
        }
        return kept > room;
    }

    private static int width(int point) {
        return point == DROPPED_PAIR || Character.isSupplementaryCodePoint(point) ? 2 : 1;
    }

    /** Kept form of the code point at a position. */
    private static int pointAt(char[] text, int at, int to) {
        char c = text[at];
        if (isPlain(c)) {
            return c;
        }
        if (Character.isSurrogate(c)) {
            if (at + 1 < to && Character.isSurrogatePair(c, text[at + 1])) {
                int point = Character.toCodePoint(c, text[at + 1]);
                return isTag(point) ? DROPPED_PAIR : point;
            }
            return REPLACEMENT;
        }
        if (c == 0) {
            return DROPPED;
        }
        if (c < 0xa0 || c == 0x2028 || c == 0x2029) {
            return ' ';
        }
        return c >= 0xfffe ? REPLACEMENT : DROPPED;
    }

    /** A character of the basic plane that is kept as it is. */
    private static boolean isPlain(char c) {
        if (c < 0xad) {
            return c >= ' ' && (c < 0x7f || c >= 0xa0);
        }
        return switch (c) {
            case 0xad, 0x61c, 0x180e, 0xfeff -> false;
            default ->
                    c < 0x200b
                            || (c > 0x200f && c < 0x2028)
                            || (c > 0x202e && c < 0x2060)
                            || (c > 0x206f && c < Character.MIN_SURROGATE)
                            || (c > Character.MAX_SURROGATE && c < 0xfff9)
                            || c == 0xfffc
                            || c == 0xfffd;
        };
    }

    /** Tags, U+E0000 to U+E007F: a second, invisible alphabet. */
    private static boolean isTag(int point) {
        return point >= 0xe0000 && point <= 0xe007f;
    }
}
