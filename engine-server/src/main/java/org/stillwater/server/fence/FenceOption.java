package org.stillwater.server.fence;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Values that an option of a fence agent takes. Agents put several of these values into the command
 * lines of {@code ssh}, {@code ipmitool} and {@code telnet} as they are, so that a blank, a quote
 * or a leading {@code -} would be another option of that program.
 *
 * @param kind kind of its values
 * @param choices the only values of a {@link Kind#CHOICE}; empty for every other kind
 */
record FenceOption(Kind kind, List<String> choices) {

    /** Longest value, in characters. */
    private static final int LONGEST = 255;

    /**
     * Longest pause that an option may set for an agent, in seconds: longest time limit of a call.
     */
    private static final int LONGEST_SECONDS = 300;

    private static final int LARGEST_NUMBER = 65_535;

    private static final Pattern FLAG = Pattern.compile("(?i)1|0|yes|no|on|off|true|false");
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,6}");
    private static final Pattern WORD =
            Pattern.compile("[A-Za-z0-9_.:/@+=,%#][A-Za-z0-9_.:/@+=,%#-]*");
    private static final Pattern PROMPT =
            Pattern.compile("[A-Za-z0-9_.:/@+=,%#>$][A-Za-z0-9_.:/@+=,%#>$-]*");
    private static final Pattern HEX = Pattern.compile("[0-9A-Fa-f]+");
    private static final Pattern SECRET = Pattern.compile("(?!-)[!#-&(-\\[\\]-~]+");

    FenceOption {
        choices = List.copyOf(choices);
    }

    /** Kind of values that an option takes. */
    enum Kind {
        /** 1, 0, yes, no, on, off, true or false. */
        FLAG,
        /** A whole number up to 65 535. */
        NUMBER,
        /** Whole seconds up to 300. */
        SECONDS,
        /** One of a few values. */
        CHOICE,
        /** Letters, digits and {@code _ . : / @ + = , % # -}, of which {@code -} is not first. */
        WORD,
        /** A word that may hold {@code >} and {@code $}: the prompt of a management board. */
        PROMPT,
        /** Hexadecimal digits that are never shown. */
        HEX,
        /** Printable ASCII without blanks, quotes and backslashes that is never shown. */
        SECRET
    }

    static FenceOption of(Kind kind) {
        return new FenceOption(kind, List.of());
    }

    /** Whether its value is never shown. */
    boolean secret() {
        return kind == Kind.SECRET || kind == Kind.HEX;
    }

    /** Values that it takes, for people; null if the value is fine. */
    @Nullable String refusal(String value) {
        return value.length() <= LONGEST && fits(value) ? null : expected();
    }

    private boolean fits(String value) {
        return switch (kind) {
            case FLAG -> FLAG.matcher(value).matches();
            case NUMBER -> upTo(LARGEST_NUMBER, value);
            case SECONDS -> upTo(LONGEST_SECONDS, value);
            case CHOICE -> choices.contains(value);
            case WORD -> WORD.matcher(value).matches();
            case PROMPT -> PROMPT.matcher(value).matches();
            case HEX -> HEX.matcher(value).matches();
            case SECRET -> SECRET.matcher(value).matches();
        };
    }

    private static boolean upTo(int most, String value) {
        return DIGITS.matcher(value).matches() && Integer.parseInt(value) <= most;
    }

    /** Values that it takes, for people. */
    String expected() {
        return switch (kind) {
            case FLAG -> "1 or 0";
            case NUMBER -> "a whole number up to " + LARGEST_NUMBER;
            case SECONDS -> "whole seconds up to " + LONGEST_SECONDS;
            case CHOICE -> "one of " + String.join(", ", choices);
            case WORD -> "letters, digits and _ . : / @ + = , % # - (not first)";
            case PROMPT -> "letters, digits and _ . : / @ + = , % # > $ - (not first)";
            case HEX -> "hexadecimal digits";
            case SECRET -> "printable ASCII without blanks, quotes and backslashes";
        };
    }
}
