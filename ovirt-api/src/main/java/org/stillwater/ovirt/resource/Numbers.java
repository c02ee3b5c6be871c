package org.stillwater.ovirt.resource;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Statistic.Value;

/** Values of statistics. */
final class Numbers {

    private static final String ITEM = "value";
    private static final Listing<Value> NONE = Listing.of(ITEM, List.of());
    private static final Listing<Value> ZERO = of(0L);
    private static final int DIGITS = 2;

    /** Whole numbers below it have a double each. */
    private static final double EXACT = 1L << 53;

    private Numbers() {}

    static Listing<Value> none() {
        return NONE;
    }

    static Listing<Value> of(long value) {
        return Listing.of(ITEM, List.of(new Value(BigDecimal.valueOf(value), null)));
    }

    /** None for a null. */
    static Listing<Value> of(@Nullable Number value) {
        return switch (value) {
            case null -> NONE;
            case Double number -> of(number.doubleValue());
            default -> of(value.longValue());
        };
    }

    /** None for a value that is no number; two decimals at most. */
    static Listing<Value> of(double value) {
        return of(value, DIGITS);
    }

    /** None for a value that is no number. */
    static Listing<Value> of(double value, int digits) {
        return Double.isFinite(value)
                ? Listing.of(ITEM, List.of(new Value(decimal(value, digits), null)))
                : NONE;
    }

    static BigDecimal decimal(double value, int digits) {
        long whole = (long) value;
        if (whole == value && Math.abs(whole) < EXACT) {
            return BigDecimal.valueOf(whole); // as most are
        }
        BigDecimal rounded =
                BigDecimal.valueOf(value)
                        .setScale(digits, RoundingMode.HALF_UP)
                        .stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0, RoundingMode.UNNECESSARY) : rounded;
    }

    /** A value always: zero where there is none (rule 16). */
    static Listing<Value> orZero(Listing<Value> values) {
        return values.items().isEmpty() ? ZERO : values;
    }

    static Listing<Value> text(@Nullable String text) {
        return text == null ? NONE : Listing.of(ITEM, List.of(new Value(null, text)));
    }

    /** The newest first, of samples in their order. */
    static Listing<Value> newestFirst(List<Integer> samples) {
        if (samples.isEmpty()) {
            return NONE;
        }
        List<Value> values = new ArrayList<>(samples.size());
        for (int i = samples.size() - 1; i >= 0; i--) {
            values.add(new Value(BigDecimal.valueOf(samples.get(i)), null));
        }
        return Listing.of(ITEM, values);
    }
}
