package org.stillwater.benchmarks.start;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import org.stillwater.benchmarks.api.Requests;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.ChildProcess;
import org.stillwater.benchmarks.scale.Folders;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.Http;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.testkit.FreePorts;

/** Pages out of very many VMs, which an engine has read from its database. */
public final class PageRun {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(100);

    private final StartPlan plan;
    private final Duration time;
    private final PrintStream out;
    private final HarnessClock clock = new HarnessClock();

    /**
     * A measurement.
     *
     * @param time how long each kind of page is requested
     * @param progress receives the progress
     */
    public PageRun(StartPlan plan, Duration time, PrintStream progress) {
        this.plan = plan;
        this.time = time;
        this.out = progress;
    }

    /**
     * Measures pages.
     *
     * @return rows of a table
     * @throws BenchFailure if the engine does not react in time
     */
    public String measure()
            throws IOException, SQLException, StoreUnavailable, InterruptedException {
        Folders.makeEmpty(plan.folder());
        try (EmbeddedPostgres server =
                        EmbeddedPostgres.start(
                                EmbeddedPostgresSettings.in(plan.folder().resolve("postgresql")));
                DeafHosts hosts = new DeafHosts(clock)) {
            out.printf(Locale.ROOT, "Writing %d VMs on %d hosts%n", plan.vms(), plan.hosts());
            FleetRows.write(
                    DatabaseSettings.of(server.jdbcUrl(), server.user(), server.password()),
                    plan,
                    hosts.port());
            int port = FreePorts.next();
            Path log = plan.folder().resolve("engine.log");
            try (ChildProcess engine =
                            ChildProcess.start(
                                    "the engine",
                                    StartRun.command(plan, server, port),
                                    log,
                                    STOP_TIMEOUT);
                    Http http = new Http(port)) {
                await(engine, http, log);
                StringBuilder rows = new StringBuilder();
                rows.append(ask(port, "by name, up or unknown", "sort=name&status=up,unknown"));
                rows.append(
                        ask(
                                port,
                                "by name backwards, name *7*",
                                "sort=-name&name=*7*&status=up,unknown"));
                rows.append(
                        ask(
                                port,
                                "by host and name, with statistics",
                                "sort=host,-name&status=up,unknown&statistics=true"));
                rows.append(ask(port, "by CPU, up or unknown", "sort=-cpu,name&status=up,unknown"));
                rows.append(ask(port, "all matches counted", "status=up,unknown&total=true"));
                return rows.toString();
            }
        }
    }

    private String ask(int port, String what, String query) throws IOException {
        Requests measured =
                Requests.measure(
                        "page of 100 of %d, %s".formatted(plan.vms(), what),
                        port,
                        "/api/v1/vms?limit=100&" + query,
                        "",
                        200,
                        time);
        out.print(measured.row());
        return measured.row();
    }

    private void await(ChildProcess engine, Http http, Path log) throws InterruptedException {
        long begun = clock.nanoTime();
        String wanted = "\"total\":" + plan.vms();
        String page = http.tryGet("/api/v1/vms?limit=1");
        while (page == null || !page.contains(wanted)) {
            engine.requireAlive();
            if (clock.nanoTime() - begun > PATIENCE.toNanos()) {
                throw new BenchFailure("the engine serves no VMs; its log: " + log);
            }
            clock.waitUntil(clock.nanoTime() + LOOK.toNanos());
            page = http.tryGet("/api/v1/vms?limit=1");
        }
    }
}
