package org.stillwater.server;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.context.ConfigurableApplicationContext;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.dal.Database;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.TestDatabase;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.host.HostView;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole application in this process, with a client to its port. */
final class RunningEngine implements AutoCloseable {

    static final JsonMapper JSON = JsonMapper.builder().build();

    /** Where simulated hosts have a storage domain for the memory of suspended VMs. */
    static final List<String> SAVED_MEMORY =
            List.of(
                    "--stillwater.commands.storage-pool=5f6e7d8c-9b0a-41f2-83e4-d5c6b7a89f01",
                    "--stillwater.commands.storage-domain=0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a");

    /** The password of admin@internal. */
    static final String PASSWORD = "first-of-all-1";

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final ConfigurableApplicationContext context;
    private final ApiClient api;

    private RunningEngine(ConfigurableApplicationContext context) {
        this.context = context;
        this.api =
                new ApiClient(
                        "http://127.0.0.1:"
                                + context.getEnvironment().getProperty("local.server.port"));
    }

    static RunningEngine start(TestDatabase database, List<String> arguments, String... more) {
        List<String> all = new ArrayList<>(arguments);
        all.add("--server.port=0");
        if (List.of(more).stream().noneMatch(each -> each.contains("stillwater.tls.enabled"))) {
            all.add("--stillwater.tls.enabled=false");
        }
        if (List.of(more).stream().noneMatch(each -> each.contains("stillwater.data-folder"))) {
            // It keeps a key there, which engines of another JVM must not replace meanwhile.
            all.add("--stillwater.data-folder=target/engine-data-" + ProcessHandle.current().pid());
        }
        all.add("--stillwater.security.initial-password=" + PASSWORD);
        if (List.of(more).stream().noneMatch(each -> each.contains("anonymous-role"))) {
            all.add("--stillwater.security.anonymous-role=administrator");
        }
        all.add("--spring.datasource.url=" + database.jdbcUrl());
        all.add("--spring.datasource.username=" + database.worker().user());
        all.add("--spring.datasource.password=" + database.worker().password());
        all.add("--stillwater.database.migration.username=" + database.owner().user());
        all.add("--stillwater.database.migration.password=" + database.owner().password());
        all.add("--stillwater.cycle.connect-spread=0s");
        all.add("--stillwater.wire.reconnect-at-least=50ms");
        all.add("--stillwater.wire.reconnect-at-most=200ms");
        if (List.of(more).stream().noneMatch(each -> each.contains("stillwater.stalls."))) {
            // A busy machine must not add an audit event to those that a test counts.
            all.add("--stillwater.stalls.logged=10m");
        }
        if (List.of(more).stream().noneMatch(each -> each.contains("storage-pool"))) {
            all.addAll(SAVED_MEMORY);
        }
        // A storage task of a simulated host takes a second of its own time, which tests let pass.
        all.add("--stillwater.commands.storage-look=20ms");
        all.addAll(List.of(more));
        return new RunningEngine(SharedStart.run(database, all));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    <T> java.util.Collection<T> beans(Class<T> type) {
        return context.getBeansOfType(type).values();
    }

    MonitoringEngine monitoring() {
        return context.getBean(MonitoringEngine.class);
    }

    Database database() {
        return context.getBean(Database.class);
    }

    /** Names of the engine's own meters. */
    Set<String> meterNames() {
        return context.getBean(MeterRegistry.class).getMeters().stream()
                .map(meter -> meter.getId().getName())
                .filter(name -> name.startsWith("stillwater."))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Present value of a gauge of the engine. */
    double gauge(String name) {
        return context.getBean(MeterRegistry.class).get(name).gauge().value();
    }

    /** Present value of a counter of the engine. */
    double count(String name) {
        return context.getBean(MeterRegistry.class).get(name).counter().count();
    }

    /** Present value of a counter of the engine that has a tag. */
    double count(String name, String tag, String value) {
        return context.getBean(MeterRegistry.class).get(name).tag(tag, value).counter().count();
    }

    /** Present value of a counter that the engine keeps itself. */
    double functionCount(String name) {
        return context.getBean(MeterRegistry.class).get(name).functionCounter().count();
    }

    ApiClient api() {
        return api;
    }

    String address() {
        return api.address();
    }

    /** Statements so far; health checks and dumps of statistics are no part of any cycle. */
    long statements() {
        var counts = database().statements();
        return counts.statements()
                - counts.statements(SqlStage.HEALTH)
                - counts.statements(SqlStage.DWH)
                - counts.statements(SqlStage.HISTORY)
                - counts.statements(SqlStage.REGRESSIONS);
    }

    /**
     * Statements so far of each stage that a cycle could cause: without health, DWH and history.
     */
    Map<SqlStage, Long> cycleStages() {
        Map<SqlStage, Long> stages = stages();
        stages.keySet()
                .removeAll(
                        EnumSet.of(
                                SqlStage.HEALTH,
                                SqlStage.DWH,
                                SqlStage.HISTORY,
                                SqlStage.REGRESSIONS));
        return stages;
    }

    /** Statements so far of each stage, for messages of failures. */
    Map<SqlStage, Long> stages() {
        Map<SqlStage, Long> stages = new EnumMap<>(SqlStage.class);
        for (SqlStage stage : SqlStage.values()) {
            stages.put(stage, database().statements().statements(stage));
        }
        return stages;
    }

    HttpResponse<String> get(String path) {
        return api.get(path);
    }

    HttpResponse<String> post(String path, String json) {
        return api.post(path, json);
    }

    HttpResponse<String> put(String path, String json) {
        return api.put(path, json);
    }

    /** A POST without a body. */
    HttpResponse<String> post(String path) {
        return api.post(path);
    }

    HttpResponse<String> delete(String path) {
        return api.delete(path);
    }

    HttpResponse<String> send(HttpRequest request) {
        return api.send(request);
    }

    JsonNode json(String path) {
        return api.json(path);
    }

    /**
     * Opens an event stream. Like any client it comes again when all places are taken: the engine
     * notices that a reader has gone only when it next writes to it.
     */
    Stream stream(String query, String... headers) throws Exception {
        HttpRequest.Builder request = api.request("/api/v1/stream" + query);
        if (headers.length > 0) {
            request.headers(headers);
        }
        AtomicReference<HttpResponse<InputStream>> answer = new AtomicReference<>();
        await(
                () -> {
                    answer.set(
                            api.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
                    return answer.get().statusCode() != 503;
                },
                () -> "no place for another stream");
        return new Stream(answer.get());
    }

    /** Opens another stream of events. */
    Stream open(String path) {
        HttpResponse<InputStream> answer =
                api.send(api.request(path).build(), HttpResponse.BodyHandlers.ofInputStream());
        if (answer.statusCode() != 200) {
            throw new AssertionError(path + ": " + answer.statusCode());
        }
        return new Stream(answer);
    }

    /**
     * Polls every host at least once from now on and waits for the answers. A host answers one poll
     * at a time; the first answer may be that of a poll that was under way before, so there are
     * two. More polls may follow.
     */
    void pollAll() {
        for (HostView host : monitoring().fleet().hosts()) {
            HostId id = host.state().definition().id();
            for (int answers = 0; answers < 2; answers++) {
                HostView before = monitoring().fleet().host(id);
                Instant last = before == null ? null : before.lastPollAt();
                await(
                        () -> {
                            monitoring().administration().refresh(id);
                            return later(monitoring().fleet().host(id), last);
                        },
                        () -> "no poll of " + host.state().definition().name());
            }
        }
    }

    private static boolean later(HostView host, Instant than) {
        return host != null
                && host.lastPollAt() != null
                && (than == null || host.lastPollAt().isAfter(than));
    }

    void awaitHostsUp(int count) {
        await(
                () ->
                        monitoring().fleet().hosts().stream()
                                        .filter(host -> host.state().status() == HostStatus.UP)
                                        .count()
                                == count,
                () -> "hosts: " + monitoring().health());
    }

    /** Until everything known and audited is durable. */
    void awaitWritten() {
        await(
                () -> {
                    var health = monitoring().health();
                    return health.writer().waiting() == 0
                            && health.audit().waiting() == 0
                            && gauge("stillwater.beliefs.queue") == 0;
                },
                () -> "not durable: " + monitoring().health());
    }

    /** Looks again and again until it holds; the pause only spares the processor. */
    static void await(BooleanSupplier holds, Supplier<String> otherwise) {
        long began = System.nanoTime();
        while (!holds.getAsBoolean()) {
            long waited = System.nanoTime() - began;
            if (waited > PATIENCE.toNanos()) {
                throw new AssertionError("not within " + PATIENCE + ": " + otherwise.get());
            }
            // A question costs the engine that the other tests need, so a long wait asks less
            // often.
            java.util.concurrent.locks.LockSupport.parkNanos(
                    Math.clamp(waited / 8, 5_000_000, 20_000_000));
        }
    }

    @Override
    public void close() {
        context.close();
    }

    /** One server-sent event. */
    record Event(String name, String id, String data) {

        JsonNode json() {
            return JSON.readTree(data);
        }
    }

    /** A reader of the event stream. */
    static final class Stream implements AutoCloseable {

        private final HttpResponse<InputStream> answer;
        private final BufferedReader lines;

        private Stream(HttpResponse<InputStream> answer) {
            this.answer = answer;
            this.lines =
                    new BufferedReader(
                            new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
        }

        HttpResponse<InputStream> answer() {
            return answer;
        }

        /** The next event; comments are skipped. Null when the stream has ended. */
        Event next() throws IOException {
            String name = "message";
            String id = null;
            String data = null;
            String line;
            while ((line = lines.readLine()) != null) {
                if (line.isEmpty()) {
                    if (data != null) {
                        return new Event(name, id, data);
                    }
                    name = "message";
                } else if (line.startsWith("event: ")) {
                    name = line.substring(7);
                } else if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("data: ")) {
                    data = line.substring(6);
                }
            }
            return null;
        }

        /** Reads on to the event of this name. */
        Event next(String name) throws IOException {
            Event event = next();
            while (event != null && !event.name().equals(name)) {
                event = next();
            }
            return event;
        }

        @Override
        public void close() throws IOException {
            answer.body().close();
        }
    }
}
