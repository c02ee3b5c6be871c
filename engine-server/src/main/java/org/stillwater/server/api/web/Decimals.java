package org.stillwater.server.api.web;

import java.nio.charset.StandardCharsets;

/**
 * Writes numbers in plain decimals. Nearly all with decimals that hosts report have nine of them at
 * most (a latency is whole nanoseconds), and are written digit by digit; the JDK writes all other
 * numbers. Either way it is the shortest number that reads back as the same double: of two decimals
 * with at most 15 digits no double is nearest to both. Thread-safe.
 */
final class Decimals {

    private static final int PLACES = 9;
    private static final long SCALE = 1_000_000_000;

    /** 15 digits: doubles distinguish all such numbers (IEEE 754 binary64). */
    private static final double LARGEST = 1e15;

    private Decimals() {}

    /**
     * Writes a number with one decimal at least; very large and very small ones with an exponent.
     *
     * @param into has room for 25 bytes
     * @param at where it begins
     * @param value finite
     * @return where it ends
     */
    static int put(byte[] into, int at, double value) {
        double scaled = Math.rint(value * SCALE);
        if (!(Math.abs(scaled) < LARGEST) || scaled / SCALE != value || isNegativeZero(value)) {
            return put(into, at, Double.toString(value));
        }
        int end = at;
        if (value < 0) {
            into[end++] = '-';
        }
        long billionths = Math.abs((long) scaled);
        long whole = billionths / SCALE;
        int decimals = (int) (billionths - whole * SCALE);
        end = putWhole(into, end, whole);
        into[end++] = '.';
        int places = PLACES;
        if (decimals == 0) {
            places = 1;
        } else {
            while (decimals % 10 == 0) {
                decimals /= 10;
                places--;
            }
        }
        for (int i = end + places - 1; i >= end; i--) {
            into[i] = (byte) ('0' + decimals % 10);
            decimals /= 10;
        }
        return end + places;
    }

    /**
     * Writes a whole number.
     *
     * @param into has room for 20 bytes
     * @return where it ends
     */
    static int putWhole(byte[] into, int at, long value) {
        if (value == Long.MIN_VALUE) {
            return put(into, at, Long.toString(value)); // it has no absolute value
        }
        int begin = at;
        long left = value;
        if (value < 0) {
            into[begin++] = '-';
            left = -value;
        }
        int end = begin + 1;
        for (long power = 10; end < begin + 19 && left >= power; power *= 10) {
            end++;
        }
        for (int i = end - 1; i >= begin; i--) {
            long tenth = left / 10;
            into[i] = (byte) ('0' + (left - 10 * tenth));
            left = tenth;
        }
        return end;
    }

    private static int put(byte[] into, int at, String text) {
        byte[] digits = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, into, at, digits.length);
        return at + digits.length;
    }

    private static boolean isNegativeZero(double value) {
        return value == 0 && Double.doubleToRawLongBits(value) != 0;
    }
}
