package org.stillwater.benchmarks.xapi;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One figure.
 *
 * @param section that made it
 * @param what name of the measurement
 * @param unit of the value
 * @param value the figure
 * @param target greatest allowed value; null for none
 * @param peer the same of npm's xen-api in the same run; null if it has none, or was left out
 */
record Measure(
        XapiSection section,
        String what,
        String unit,
        double value,
        @Nullable Double target,
        @Nullable Double peer) {

    /** Without a peer. */
    static Measure of(
            XapiSection section, String what, String unit, double value, @Nullable Double target) {
        return new Measure(section, what, unit, value, target, null);
    }

    Measure beside(@Nullable Double other) {
        return new Measure(section, what, unit, value, target, other);
    }

    /** Whether the target is reached; null without one. */
    @Nullable Boolean reached() {
        return target == null ? null : value <= target;
    }

    /** How many times the peer's value is larger; null without a peer. */
    @Nullable Double ratio() {
        return peer == null || value <= 0 ? null : peer / value;
    }

    /** Verdict on the target: empty, reached, or the amount by which it is missed. */
    String verdict() {
        if (target == null) {
            return "";
        }
        if (value <= target) {
            return "reached";
        }
        if (Double.isNaN(value)) {
            return "not measured";
        }
        String times =
                target > 0 ? String.format(Locale.ROOT, " (%.1f times)", value / target) : "";
        return "missed by " + number(value - target) + (unit.isEmpty() ? "" : " " + unit) + times;
    }

    /** One line of the table. */
    String line() {
        Double factor = ratio();
        return String.format(
                        Locale.ROOT,
                        "%-8s  %-94s  %10s %-10s  %8s  %10s  %7s  %s",
                        section.word(),
                        what,
                        number(value),
                        unit,
                        target == null ? "" : number(target),
                        peer == null ? "" : number(peer),
                        factor == null ? "" : number(factor),
                        verdict())
                .stripTrailing();
    }

    /** The heading of such lines. */
    static String heading() {
        return String.format(
                        Locale.ROOT,
                        "%-8s  %-94s  %10s %-10s  %8s  %10s  %7s",
                        "section",
                        "measure",
                        "value",
                        "unit",
                        "target",
                        "xen-api",
                        "ratio")
                .stripTrailing();
    }

    static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e6) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        return String.format(Locale.ROOT, Math.abs(value) < 10 ? "%.2f" : "%.1f", value);
    }
}
