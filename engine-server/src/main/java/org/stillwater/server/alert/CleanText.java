package org.stillwater.server.alert;

/**
 * Texts of users, guests and servers as parts of one line: no control character reaches a header or
 * begins a line, no invisible one turns the direction of writing. Stateless.
 */
final class CleanText {

    private static final int MOST = 500;

    private CleanText() {}

    /** A text of usual length. */
    static String line(String text) {
        return line(text, MOST);
    }

    /**
     * A text without control characters and line ends.
     *
     * @param most characters at most; a cut is marked
     */
    static String line(String text, int most) {
        StringBuilder clean = new StringBuilder(Math.min(text.length(), most));
        int count = 0;
        for (int i = 0; i < text.length() && count < most; count++) {
            int each = text.codePointAt(i);
            i += Character.charCount(each);
            if (count == most - 1 && i < text.length()) {
                clean.append('…');
            } else {
                clean.appendCodePoint(isPlain(each) ? each : ' ');
            }
        }
        return clean.toString().strip();
    }

    private static boolean isPlain(int each) {
        return switch (Character.getType(each)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED ->
                    false;
            default -> true;
        };
    }
}
