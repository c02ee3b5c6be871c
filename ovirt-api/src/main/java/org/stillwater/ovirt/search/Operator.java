package org.stillwater.ovirt.search;

import org.jspecify.annotations.Nullable;

/** How a field is compared with a value. The longer symbols stand first. */
enum Operator {
    NOT_EQUAL("!="),
    AT_MOST("<="),
    AT_LEAST(">="),
    EQUAL("="),
    LESS("<"),
    GREATER(">");

    private static final Operator[] ALL = values();

    private final String symbol;

    Operator(String symbol) {
        this.symbol = symbol;
    }

    String symbol() {
        return symbol;
    }

    /** The operator that begins at an offset of a text, if any. */
    static @Nullable Operator at(String text, int from) {
        for (Operator each : ALL) {
            if (text.startsWith(each.symbol, from)) {
                return each;
            }
        }
        return null;
    }

    boolean isEquality() {
        return this == EQUAL || this == NOT_EQUAL;
    }

    /**
     * Whether a value stands in this relation.
     *
     * @param sign the sign of the value less the compared one
     */
    boolean holds(int sign) {
        return switch (this) {
            case EQUAL -> sign == 0;
            case NOT_EQUAL -> sign != 0;
            case LESS -> sign < 0;
            case GREATER -> sign > 0;
            case AT_MOST -> sign <= 0;
            case AT_LEAST -> sign >= 0;
        };
    }
}
