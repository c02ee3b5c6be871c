package org.stillwater.ovirt.search;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Locale;

/** Values of a query that are no texts, as they are written. */
final class Values {

    private static final int LONGEST_NUMBER = 40;
    private static final int MOST_EXPONENT = 400;

    private Values() {}

    static BigDecimal number(String text) throws Malformed {
        String stripped = text.strip();
        if (stripped.endsWith("%")) {
            stripped = stripped.substring(0, stripped.length() - 1);
        }
        if (stripped.length() <= LONGEST_NUMBER) {
            try {
                BigDecimal number = new BigDecimal(stripped);
                if (Math.abs((long) number.scale()) <= MOST_EXPONENT) {
                    return number;
                }
            } catch (NumberFormatException _) {
                // reported below
            }
        }
        throw new Malformed("no number");
    }

    /** The sign of a number less another. Not-a-number and the infinities stand at the ends. */
    static int compare(Number number, BigDecimal with) {
        return switch (number) {
            case BigDecimal decimal -> decimal.compareTo(with);
            case BigInteger integer -> new BigDecimal(integer).compareTo(with);
            case Double value -> ofDouble(value, with);
            case Float value -> ofDouble(value.doubleValue(), with);
            default -> BigDecimal.valueOf(number.longValue()).compareTo(with);
        };
    }

    private static int ofDouble(double value, BigDecimal with) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return value > 0 ? 1 : -1;
        }
        return new BigDecimal(value).compareTo(with);
    }

    /** A length of time: a number of s, or of a unit that follows it ({@code ms s m h d w}). */
    static Duration span(String text) throws Malformed {
        String stripped = text.strip().toLowerCase(Locale.ROOT);
        int digits = 0;
        while (digits < stripped.length() && isDigit(stripped.charAt(digits))) {
            digits++;
        }
        if (digits == 0 || digits > LONGEST_NUMBER) {
            throw new Malformed("no length of time");
        }
        try {
            long number = Long.parseLong(stripped, 0, digits, 10);
            return switch (stripped.substring(digits).strip()) {
                case "ms" -> Duration.ofMillis(number);
                case "", "s" -> Duration.ofSeconds(number);
                case "m", "min" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                case "d" -> Duration.ofDays(number);
                case "w" -> Duration.ofDays(Math.multiplyExact(number, 7));
                default -> throw new Malformed("no unit of time");
            };
        } catch (NumberFormatException | ArithmeticException _) {
            throw new Malformed("no length of time that can be counted");
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static Boolean flag(String text) throws Malformed {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "true", "t", "yes", "y", "1" -> true;
            case "false", "f", "no", "n", "0" -> false;
            default -> throw new Malformed("neither true nor false");
        };
    }
}
