package org.stillwater.benchmarks.write;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.stillwater.benchmarks.write.WriteRun.Phase;

/** Table of a comparison of writers, for people. */
final class WriteTable {

    private record Row(String name, String format, ToDoubleFunction<PhaseFigures> figure) {}

    private static final List<Row> ROWS =
            List.of(
                    new Row("changed rows per second", "%.0f", PhaseFigures::rowsPerSecond),
                    new Row("commit latency p50, ms", "%.1f", phase -> phase.commit().p50()),
                    new Row("commit latency p99, ms", "%.1f", phase -> phase.commit().p99()),
                    new Row("commit latency max, ms", "%.1f", phase -> phase.commit().max()),
                    new Row("statements per row", "%.5f", PhaseFigures::statementsPerRow),
                    new Row("transactions per row", "%.5f", PhaseFigures::commitsPerRow),
                    new Row("WAL bytes per row", "%.0f", PhaseFigures::walBytesPerRow),
                    new Row("HOT updates, %", "%.1f", PhaseFigures::inPagePercent),
                    new Row("own CPU per row, µs", "%.1f", PhaseFigures::ownCpuMicrosPerRow),
                    new Row(
                            "PostgreSQL CPU per row, µs",
                            "%.1f",
                            PhaseFigures::databaseCpuMicrosPerRow));

    private WriteTable() {}

    /** The median of the rounds of each phase, with the least and the most where there are more. */
    static String of(Map<Phase, List<PhaseFigures>> measured) {
        StringBuilder table = new StringBuilder("%-28s".formatted("median of the rounds"));
        for (Phase phase : Phase.values()) {
            table.append("%30s".formatted(phase.label()));
        }
        table.append("%20s%n".formatted("flat out : naive"));
        for (Row row : ROWS) {
            table.append("%-28s".formatted(row.name()));
            for (Phase phase : Phase.values()) {
                table.append("%30s".formatted(cell(row, measured.getOrDefault(phase, List.of()))));
            }
            double ours = median(row, measured.getOrDefault(Phase.FLAT_OUT, List.of()));
            double theirs = median(row, measured.getOrDefault(Phase.NAIVE, List.of()));
            table.append(String.format(Locale.ROOT, "%20.4f%n", ours / theirs));
        }
        return table.toString();
    }

    private static String cell(Row row, List<PhaseFigures> rounds) {
        double[] values = rounds.stream().mapToDouble(row.figure()).sorted().toArray();
        String middle = number(row, values[values.length / 2]);
        return values.length == 1
                ? middle
                : middle
                        + " ("
                        + number(row, values[0])
                        + "–"
                        + number(row, values[values.length - 1])
                        + ")";
    }

    private static double median(Row row, List<PhaseFigures> rounds) {
        double[] values = rounds.stream().mapToDouble(row.figure()).toArray();
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private static String number(Row row, double value) {
        return String.format(Locale.ROOT, row.format(), value);
    }
}
