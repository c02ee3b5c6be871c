package org.stillwater.core.alert;

import java.time.Duration;
import java.util.ArrayList;
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
 * vm.usageCpuPercent &gt; 90, disk.readLatencyMilliseconds &gt; 20
 * absent(host.cpuLoad)
 * regression(storage-domain) &gt;= 20
 * </pre>
 *
 * Stateless.
 */
public final class AlertExpression {

    private static final int LONGEST = 200;
    private static final int DAYS_OF_WEEK = 7;

    private static final Pattern DURATION_PART = Pattern.compile("(\\d{1,9})(ms|s|m|h|d|w)");

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

    /** Names of the metrics of history that rules may use. */
    public static List<String> metricNames() {
        return List.copyOf(METRICS.keySet());
    }

    /** Names of the measured numbers that rules may use, too. */
    public static List<String> measureNames() {
        return SeriesMeasure.names();
    }

    /**
     * Reads an expression.
     *
     * @throws IllegalArgumentException if it is none; the message has the position of the mistake,
     *     counted from 1, and the tokens allowed there
     */
    public static AlertCondition parse(String text) {
        if (text.strip().length() > LONGEST) {
            throw new IllegalArgumentException("expr has at most " + LONGEST + " characters");
        }
        return new ExpressionReader(text, METRICS, LEVELS).read();
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
                                case "w" -> Duration.ofDays(DAYS_OF_WEEK * count);
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
