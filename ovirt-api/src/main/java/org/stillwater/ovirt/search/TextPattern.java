package org.stillwater.ovirt.search;

import java.util.ArrayList;
import java.util.List;

/**
 * A text with {@code *} for any characters, {@code _} being itself. Matching looks for the literal
 * pieces from left to right and never steps back over a piece found, so its time is at most the
 * product of both lengths, for any pattern.
 */
final class TextPattern {

    private final List<String> pieces;
    private final boolean ignoreCase;
    private final boolean anchored;

    private TextPattern(String pattern, boolean caseSensitive, boolean anchored) {
        pieces = pieces(pattern);
        ignoreCase = !caseSensitive;
        this.anchored = anchored;
    }

    /** Matches the whole of a text. */
    static TextPattern whole(String pattern, boolean caseSensitive) {
        return new TextPattern(pattern, caseSensitive, true);
    }

    /** Matches a part of a text. */
    static TextPattern within(String pattern, boolean caseSensitive) {
        return new TextPattern(pattern, caseSensitive, false);
    }

    /** The first and the last piece may be empty: a wildcard stands there. */
    private static List<String> pieces(String pattern) {
        List<String> pieces = new ArrayList<>();
        int from = 0;
        for (int star = pattern.indexOf('*'); star >= 0; star = pattern.indexOf('*', from)) {
            pieces.add(pattern.substring(from, star));
            from = star + 1;
        }
        pieces.add(pattern.substring(from));
        return List.copyOf(pieces);
    }

    boolean matches(String text) {
        if (!anchored) {
            return holdsAll(pieces, text, 0, text.length());
        }
        String first = pieces.getFirst();
        String last = pieces.getLast();
        if (pieces.size() == 1) {
            return text.length() == first.length() && isAt(text, 0, first);
        }
        int end = text.length() - last.length();
        return end >= first.length()
                && isAt(text, 0, first)
                && isAt(text, end, last)
                && holdsAll(pieces.subList(1, pieces.size() - 1), text, first.length(), end);
    }

    private boolean holdsAll(List<String> wanted, String text, int from, int end) {
        int at = from;
        for (String piece : wanted) {
            int found = find(text, piece, at, end);
            if (found < 0) {
                return false;
            }
            at = found + piece.length();
        }
        return true;
    }

    private int find(String text, String piece, int from, int end) {
        if (!ignoreCase) {
            int found = text.indexOf(piece, from);
            return found >= 0 && found + piece.length() <= end ? found : -1;
        }
        for (int at = from; at + piece.length() <= end; at++) {
            if (isAt(text, at, piece)) {
                return at;
            }
        }
        return -1;
    }

    private boolean isAt(String text, int at, String piece) {
        return text.regionMatches(ignoreCase, at, piece, 0, piece.length());
    }
}
