package org.stillwater.benchmarks.start;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.ChildProcess;
import org.stillwater.benchmarks.scale.EngineProcess;
import org.stillwater.benchmarks.scale.Folders;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.Http;
import org.stillwater.benchmarks.scale.Meters;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.testkit.FreePorts;

/**
 * Starts an engine on a database that holds a whole fleet, again and again. PostgreSQL runs all the
 * time, as it does when only the engine is restarted; hosts take connections and hang up.
 */
public final class StartRun {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(10);

    private final StartPlan plan;
    private final PrintStream out;
    private final HarnessClock clock = new HarnessClock();

    /**
     * A measurement.
     *
     * @param progress receives the progress
     */
    public StartRun(StartPlan plan, PrintStream progress) {
        this.plan = plan;
        this.out = progress;
    }

    /**
     * Measures every start.
     *
     * @return a table of the figures
     * @throws BenchFailure if the engine does not react in time
     */
    public String measure()
            throws IOException, SQLException, StoreUnavailable, InterruptedException {
        Folders.makeEmpty(plan.folder());
        List<StartFigures> starts = new ArrayList<>();
        try (EmbeddedPostgres server =
                        EmbeddedPostgres.start(
                                EmbeddedPostgresSettings.in(plan.folder().resolve("postgresql")));
                DeafHosts hosts = new DeafHosts(clock)) {
            say("Writing %d VMs on %d hosts", plan.vms(), plan.hosts());
            FleetRows.write(
                    DatabaseSettings.of(server.jdbcUrl(), server.user(), server.password()),
                    plan,
                    hosts.port());
            for (int round = 1; round <= plan.rounds(); round++) {
                StartFigures start = start(server, hosts, round);
                say(
                        "Start %d of %d: served after %.1f s",
                        round, plan.rounds(), start.servedSeconds());
                starts.add(start);
            }
        }
        return StartFigures.table(starts);
    }

    private StartFigures start(EmbeddedPostgres server, DeafHosts hosts, int round)
            throws IOException, InterruptedException {
        int port = FreePorts.next();
        Path log = plan.folder().resolve("engine-" + round + ".log");
        Attempts _ = hosts.attempts();
        long started = clock.nanoTime();
        try (ChildProcess engine =
                        ChildProcess.start(
                                "the engine", command(plan, server, port), log, STOP_TIMEOUT);
                Http http = new Http(port)) {
            String whole = "\"total\":" + plan.vms() + ",";
            String page = http.tryGet("/api/v1/vms?limit=100");
            while (page == null || !page.replace("}", ",").contains(whole)) {
                engine.requireAlive();
                if (clock.nanoTime() - started > PATIENCE.toNanos()) {
                    throw new BenchFailure("the engine serves no VMs; its log: " + log);
                }
                clock.waitUntil(clock.nanoTime() + LOOK.toNanos());
                page = http.tryGet("/api/v1/vms?limit=100");
            }
            long served = clock.nanoTime();
            double cpuSeconds = cpuSeconds(engine.pid());
            Meters meters = Meters.parse(http.get("/actuator/prometheus"));
            clock.waitUntil(served + plan.attach().toNanos());
            engine.requireAlive();
            return new StartFigures(
                    (served - started) / 1e9,
                    cpuSeconds,
                    meters.sum("stillwater_sql_statements_total", "stage=\"load\""),
                    hosts.attempts());
        }
    }

    private static double cpuSeconds(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .map(cpu -> cpu.toMillis() / 1e3)
                .orElse(Double.NaN);
    }

    static List<String> command(StartPlan plan, EmbeddedPostgres server, int port) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + plan.heap());
        command.addAll(EngineProcess.JVM_OPTIONS);
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(plan.jvmOptions());
        command.addAll(EngineProcess.program(plan.engine()));
        command.add("--server.port=" + port);
        command.add("--stillwater.security.anonymous-role=administrator");
        command.add("--stillwater.tls.enabled=false");
        command.add("--stillwater.data-folder=" + plan.folder());
        command.add("--stillwater.wire.tls.enabled=false");
        command.add("--spring.datasource.url=" + server.jdbcUrl());
        command.add("--spring.datasource.username=" + server.user());
        command.add("--spring.datasource.password=" + server.password());
        command.addAll(plan.engineOptions());
        return command;
    }

    @SuppressWarnings("AnnotateFormatMethod") // not worth a dependency
    private void say(String format, @Nullable Object... arguments) {
        out.println(String.format(Locale.ROOT, format, arguments));
        out.flush();
    }
}
