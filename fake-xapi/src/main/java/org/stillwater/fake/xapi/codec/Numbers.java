package org.stillwater.fake.xapi.codec;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Floating-point numbers in the format of the C library, which OCaml uses. */
public final class Numbers {

    private Numbers() {}

    /** {@code %.<digits>g}. */
    public static String g(double value, int digits) {
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        BigDecimal rounded =
                new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        BigDecimal stripped = rounded.stripTrailingZeros();
        if (exponent >= -4 && exponent < digits) {
            return stripped.toPlainString();
        }
        String figures = stripped.unscaledValue().abs().toString();
        return (value < 0 ? "-" : "")
                + figures.charAt(0)
                + (figures.length() > 1 ? "." + figures.substring(1) : "")
                + (exponent < 0 ? "e-" : "e+")
                + (Math.abs(exponent) < 10 ? "0" : "")
                + Math.abs(exponent);
    }

    /** A float in XML-RPC, all servers. */
    static String xml(double value) {
        return Double.isFinite(value) ? g(value, 16) : word(value, "nan", "inf");
    }

    /** A float in JSON since 2018. */
    static String json(double value) {
        if (!Double.isFinite(value)) {
            return word(value, "NaN", "Infinity");
        }
        String text = g(value, 16);
        if (Double.parseDouble(text) != value) {
            text = g(value, 17);
        }
        return text.matches("-?\\d+") ? text + ".0" : text;
    }

    /** A float in JSON before 2018: six decimals, smaller ones are lost. */
    static String oldJson(double value) {
        return Double.isFinite(value)
                ? String.format(Locale.ROOT, "%.6f", new BigDecimal(value))
                        .replaceFirst("^(?=0\\.0*$)", 1 / value < 0 && value == 0 ? "-" : "")
                : word(value, "nan", "inf");
    }

    /** A value of {@code rrd_updates}. */
    public static String rrd(double value) {
        if (!Double.isFinite(value)) {
            return word(value, "NaN", "Infinity");
        }
        return value == 0 ? "0.0" : g(value, 15);
    }

    private static String word(double value, String nan, String infinity) {
        return Double.isNaN(value) ? nan : (value < 0 ? "-" : "") + infinity;
    }
}
