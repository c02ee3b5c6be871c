package org.stillwater.core.alert;

import java.util.Locale;
import org.stillwater.core.history.HistoryMetric;

/** Condition of a rule. {@code toString} is the expression that {@link AlertExpression} reads. */
public sealed interface AlertCondition {

    /** Kind of object that the condition examines. */
    AlertSubject.Kind kind();

    /** A metric is beyond a limit. */
    record Threshold(HistoryMetric metric, Comparison comparison, double limit)
            implements AlertCondition {

        @Override
        public AlertSubject.Kind kind() {
            return AlertSubject.Kind.of(metric.subject());
        }

        @Override
        public String toString() {
            return name(metric) + " " + comparison.sign() + " " + AlertCondition.number(limit);
        }
    }

    /** A number that the search for regressions measures is beyond a limit. */
    record Measured(SeriesMeasure measure, Comparison comparison, double limit)
            implements AlertCondition {

        @Override
        public AlertSubject.Kind kind() {
            return measure.kind();
        }

        @Override
        public String toString() {
            return measure.label() + " " + comparison.sign() + " " + AlertCondition.number(limit);
        }
    }

    /** A metric has no value. */
    record Absence(HistoryMetric metric) implements AlertCondition {

        @Override
        public AlertSubject.Kind kind() {
            return AlertSubject.Kind.of(metric.subject());
        }

        @Override
        public String toString() {
            return "absent(" + name(metric) + ")";
        }
    }

    /**
     * A change point: a regression lasts.
     *
     * @param level kind of the object that became slower; {@code any} for all kinds
     * @param leastPercent size of the change, without its sign
     */
    record ChangePoint(String level, double leastPercent) implements AlertCondition {

        /** All kinds of objects. */
        public static final String ANY = "any";

        @Override
        public AlertSubject.Kind kind() {
            return AlertSubject.Kind.FINDING;
        }

        @Override
        public String toString() {
            return "regression(" + level + ") >= " + AlertCondition.number(leastPercent);
        }
    }

    /** How a value is compared with a limit. */
    enum Comparison {
        ABOVE(">"),
        AT_LEAST(">="),
        BELOW("<"),
        AT_MOST("<=");

        private final String sign;

        Comparison(String sign) {
            this.sign = sign;
        }

        /** The sign in expressions. */
        public String sign() {
            return sign;
        }

        boolean holds(double value, double limit) {
            return switch (this) {
                case ABOVE -> value > limit;
                case AT_LEAST -> value >= limit;
                case BELOW -> value < limit;
                case AT_MOST -> value <= limit;
            };
        }
    }

    private static String name(HistoryMetric metric) {
        return metric.subject().name().toLowerCase(Locale.ROOT) + "." + metric.label();
    }

    private static String number(double value) {
        return Math.rint(value) == value && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
