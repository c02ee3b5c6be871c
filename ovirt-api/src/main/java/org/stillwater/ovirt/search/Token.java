package org.stillwater.ovirt.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A piece of a query: an operator, or a word. */
sealed interface Token {

    /** One of the six comparisons. */
    record Op(Operator operator) implements Token {}

    /**
     * Text between blanks or quotes.
     *
     * @param text without its quotes
     * @param quoted whether it had them, and so is no key word
     */
    record Word(String text, boolean quoted) implements Token {

        boolean is(String keyWord) {
            return !quoted && text.toLowerCase(Locale.ROOT).equals(keyWord);
        }
    }

    /**
     * Splits a query. The value after an operator extends to the next blank, so that a value may
     * hold any character that is not forbidden.
     */
    static List<Token> split(String query) throws Malformed {
        List<Token> tokens = new ArrayList<>();
        boolean value = false;
        int at = 0;
        while (at < query.length()) {
            char c = query.charAt(at);
            if (isBlank(c)) {
                at++;
                continue;
            }
            if (c == '"') {
                int end = query.indexOf('"', at + 1);
                if (end < 0) {
                    throw new Malformed("a quote is not closed");
                }
                tokens.add(new Word(checked(query.substring(at + 1, end)), true));
                value = false;
                at = end + 1;
                continue;
            }
            Operator operator = value ? null : Operator.at(query, at);
            if (operator != null) {
                tokens.add(new Op(operator));
                value = true;
                at += operator.symbol().length();
                continue;
            }
            int end = at;
            while (end < query.length() && !endsWord(query, end, value)) {
                end++;
            }
            tokens.add(new Word(checked(query.substring(at, end)), false));
            value = false;
            at = end;
        }
        return tokens;
    }

    private static boolean endsWord(String query, int at, boolean value) {
        char c = query.charAt(at);
        return isBlank(c) || c == '"' || (!value && Operator.at(query, at) != null);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    }

    private static String checked(String text) throws Malformed {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'' || c == ';' || Character.isISOControl(c)) {
                throw new Malformed("a character is not allowed");
            }
        }
        return text;
    }
}
