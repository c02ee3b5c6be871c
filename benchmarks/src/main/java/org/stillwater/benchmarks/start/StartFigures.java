package org.stillwater.benchmarks.start;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Figures of one start.
 *
 * @param servedSeconds from the start of the JVM until a page of VMs was answered, every VM counted
 * @param cpuSeconds processor time that the engine had taken by then, all threads
 * @param loadStatements statements by which memory was loaded
 * @param attempts how the engine went about its hosts afterwards
 */
record StartFigures(
        double servedSeconds, double cpuSeconds, double loadStatements, Attempts attempts) {

    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private record Row(String name, String format, ToDoubleFunction<StartFigures> figure) {}

    private static final List<Row> ROWS =
            List.of(
                    new Row(
                            "JVM start to first page of VMs, s",
                            "%.1f",
                            StartFigures::servedSeconds),
                    new Row("CPU until then, s", "%.1f", StartFigures::cpuSeconds),
                    new Row("statements to load", "%.0f", StartFigures::loadStatements),
                    new Row("attempts to connect", "%.0f", start -> start.attempts().count()),
                    new Row(
                            "most within 1 s",
                            "%.0f",
                            start -> start.attempts().mostWithin(SECOND)),
                    new Row(
                            "most within 100 ms",
                            "%.0f",
                            start -> start.attempts().mostWithin(MOMENT)),
                    new Row(
                            "most open at the same time",
                            "%.0f",
                            start -> start.attempts().mostOpen()));

    /** The median of all starts, with the least and the most where there are more. */
    static String table(List<StartFigures> starts) {
        StringBuilder table = new StringBuilder();
        for (Row row : ROWS) {
            double[] values = starts.stream().mapToDouble(row.figure()).sorted().toArray();
            table.append(String.format(Locale.ROOT, "%-36s", row.name()))
                    .append(number(row, values[values.length / 2]));
            if (values.length > 1) {
                table.append(" (")
                        .append(number(row, Arrays.stream(values).min().orElseThrow()))
                        .append('–')
                        .append(number(row, Arrays.stream(values).max().orElseThrow()))
                        .append(')');
            }
            table.append('\n');
        }
        return table.toString();
    }

    private static String number(Row row, double value) {
        return String.format(Locale.ROOT, row.format(), value);
    }
}
