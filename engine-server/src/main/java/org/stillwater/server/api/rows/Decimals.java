package org.stillwater.server.api.rows;

import tools.jackson.core.JsonGenerator;

/**
 * Writes numbers with decimals. Nearly all that hosts report have nine decimals at most (a latency
 * is whole nanoseconds), and are written digit by digit; the JDK writes all other numbers. Either
 * way it is the shortest number that reads back as the same double: of two decimals with at most 15
 * digits no double is nearest to both. Used by one thread.
 */
public final class Decimals {

    private static final int PLACES = 9;
    private static final double SCALE = 1e9;

    /** 15 digits: doubles distinguish all such numbers (IEEE 754 binary64). */
    private static final double LARGEST = 1e15;

    private static final int LONGEST = 24;

    private final char[] digits = new char[LONGEST];

    /**
     * Writes a number.
     *
     * @param value finite
     */
    public void write(JsonGenerator json, double value) {
        double scaled = Math.rint(value * SCALE);
        if (!(Math.abs(scaled) < LARGEST) || scaled / SCALE != value || isNegativeZero(value)) {
            json.writeNumber(value);
            return;
        }
        int from = layOut(Math.abs((long) scaled), value < 0);
        json.writeNumber(digits, from, LONGEST - from);
    }

    private static boolean isNegativeZero(double value) {
        return value == 0 && Double.doubleToRawLongBits(value) != 0;
    }

    /**
     * Lays digits out at the end of the buffer, with one decimal at least.
     *
     * @return where they begin
     */
    private int layOut(long billionths, boolean negative) {
        long left = billionths;
        int decimals = PLACES;
        while (decimals > 1 && left % 10 == 0) {
            left /= 10;
            decimals--;
        }
        int at = LONGEST;
        for (int i = 0; i < decimals; i++) {
            digits[--at] = (char) ('0' + left % 10);
            left /= 10;
        }
        digits[--at] = '.';
        do {
            digits[--at] = (char) ('0' + left % 10);
            left /= 10;
        } while (left > 0);
        if (negative) {
            digits[--at] = '-';
        }
        return at;
    }
}
