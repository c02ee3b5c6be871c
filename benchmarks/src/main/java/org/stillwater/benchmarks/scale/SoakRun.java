package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One run of {@code bench soak}: moves the engine's wall clock step by step through days, while VMs
 * change, hosts lose their connection and their agents restart, and its resources are read
 * periodically: heap, threads, files, rows, partitions.
 */
public final class SoakRun {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final double MEBIBYTE = 1 << 20;

    /**
     * From one restart of a host to the next: a second of recovery, and room for a busy machine.
     */
    public static final Duration BETWEEN_RESTARTS = Duration.ofMillis(1_500);

    /** Readings of a long soak; a short one has one every twelve hours. */
    private static final long READINGS = 60;

    /** Tables that are partitions, each with its parent and the end of its time; null without. */
    private static final String PARTS =
            """
            WITH part AS (
                SELECT c.oid, p.relname AS parent,
                       substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''([^'']+)''\\)')::timestamptz AS ends
                  FROM pg_inherits AS i
                  JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relkind = 'r'
                  JOIN pg_class AS p ON p.oid = i.inhparent
            )
            """;

    /** Rows without an end of retention: the state, and rows outside all partitions. */
    private static final String ROWS =
            PARTS
                    + """
                    SELECT coalesce(sum(n_live_tup), 0)
                      FROM pg_stat_user_tables
                     WHERE schemaname = 'public' AND relid NOT IN (SELECT oid FROM part WHERE ends IS NOT NULL)
                    """;

    private static final String KEPT_ROWS =
            PARTS
                    + """
                    SELECT coalesce(sum(n_live_tup), 0)
                      FROM pg_stat_user_tables
                     WHERE relid IN (SELECT oid FROM part WHERE ends IS NOT NULL)
                    """;

    private static final String PARTITIONS = PARTS + "SELECT count(*) FROM part";

    /** The engine's longest pause between two checks of old partitions, on the machine's clock. */
    private static final Duration LOOKS_AFTER_THEM = Duration.ofSeconds(70);

    private static final String LARGEST =
            PARTS
                    + """
                    SELECT string_agg(format('%s %s', relname, n_live_tup), ', ')
                      FROM (SELECT relname, n_live_tup
                              FROM pg_stat_user_tables
                             WHERE schemaname = 'public' AND relid NOT IN (SELECT oid FROM part WHERE ends IS NOT NULL)
                             ORDER BY n_live_tup DESC LIMIT 5) AS largest
                    """;

    private final StablePlan plan;
    private final Duration time;
    private final Duration step;
    private final Duration pause;
    private final int restarts;
    private final Duration quiet;
    private final TestBed bed;

    /**
     * A run.
     *
     * @param plan fleet and engine; its rate of events is that of changes of VMs
     * @param time wall time to pass through
     * @param step by which the clock is moved at once
     * @param pause between two steps, on the machine's clock
     * @param restarts of hosts' agents, spread over the steps and the hosts; at least 0
     * @param quiet time without a change of a VM at the end
     */
    public SoakRun(
            StablePlan plan,
            Duration time,
            Duration step,
            Duration pause,
            int restarts,
            Duration quiet,
            PrintStream progress) {
        this.plan = plan;
        this.time = time;
        this.step = step;
        this.pause = pause;
        this.restarts = restarts;
        this.quiet = quiet;
        this.bed = new TestBed(plan, progress);
    }

    /** Resources at one time of the soak. */
    record Look(
            Duration at,
            double heapMebibytes,
            double threads,
            double files,
            double rows,
            double keptRows,
            double partitions,
            double overdue,
            String overdueTables) {}

    /** File with the offset of the engine's clock. */
    public static Path offsetFile(Path folder) {
        return folder.resolve("clock-offset");
    }

    /**
     * Soaks.
     *
     * @return the table of figures, and whether one of them grows
     * @throws BenchFailure if a program ends or does not react in time
     */
    public Result measure() throws IOException, InterruptedException {
        return bed.run(this::measure);
    }

    /**
     * Options of the engine: retentions are short, so that the first rows are dropped within the
     * soak. A month of hours and a year of days still go at once.
     */
    public static List<String> retentions() {
        return List.of(
                "--stillwater.history.store.interval=10s",
                "--stillwater.history.store.minutes=6h",
                "--stillwater.history.store.hours=48h",
                "--stillwater.history.store.days=48h",
                "--stillwater.beliefs.retention=48h",
                "--stillwater.audit.retention=168h");
    }

    /**
     * How many restarts fit into a soak: in a step each host at most once, and the same host no
     * sooner than {@link #BETWEEN_RESTARTS} later.
     */
    public static long restartsPossible(int hosts, Duration time, Duration step, Duration pause) {
        long steps = time.dividedBy(step);
        long waits = Math.max(1, Math.ceilDiv(BETWEEN_RESTARTS.toMillis(), pause.toMillis()));
        return steps * hosts / waits;
    }

    /** A table for people, and whether a figure grows. */
    public record Result(String table, boolean grows) {}

    private Result measure(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        long steps = time.dividedBy(step);
        long every = Math.max(Math.max(1, Duration.ofHours(12).dividedBy(step)), steps / READINGS);
        long restarted = 0;
        List<Look> looks = new ArrayList<>();
        List<String> hosts = simulator.hosts();
        String largest;
        try (JvmProbe probe = JvmProbe.attach(engine.pid());
                Connection connection = engine.connectToDatabase();
                Statement database = connection.createStatement();
                VmChanges changing =
                        VmChanges.start(
                                simulator,
                                List.copyOf(simulator.vms().keySet()),
                                Math.max(1, plan.eventsPerSecond()),
                                Long.MAX_VALUE, // until the soak ends
                                bed.clock().nanoTime())) {
            for (long done = 1; done <= steps; done++) {
                Duration at = step.multipliedBy(done);
                move(at, database);
                if (done % every == every / 2) { // a host restarts, in turns
                    String host = hosts.get((int) (done / every % hosts.size()));
                    simulator.freeze(host, true);
                    bed.clock().waitUntil(bed.clock().nanoTime() + pause.toNanos());
                    simulator.freeze(host, false);
                }
                for (; restarted < restarts * done / steps; restarted++) {
                    simulator.restart(hosts.get((int) (restarted % hosts.size())));
                }
                bed.clock().waitUntil(bed.clock().nanoTime() + pause.toNanos());
                engine.requireAlive();
                simulator.requireAlive();
                if (at.compareTo(time.minus(quiet)) > 0) {
                    changing.stop();
                } else {
                    changing.check();
                }
                if (done % every == 0) {
                    awaitHosts(engine, simulator);
                    Look look = look(engine, probe, database, at);
                    looks.add(look);
                    bed.say(
                            "  day %.1f: heap %.0f MiB, threads %.0f, files %.0f, rows %.0f and"
                                    + " %.0f in %.0f partitions, overdue %.0f%s",
                            at.toHours() / 24.0,
                            look.heapMebibytes(),
                            look.threads(),
                            look.files(),
                            look.rows(),
                            look.keptRows(),
                            look.partitions(),
                            look.overdue(),
                            look.overdue() > 0 ? ": " + look.overdueTables() : "");
                }
            }
            largest = text(database, LARGEST);
        } catch (SQLException e) {
            throw new BenchFailure("the engine's database cannot be read: " + e.getMessage(), e);
        }
        if (restarts > 0) {
            bed.say("%d restarts of hosts' agents", restarted);
        }
        return result(looks, largest);
    }

    /**
     * Moves the engine's clock, and the clock for the database's retention, which is otherwise the
     * server's own.
     */
    private void move(Duration offset, Statement database) throws IOException, SQLException {
        Path file = offsetFile(plan.folder());
        Path aside = file.resolveSibling("clock-offset.new");
        Files.writeString(aside, offset.toString());
        // Whole or not at all: the engine reads the file at any time.
        Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
        database.execute(
                """
                CREATE OR REPLACE FUNCTION retention_clock() RETURNS timestamptz LANGUAGE sql STABLE
                AS $$ SELECT now() + interval '%s' $$
                """
                        .formatted(offset));
    }

    private void awaitHosts(EngineProcess engine, SimulatorProcess simulator)
            throws InterruptedException {
        bed.await(
                PATIENCE,
                "all hosts, up again,",
                () -> {
                    engine.requireAlive();
                    simulator.requireAlive();
                },
                () -> {
                    String text = engine.http().tryGet("/actuator/prometheus");
                    return text != null
                            && Meters.parse(text).sum("stillwater_hosts_up") == plan.hosts();
                });
    }

    private Look look(EngineProcess engine, JvmProbe probe, Statement database, Duration at)
            throws IOException, SQLException {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(engine.pid()), "fd"))) {
            return new Look(
                    at,
                    probe.liveHeapBytes() / MEBIBYTE,
                    probe.threads(),
                    files.count(),
                    number(database, ROWS),
                    number(database, KEPT_ROWS),
                    number(database, PARTITIONS),
                    number(database, overdue("count(*)")),
                    text(
                            database,
                            overdue(
                                    "string_agg(DISTINCT parent::text, ', ' ORDER BY"
                                            + " parent::text)")));
        }
    }

    /**
     * Partitions that had to be dropped before: their retention in {@link #retentions}, the time
     * until the engine looks after it by its wall clock, and how far this clock moves while the
     * engine waits on the machine's clock.
     */
    private String overdue(String figure) {
        return PARTS
                + """
                SELECT %s
                  FROM part
                  JOIN (VALUES ('vm_samples', interval '30 hours'), ('host_samples', interval '30 hours'),
                               ('vm_hourly', interval '4 days'), ('host_hourly', interval '4 days'),
                               ('vm_daily', interval '4 days'), ('host_daily', interval '4 days'),
                               ('vm_belief', interval '4 days'), ('host_belief', interval '4 days'),
                               ('audit_log', interval '9 days')) AS kept (parent, longest) USING (parent)
                 WHERE ends < retention_clock() - longest - interval '%s'
                """
                        .formatted(
                                figure, step.multipliedBy(LOOKS_AFTER_THEM.dividedBy(pause) + 1));
    }

    private static double number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getDouble(1) : 0;
        }
    }

    private static String text(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? String.valueOf(row.getString(1)) : "";
        }
    }

    private static Result result(List<Look> looks, String largest) {
        List<SoakTrend> trends =
                List.of(
                        new SoakTrend(
                                "heap, MiB",
                                looks.stream().map(Look::heapMebibytes).toList(),
                                10,
                                4),
                        new SoakTrend("threads", looks.stream().map(Look::threads).toList(), 10, 4),
                        new SoakTrend("files", looks.stream().map(Look::files).toList(), 10, 8),
                        new SoakTrend("rows", looks.stream().map(Look::rows).toList(), 20, 1_000),
                        new SoakTrend(
                                "partitions",
                                looks.stream().map(Look::partitions).toList(),
                                10,
                                4));
        StringBuilder table = new StringBuilder();
        table.append(
                String.format(
                        Locale.ROOT,
                        "%n%-14s %14s %14s %8s%n",
                        "median",
                        "second third",
                        "last third",
                        "grows"));
        boolean grows = false;
        for (SoakTrend each : trends) {
            grows |= each.grows();
            table.append(
                    String.format(
                            Locale.ROOT,
                            "%-14s %14.0f %14.0f %8s%n",
                            each.name(),
                            each.before(),
                            each.after(),
                            each.grows() ? "yes" : "no"));
        }
        double kept = looks.stream().mapToDouble(Look::keptRows).max().orElse(0);
        double overdue = looks.stream().mapToDouble(Look::overdue).max().orElse(0);
        table.append(
                String.format(
                        Locale.ROOT,
                        "rows in partitions: at most %.0f; partitions kept too long: at most"
                                + " %.0f%n",
                        kept,
                        overdue));
        table.append("rows outside of partitions: ").append(largest).append('\n');
        return new Result(table.toString(), grows || overdue > 0);
    }
}
