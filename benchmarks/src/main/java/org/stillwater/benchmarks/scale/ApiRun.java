package org.stillwater.benchmarks.scale;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.stillwater.benchmarks.api.HttpLoadConnection;
import org.stillwater.benchmarks.api.Requests;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * How fast the interfaces answer about a simulated fleet, how fast its changes reach many readers,
 * and how long SQL joins over the same data take.
 */
public final class ApiRun {

    private static final String JOINS =
            """
            SELECT s.*, d.*, t.*, h.host_name
              FROM vm_static s
              JOIN vm_dynamic d USING (vm_guid)
              LEFT JOIN vm_statistics t USING (vm_guid)
              LEFT JOIN host_static h ON h.host_id = d.run_on_vds
             ORDER BY s.vm_name
            """;

    private final StablePlan plan;
    private final Duration time;
    private final int readers;
    private final int changesPerSecond;
    private final Parts parts;
    private final PrintStream out;

    /**
     * Measured interfaces.
     *
     * @param lists requests and their answers
     * @param stream fan-out of the stream
     */
    public record Parts(boolean lists, boolean stream) {}

    /**
     * A measurement.
     *
     * @param time how long each kind of request is sent, and how long VMs change
     * @param readers readers of the stream
     * @param changesPerSecond changes that they receive
     * @param parts measured interfaces
     * @param progress receives the progress
     */
    public ApiRun(
            StablePlan plan,
            Duration time,
            int readers,
            int changesPerSecond,
            Parts parts,
            PrintStream progress) {
        this.plan = plan;
        this.time = time;
        this.readers = readers;
        this.changesPerSecond = changesPerSecond;
        this.parts = parts;
        this.out = progress;
    }

    /**
     * Measures everything.
     *
     * @return a table of the figures
     */
    public String measure() throws IOException, InterruptedException {
        TestBed bed = new TestBed(plan, out);
        return bed.run((engine, simulator) -> measure(bed, engine, simulator));
    }

    private String measure(TestBed bed, EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        String lists = parts.lists() ? lists(bed, engine, simulator) : "";
        String stream =
                parts.stream()
                        ? new FanOut(bed, engine, simulator)
                                .measure(readers, changesPerSecond, time)
                        : "";
        return lists + stream;
    }

    private String lists(TestBed bed, EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        int port = engine.http().port();
        String vm = simulator.vms().keySet().iterator().next();
        String tag;
        try (HttpLoadConnection wire = new HttpLoadConnection(port)) {
            tag = wire.get("/api/v1/vms?limit=100", "").tag();
        }
        StringBuilder table = new StringBuilder(Requests.header());
        List<Requests> rows = new ArrayList<>();
        String whole = "/api/v1/vms?limit=" + Math.min(plan.vms(), 10_000);
        bed.say("Asking, %s for each kind of request", TestBed.seconds(time));
        rows.add(ask("VM by id", port, "/api/v1/vms/" + vm, "", 200));
        rows.add(ask("page of 100", port, "/api/v1/vms?limit=100", "", 200));
        rows.add(
                ask(
                        "page of 100, sorted by CPU, up only",
                        port,
                        "/api/v1/vms?limit=100&sort=-cpu,name&status=up",
                        "",
                        200));
        rows.add(
                ask(
                        "304 of that page",
                        port,
                        "/api/v1/vms?limit=100",
                        "If-None-Match: " + tag + "\r\n",
                        304));
        Requests list =
                ask("list of all with statistics", port, whole + "&statistics=true", "", 200);
        rows.add(list);
        rows.add(
                ask(
                        "the same, gzip",
                        port,
                        whole + "&statistics=true",
                        "Accept-Encoding: gzip\r\n",
                        200));
        rows.add(ask("statistics of all, JSON", port, "/api/v1/statistics/vms", "", 200));
        rows.add(ask("statistics of all, CSV", port, "/api/v1/statistics/vms?format=csv", "", 200));
        rows.add(ask("metrics of all VMs", port, "/metrics/vms?families=all", "", 200));
        try (HttpLoadConnection wire = new HttpLoadConnection(port)) {
            if (wire.get("/ovirt-engine/api/vms", "Accept: application/json\r\n").status() == 200) {
                rows.add(
                        ask(
                                "list of all with statistics, oVirt-compatible JSON",
                                port,
                                "/ovirt-engine/api/vms?follow=statistics",
                                "Accept: application/json\r\n",
                                200));
            }
        }
        rows.forEach(row -> table.append(row.row()));
        Distribution sql = joins(engine);
        table.append(
                String.format(
                        Locale.ROOT,
                        "%-52s %10s %9.2f %9.2f %9.2f%n",
                        "the same list by SQL joins, as JSON, without HTTP",
                        "",
                        sql.p50(),
                        sql.p99(),
                        sql.max()));
        table.append(
                String.format(
                        Locale.ROOT,
                        "ratio SQL / engine, p50: %.1f, p99: %.1f%n",
                        sql.p50() / list.latency().p50(),
                        sql.p99() / list.latency().p99()));
        return table.toString();
    }

    private Requests ask(String name, int port, String path, String headers, int status)
            throws IOException {
        Requests measured = Requests.measure(name, port, path, headers, status, time);
        out.print(measured.row());
        return measured;
    }

    /** Latencies of an engine that reads each list from its database. */
    private Distribution joins(EngineProcess engine) throws IOException {
        HarnessClock clock = new HarnessClock();
        JsonMapper mapper = new JsonMapper();
        List<Double> millis = new ArrayList<>();
        try (Connection connection = engine.connectToDatabase()) {
            long end = clock.nanoTime() + 2 * time.toNanos();
            long measured = clock.nanoTime() + time.toNanos();
            while (clock.nanoTime() - end < 0) {
                long asked = clock.nanoTime();
                ByteArrayOutputStream body = new ByteArrayOutputStream();
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery(JOINS);
                        JsonGenerator json = mapper.createGenerator(body)) {
                    ResultSetMetaData columns = rows.getMetaData();
                    json.writeStartArray();
                    while (rows.next()) {
                        json.writeStartObject();
                        for (int i = 1; i <= columns.getColumnCount(); i++) {
                            json.writeStringProperty(columns.getColumnLabel(i), rows.getString(i));
                        }
                        json.writeEndObject();
                    }
                    json.writeEndArray();
                }
                if (asked - measured >= 0) {
                    millis.add((clock.nanoTime() - asked) / 1e6);
                }
            }
        } catch (SQLException e) {
            throw new BenchFailure("the database does not answer: " + e.getMessage());
        }
        return Distribution.ofMillis(millis.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
