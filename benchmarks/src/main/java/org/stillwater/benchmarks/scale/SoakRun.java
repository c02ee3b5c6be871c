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
 * One run of {@code bench soak}: an engine whose wall clock is moved step by step through days,
 * while VMs change, hosts lose their connection and their agents restart, and its resources are
 * read periodically: heap, threads, files, rows, partitions.
 */
public final class SoakRun {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final double MEBIBYTE = 1 << 20;

    /** Readings of a long soak; a short one has one every twelve hours. */
    private static final long READINGS = 60;

    /** Rows and partitions of everything that is kept for a time. */
    private static final String PARTITIONS = "SELECT count(*) FROM pg_inherits";

    private static final String ROWS =
            """
            SELECT coalesce(sum(n_live_tup), 0)
              FROM pg_stat_user_tables
             WHERE schemaname = 'public'
            """;

    private final StablePlan plan;
    private final Duration time;
    private final Duration step;
    private final Duration pause;
    private final int restarts;
    private final TestBed bed;

    /**
     * A run.
     *
     * @param plan fleet and engine; its rate of events is that of changes of VMs
     * @param time wall time to pass through
     * @param step by which the clock is moved at once
     * @param pause between two steps, on the machine's clock
     * @param restarts of hosts' agents, spread over the steps and the hosts; at least 0
     */
    public SoakRun(
            StablePlan plan,
            Duration time,
            Duration step,
            Duration pause,
            int restarts,
            PrintStream progress) {
        this.plan = plan;
        this.time = time;
        this.step = step;
        this.pause = pause;
        this.restarts = restarts;
        this.bed = new TestBed(plan, progress);
    }

    /** Resources at one time of the soak. */
    record Look(
            Duration at,
            double heapMebibytes,
            double threads,
            double files,
            double rows,
            double partitions) {}

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

    /** A table for people, and whether a figure grows. */
    public record Result(String table, boolean grows) {}

    private Result measure(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        long steps = time.dividedBy(step);
        long every = Math.max(Math.max(1, Duration.ofHours(12).dividedBy(step)), steps / READINGS);
        long restarted = 0;
        List<Look> looks = new ArrayList<>();
        List<String> hosts = simulator.hosts();
        long changes = (steps + 1) * pause.toMillis() * plan.eventsPerSecond() / 1000;
        try (JvmProbe probe = JvmProbe.attach(engine.pid());
                VmChanges changing =
                        VmChanges.start(
                                simulator,
                                List.copyOf(simulator.vms().keySet()),
                                Math.max(1, plan.eventsPerSecond()),
                                changes,
                                bed.clock().nanoTime())) {
            for (long done = 1; done <= steps; done++) {
                Duration at = step.multipliedBy(done);
                move(at);
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
                changing.check();
                if (done % every == 0) {
                    awaitHosts(engine, simulator);
                    Look look = look(engine, probe, at);
                    looks.add(look);
                    bed.say(
                            "  day %.1f: heap %.0f MiB, threads %.0f, files %.0f, rows %.0f,"
                                    + " partitions %.0f",
                            at.toHours() / 24.0,
                            look.heapMebibytes(),
                            look.threads(),
                            look.files(),
                            look.rows(),
                            look.partitions());
                }
            }
        } catch (SQLException e) {
            throw new BenchFailure("the engine's database cannot be read: " + e.getMessage(), e);
        }
        if (restarts > 0) {
            bed.say("%d restarts of hosts' agents", restarted);
        }
        return result(looks);
    }

    /** Whole or not at all: the engine reads the file at any time. */
    private void move(Duration offset) throws IOException {
        Path file = offsetFile(plan.folder());
        Path aside = file.resolveSibling("clock-offset.new");
        Files.writeString(aside, offset.toString());
        Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
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

    private static Look look(EngineProcess engine, JvmProbe probe, Duration at)
            throws IOException, SQLException {
        try (Connection connection = engine.connectToDatabase();
                Statement statement = connection.createStatement();
                Stream<Path> files =
                        Files.list(Path.of("/proc", Long.toString(engine.pid()), "fd"))) {
            return new Look(
                    at,
                    probe.liveHeapBytes() / MEBIBYTE,
                    probe.threads(),
                    files.count(),
                    number(statement, ROWS),
                    number(statement, PARTITIONS));
        }
    }

    private static double number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getDouble(1) : 0;
        }
    }

    private static Result result(List<Look> looks) {
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
        return new Result(table.toString(), grows);
    }
}
