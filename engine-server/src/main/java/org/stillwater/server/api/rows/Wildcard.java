package org.stillwater.server.api.rows;

import org.stillwater.server.api.web.ApiException;

/**
 * A part of a text, or the whole of it where {@code *} stands for anything and {@code ?} for any
 * one character; case is ignored. Takes at most time in proportion to both lengths, and makes
 * nothing. Immutable.
 */
public final class Wildcard {

    private static final int LONGEST = 255;

    private final String pattern;

    public Wildcard(String name, String text) {
        if (text.length() > LONGEST) {
            throw ApiException.badRequest(name + " has at most " + LONGEST + " characters");
        }
        boolean wild = text.indexOf('*') >= 0 || text.indexOf('?') >= 0;
        StringBuilder lower = new StringBuilder(wild ? text : "*" + text + "*");
        for (int i = 0; i < lower.length(); i++) {
            lower.setCharAt(i, folded(lower.charAt(i)));
        }
        this.pattern = lower.toString();
    }

    private static char folded(char c) {
        return Character.toLowerCase(Character.toUpperCase(c));
    }

    public boolean matches(String text) {
        int at = 0;
        int in = 0;
        int star = -1;
        int from = 0;
        while (at < text.length()) {
            char wanted = in < pattern.length() ? pattern.charAt(in) : 0;
            if (in < pattern.length() && wanted == '*') {
                star = in++;
                from = at;
            } else if (in < pattern.length()
                    && (wanted == '?' || wanted == folded(text.charAt(at)))) {
                in++;
                at++;
            } else if (star >= 0) {
                in = star + 1;
                at = ++from;
            } else {
                return false;
            }
        }
        while (in < pattern.length() && pattern.charAt(in) == '*') {
            in++;
        }
        return in == pattern.length();
    }
}
