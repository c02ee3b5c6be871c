package org.stillwater.dal;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.function.Function;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;

/**
 * The statements of history, one set per subject; their columns are those of {@link HistoryMetric}.
 * Immutable.
 */
final class HistorySql {

    static final HistorySql VM = new HistorySql(Subject.VM, "vm");
    static final HistorySql HOST = new HistorySql(Subject.HOST, "host");

    /** Notes an interval: tier, at, base, run. No row if it is noted already. */
    static final String NOTE =
            "INSERT INTO history_interval (tier, at, base, run) VALUES (?, ?, ?, ?) ON CONFLICT DO"
                    + " NOTHING";

    /** The writer of an interval: tier, at. */
    static final String NOTED = "SELECT base, run FROM history_interval WHERE tier = ? AND at = ?";

    /**
     * Hours that have samples and are not rolled up: before. Samples may be kept for longer than
     * hours: an hour whose partition was dropped is too old.
     */
    static final String OPEN_HOURS =
            """
            WITH missing AS MATERIALIZED (
                SELECT DISTINCT date_trunc('hour', m.at, 'UTC') AS at
                  FROM history_interval AS m
                 WHERE m.tier = 1
                   AND m.at < ?
                   AND NOT EXISTS (SELECT FROM history_interval AS h
                                    WHERE h.tier = 2 AND h.at = date_trunc('hour', m.at, 'UTC')))
            SELECT at
              FROM missing
             WHERE to_regclass('vm_hourly_' || to_char(missing.at AT TIME ZONE 'UTC', 'YYYYMM')) IS NOT NULL
             ORDER BY 1
            """;

    /**
     * Days that have hours and are not rolled up: before, which may be within a day. A day whose
     * partition was dropped is too old.
     */
    static final String OPEN_DAYS =
            """
            WITH missing AS MATERIALIZED (
                SELECT DISTINCT date_trunc('day', h.at, 'UTC') AS at
                  FROM history_interval AS h
                 WHERE h.tier = 2
                   AND h.at < date_trunc('day', ?::timestamptz, 'UTC')
                   AND NOT EXISTS (SELECT FROM history_interval AS d
                                    WHERE d.tier = 3 AND d.at = date_trunc('day', h.at, 'UTC')))
            SELECT at
              FROM missing
             WHERE to_regclass('vm_daily_' || to_char(missing.at AT TIME ZONE 'UTC', 'YYYY')) IS NOT NULL
             ORDER BY 1
            """;

    static final String MAINTAIN =
            "SELECT created, dropped, busy FROM maintain_history(?, ?, ?::interval, ?::interval,"
                    + " ?::interval)";

    private final List<HistoryMetric> metrics;
    private final String name;
    private final String noteWithSamples;
    private final String copySamples;
    private final String copyHours;
    private final String samplesExtent;
    private final String hoursExtent;
    private final String part;
    private final String rollUpHour;
    private final String rollUpDay;

    private HistorySql(Subject subject, String name) {
        this.metrics = HistoryMetric.of(subject);
        this.name = name;
        this.noteWithSamples =
                """
                WITH noted AS (
                    INSERT INTO history_interval (tier, at, base, run) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING at)
                INSERT INTO %1$s_samples (%1$s_id, at, %2$s)
                SELECT c.%1$s_id, noted.at, %3$s
                  FROM noted
                 CROSS JOIN unnest(?::uuid[], %4$s) AS c (%1$s_id, %2$s)
                """
                        .formatted(name, each("%1$s"), each("c.%1$s"), each(_ -> "?::real[]"));
        this.copySamples =
                "COPY %s_samples (%s_id, at, %s) FROM STDIN (FORMAT binary)"
                        .formatted(name, name, each("%1$s"));
        this.copyHours =
                "COPY %s_hourly (%s_id, at, %s) FROM STDIN (FORMAT binary)"
                        .formatted(name, name, rollUpColumns());
        this.samplesExtent = extent(name + "_samples");
        this.hoursExtent = extent(name + "_hourly");
        this.part =
                weighted()
                        + "SELECT %s_id, %s FROM weighted GROUP BY 1"
                                .formatted(
                                        name,
                                        each(
                                                "min(%1$s), sum(%1$s::float8 * weight), max(%1$s),"
                                                        + " coalesce(sum(weight) FILTER (WHERE %1$s"
                                                        + " IS NOT NULL), 0)"));
        this.rollUpHour =
                rollUp(
                        "hourly",
                        weighted(),
                        each(
                                "min(%1$s), (sum(%1$s::float8 * weight) / sum(weight) FILTER (WHERE"
                                        + " %1$s IS NOT NULL))::real, max(%1$s)"),
                        each(
                                "coalesce(sum(weight) FILTER (WHERE %1$s IS NOT NULL),"
                                        + " 0)::smallint"),
                        "weighted",
                        "HAVING bool_or(num_nonnulls(" + each("%1$s") + ") > 0)");
        this.rollUpDay =
                rollUp(
                        "daily",
                        "",
                        each(
                                "min(%1$s_min), (sum(%1$s_mean::float8 * %1$s_count) /"
                                        + " nullif(sum(%1$s_count), 0))::real, max(%1$s_max)"),
                        each("sum(%1$s_count)::smallint"),
                        "%1$s_hourly WHERE at >= ? AND at < ? AND %1$s_id BETWEEN ? AND ?"
                                .formatted(name),
                        "");
    }

    /**
     * {@link #NOTE} and the samples of the interval in one statement, for a few subjects:
     * identifiers, then an array of each metric. No row if the interval is noted already.
     */
    String noteWithSamples() {
        return noteWithSamples;
    }

    private String each(String template) {
        return each(template::formatted);
    }

    private String each(Function<String, String> text) {
        return metrics.stream().map(HistoryMetric::column).map(text).collect(joining(", "));
    }

    private String rollUpColumns() {
        return each("%1$s_min, %1$s_mean, %1$s_max") + ", " + each("%1$s_count");
    }

    /**
     * Least and largest identifier of a time and the bytes of its partition: three times from,
     * before.
     */
    private String extent(String table) {
        return """
        SELECT (SELECT %2$s_id FROM %1$s WHERE at >= ? AND at < ? ORDER BY %2$s_id LIMIT 1),
               (SELECT %2$s_id FROM %1$s WHERE at >= ? AND at < ? ORDER BY %2$s_id DESC LIMIT 1),
               (SELECT pg_relation_size(tableoid) FROM %1$s WHERE at >= ? AND at < ? LIMIT 1)
        """
                .formatted(table, name);
    }

    /**
     * Every row of an hour's samples with the number of intervals it holds for, until the next row
     * or the end of its uninterrupted stretch, for some subjects: from, before, from, before, first
     * id, last id.
     */
    private String weighted() {
        return """
        WITH intervals AS (
            SELECT at, base, run,
                   row_number() OVER (PARTITION BY base, run ORDER BY at) AS number,
                   count(*) OVER (PARTITION BY base, run) AS numbers
              FROM history_interval
             WHERE tier = 1 AND at >= ? AND at < ?),
        weighted AS (
            SELECT s.*,
                   lead(i.number, 1, i.numbers + 1) OVER (PARTITION BY s.%1$s_id, i.base, i.run ORDER BY s.at)
                       - i.number AS weight
              FROM %1$s_samples AS s
              JOIN intervals AS i ON i.at = s.at
             WHERE s.at >= ? AND s.at < ? AND s.%1$s_id BETWEEN ? AND ?)
        """
                .formatted(name);
    }

    /**
     * Groups a source by subject and saves the result, replacing existing rows.
     *
     * @param with text before the statement
     * @param values least, mean and largest of every number
     * @param counts numbers of samples
     * @param having which subjects, empty for all
     */
    private String rollUp(
            String tier, String with, String values, String counts, String from, String having) {
        return """
        %1$s
        INSERT INTO %2$s_%3$s (%2$s_id, at, %4$s)
        SELECT %2$s_id, ?::timestamptz, %5$s, %6$s
          FROM %7$s
         GROUP BY 1
        %8$s
        ON CONFLICT (%2$s_id, at) DO UPDATE SET %9$s, %10$s
        """
                .formatted(
                        with,
                        name,
                        tier,
                        rollUpColumns(),
                        values,
                        counts,
                        from,
                        having,
                        each(
                                "%1$s_min = excluded.%1$s_min, %1$s_mean = excluded.%1$s_mean,"
                                        + " %1$s_max = excluded.%1$s_max"),
                        each("%1$s_count = excluded.%1$s_count"));
    }

    /** Those of a subject. */
    static HistorySql of(Subject subject) {
        return subject == Subject.VM ? VM : HOST;
    }

    /** The subject's metrics, in the order of their columns. */
    List<HistoryMetric> metrics() {
        return metrics;
    }

    /** Samples: id, time, values. */
    String copySamples() {
        return copySamples;
    }

    /** Hours: id, time, least, mean and largest of each number, then the counts. */
    String copyHours() {
        return copyHours;
    }

    /** Query of the extent of an hour's samples: three times from, before. */
    String samplesExtent() {
        return samplesExtent;
    }

    /** Query of the extent of a day's hours: three times from, before. */
    String hoursExtent() {
        return hoursExtent;
    }

    /** Query of the sums of samples: from, before, from, before, first id, last id. */
    String part() {
        return part;
    }

    /** An hour from its samples: from, before, from, before, first id, last id, hour. */
    String rollUpHour() {
        return rollUpHour;
    }

    /** A day from its hours: day, from, before, first id, last id. */
    String rollUpDay() {
        return rollUpDay;
    }

    /** Samples of one number: id, from, to, to, from. */
    static String samples(HistoryMetric metric) {
        return """
        SELECT i.at, s.value
          FROM (SELECT v.at, v.%1$s AS value, r.base, r.run,
                       lead(v.at, 1, 'infinity') OVER (PARTITION BY r.base, r.run ORDER BY v.at) AS next_at
                  FROM %2$s_samples AS v
                  JOIN history_interval AS r ON r.tier = 1 AND r.at = v.at
                 WHERE v.%2$s_id = ? AND v.at >= date_trunc('hour', ?::timestamptz, 'UTC') AND v.at < ?) AS s
          JOIN history_interval AS i
            ON i.tier = 1 AND i.base = s.base AND i.run = s.run
           AND i.at >= s.at AND i.at < s.next_at AND i.at < s.at + interval '1 hour'
         WHERE s.value IS NOT NULL AND i.at < ? AND i.at >= ?
         ORDER BY i.at
        """
                .formatted(metric.column(), of(metric.subject()).name);
    }

    /** Roll-ups of one number: id, from, to. */
    static String rollUps(HistoryMetric metric, String tier) {
        return """
        SELECT at, %1$s_min, %1$s_mean, %1$s_max, %1$s_count
          FROM %2$s_%3$s
         WHERE %2$s_id = ? AND at >= ? AND at < ? AND %1$s_count > 0
         ORDER BY at
        """
                .formatted(metric.column(), of(metric.subject()).name, tier);
    }
}
