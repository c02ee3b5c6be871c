package org.stillwater.core.id;

/** Parsing of the canonical UUID text form without intermediate strings. */
final class Uuids {

    private static final int TEXT_LENGTH = 36;

    private Uuids() {}

    /** Parses into {@code bits[0]} (upper) and {@code bits[1]} (lower). */
    static void parse(CharSequence text, long[] bits) {
        if (text.length() != TEXT_LENGTH) {
            throw notAUuid(text);
        }
        long upper = 0;
        long lower = 0;
        int digits = 0;
        for (int i = 0; i < TEXT_LENGTH; i++) {
            char c = text.charAt(i);
            if (i == 8 || i == 13 || i == 18 || i == 23) {
                if (c != '-') {
                    throw notAUuid(text);
                }
                continue;
            }
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw notAUuid(text);
            }
            if (digits < 16) {
                upper = (upper << 4) | digit;
            } else {
                lower = (lower << 4) | digit;
            }
            digits++;
        }
        bits[0] = upper;
        bits[1] = lower;
    }

    private static IllegalArgumentException notAUuid(CharSequence text) {
        String shown = text.length() > 64 ? text.subSequence(0, 64) + "…" : text.toString();
        return new IllegalArgumentException("not a UUID: '" + shown + "'");
    }
}
