package org.stillwater.core.alert;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.regression.SeriesOwner;

/**
 * Reads the expressions of rules. There are three forms:
 *
 * <pre>
 * vm.usageCpuPercent &gt; 90
 * absent(host.cpuLoad)
 * regression(storage-domain) &gt;= 20
 * </pre>
 *
 * Stateless.
 */
public final class AlertExpression {

    private static final int LONGEST = 200;

    private static final Pattern THRESHOLD =
            Pattern.compile("([A-Za-z.]{1,100})\\s*(>=|<=|>|<)\\s*(\\S{1,40})");
    private static final Pattern ABSENCE =
            Pattern.compile("absent\\(\\s*([A-Za-z.]{1,100})\\s*\\)");
    private static final Pattern REGRESSION =
            Pattern.compile("regression\\(\\s*([a-z-]{1,40})\\s*\\)(?:\\s*>=\\s*(\\S{1,40}))?");
    private static final Pattern DURATION_PART = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private static final List<String> LEVELS =
            List.of(
                    AlertCondition.ChangePoint.ANY,
                    SeriesOwner.DISK,
                    SeriesOwner.INTERFACE,
                    SeriesOwner.VM,
                    SeriesOwner.STORAGE_PATH,
                    SeriesOwner.HOST,
                    SeriesOwner.STORAGE_DOMAIN,
                    SeriesOwner.CLUSTER,
                    BenchmarkMatrix.CELL,
                    BenchmarkMatrix.OPERATION,
                    BenchmarkMatrix.RECORD_SIZE,
                    BenchmarkMatrix.ALL_CELLS);

    private static final Map<String, HistoryMetric> METRICS = metrics();

    private AlertExpression() {}

    private static Map<String, HistoryMetric> metrics() {
        Map<String, HistoryMetric> all = new TreeMap<>();
        for (Subject subject : Subject.values()) {
            for (HistoryMetric metric : HistoryMetric.of(subject)) {
                all.put(subject.name().toLowerCase(Locale.ROOT) + "." + metric.label(), metric);
            }
        }
        return all;
    }

    /** Names of the metrics that rules may use. */
    public static List<String> metricNames() {
        return List.copyOf(METRICS.keySet());
    }

    /**
     * Reads an expression.
     *
     * @throws IllegalArgumentException if it is none; the message names the mistake
     */
    public static AlertCondition parse(String text) {
        String expression = text.strip();
        if (expression.length() > LONGEST) {
            throw new IllegalArgumentException("expr has at most " + LONGEST + " characters");
        }
        Matcher absence = ABSENCE.matcher(expression);
        if (absence.matches()) {
            return new AlertCondition.Absence(metric(absence.group(1)));
        }
        Matcher regression = REGRESSION.matcher(expression);
        if (regression.matches()) {
            String level = regression.group(1);
            if (!LEVELS.contains(level)) {
                String hint = NameSuggestion.hint(level, LEVELS);
                throw new IllegalArgumentException(
                        "there is no kind of object \"%s\"%s"
                                .formatted(
                                        level,
                                        hint.isEmpty()
                                                ? "; the kinds are " + String.join(", ", LEVELS)
                                                : hint));
            }
            String least = regression.group(2);
            double percent = least == null ? 0 : number(least);
            if (percent < 0) {
                throw new IllegalArgumentException("a regression has no negative size");
            }
            return new AlertCondition.ChangePoint(level, percent);
        }
        Matcher threshold = THRESHOLD.matcher(expression);
        if (threshold.matches()) {
            HistoryMetric metric = metric(threshold.group(1));
            String sign = threshold.group(2);
            AlertCondition.Comparison comparison =
                    Arrays.stream(AlertCondition.Comparison.values())
                            .filter(each -> each.sign().equals(sign))
                            .findFirst()
                            .orElseThrow();
            return new AlertCondition.Threshold(metric, comparison, number(threshold.group(3)));
        }
        throw new IllegalArgumentException(
                "expr must be METRIC > NUMBER (or >=, <, <=), absent(METRIC) or"
                        + " regression(KIND) >= PERCENT");
    }

    private static HistoryMetric metric(String name) {
        HistoryMetric metric = METRICS.get(name);
        if (metric == null) {
            throw new IllegalArgumentException(
                    "there is no metric \"%s\"%s"
                            .formatted(name, NameSuggestion.hint(name, METRICS.keySet())));
        }
        return metric;
    }

    private static double number(String text) {
        double value;
        try {
            value = Double.parseDouble(text);
        } catch (NumberFormatException _) {
            throw new IllegalArgumentException("\"" + text + "\" is no number");
        }
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("\"" + text + "\" is no finite number");
        }
        return value;
    }

    /**
     * Reads a duration such as {@code 5m} or {@code 1h30m}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Duration duration(String text) {
        Matcher part = DURATION_PART.matcher(text.strip());
        Duration sum = Duration.ZERO;
        int end = 0;
        while (part.find() && part.start() == end) {
            long count = Long.parseLong(part.group(1));
            sum =
                    sum.plus(
                            switch (part.group(2)) {
                                case "ms" -> Duration.ofMillis(count);
                                case "s" -> Duration.ofSeconds(count);
                                case "m" -> Duration.ofMinutes(count);
                                case "h" -> Duration.ofHours(count);
                                default -> Duration.ofDays(count);
                            });
            end = part.end();
        }
        if (end == 0 || end != text.strip().length()) {
            throw new IllegalArgumentException("a duration is such as 30s, 5m, 1h30m or 2d");
        }
        return sum;
    }

    /** The duration as {@link #duration} reads it. */
    public static String text(Duration duration) {
        if (duration.isZero()) {
            return "0s";
        }
        List<String> parts = new ArrayList<>();
        part(parts, duration.toDays(), "d");
        part(parts, duration.toHoursPart(), "h");
        part(parts, duration.toMinutesPart(), "m");
        part(parts, duration.toSecondsPart(), "s");
        part(parts, duration.toMillisPart(), "ms");
        return String.join("", parts);
    }

    private static void part(List<String> parts, long count, String unit) {
        if (count > 0) {
            parts.add(count + unit);
        }
    }
}
