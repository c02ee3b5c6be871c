package org.stillwater.benchmarks.xapi;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One figure of the engine with pools.
 *
 * @param part of the run that made it
 * @param what was measured
 * @param unit of the value
 * @param value the figure
 * @param target what it must not exceed; null for none
 */
public record Measure(
        String part, String what, String unit, double value, @Nullable Double target) {

    /** One line of the table. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%-8s  %-66s  %10.2f %-3s  %s",
                part,
                what,
                value,
                unit,
                target == null
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                "target %.1f: %s",
                                target,
                                value <= target ? "reached" : "missed"));
    }
}
