package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.net.FaultKind;
import org.stillwater.fake.net.FaultSpec;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.vdsm.wire.DearDecoder;
import tools.jackson.databind.JsonNode;

/**
 * Trouble that is injected into a running engine is found by name in its REST API, first in its
 * list. Trouble that leaves something behind comes last.
 */
@Tag("full") // waits that must be longer than those of a busy machine
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@DisplayName("Injected trouble")
class InjectedTroubleIT {

    private static final int HOSTS = 2;
    private static final int VMS = 12;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(20, HOSTS, VMS / HOSTS));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=2s",
                        "--stillwater.profile.interval=1s",
                        "--stillwater.profile.sample-period=10ms",
                        "--stillwater.profile.allocation-samples=200",
                        "--stillwater.stalls.logged=2s");
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == VMS,
                () -> "" + engine.monitoring().health());
        engine.awaitWritten();
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    private static Stream<JsonNode> items(String path) {
        return engine.json("/api/v1/" + path).path("items").valueStream();
    }

    private static JsonNode firstStructure() {
        return items("engine/memory?seconds=10")
                .filter(item -> item.has("name"))
                .findFirst()
                .orElseThrow();
    }

    /** How long the first of the sessions that wait for a lock of the database waits. */
    private static Duration waitsFor(Connection connection) {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                """
                                SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0)
                                  FROM pg_stat_activity
                                 WHERE datname = current_database() AND wait_event_type = 'Lock'
                                """)) {
            assertThat(row.next()).isTrue();
            return Duration.ofMillis((long) (row.getDouble(1) * 1_000));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** A transaction that keeps others from writing to a table. */
    private static Connection locked(String table) throws SQLException {
        Connection holder = database.connect();
        holder.setAutoCommit(false);
        try (Statement statement = holder.createStatement()) {
            statement.execute("LOCK TABLE " + table + " IN SHARE MODE");
        }
        return holder;
    }

    private static void awaitWait(Connection holder, Duration atLeast) {
        RunningEngine.await(
                () -> waitsFor(holder).compareTo(atLeast) >= 0,
                () -> "the longest wait is " + waitsFor(holder));
    }

    private static void awaitAll(VmStatus status) {
        RunningEngine.await(
                () -> fleet.world().vms().stream().allMatch(vm -> status(vm) == status),
                () -> engine.get("/api/v1/vms").body());
    }

    private static VmStatus status(SimulatedVm vm) {
        var known = engine.monitoring().fleet().vm(VmId.of(vm.id()));
        return known == null ? null : known.state().runtime().status();
    }

    /** Does something until it shows; the work takes much longer than the look. */
    private static void until(BooleanSupplier shows, Runnable work, Supplier<String> otherwise) {
        long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!shows.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as(otherwise).isNegative();
            work.run();
        }
    }

    /** Holds the threads that log a line with this word. */
    private static final class HeldLog extends UnsynchronizedAppenderBase<ILoggingEvent> {

        private final String word;
        private final CountDownLatch free = new CountDownLatch(1);
        private volatile boolean holds;

        HeldLog(String word) {
            this.word = word;
        }

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getFormattedMessage().contains(word)) {
                holds = true;
                try {
                    free.await();
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Test
    @Order(1)
    @DisplayName(
            "a host's thread that is blocked is an audit event with its stack, and its reports"
                    + " wait")
    void aBlockedThread() {
        List<String> before = stalls().map(each -> each.path("hostName").asString("")).toList();
        SimulatedVm vm =
                fleet.world().vms().stream()
                        .filter(each -> !before.contains(each.host()))
                        .findFirst()
                        .orElseThrow();
        String host = vm.host();
        SimulatedVm other =
                fleet.world().vms().stream()
                        .filter(each -> host.equals(each.host()) && !each.id().equals(vm.id()))
                        .findFirst()
                        .orElseThrow();
        Logger log = (Logger) LoggerFactory.getLogger("org.stillwater.monitoring.host");
        HeldLog held = new HeldLog("vm=" + vm.id());
        held.setContext(log.getLoggerContext());
        held.start();
        log.addAppender(held);
        try {
            vm.pause(PauseCause.USER);
            RunningEngine.await(() -> held.holds, () -> "no line of the log is held");
            other.pause(PauseCause.USER);
            RunningEngine.await(() -> stall(host) != null, () -> stalls().toList().toString());
            JsonNode details = stall(host).path("details");
            assertThat(details.path("what").asString()).isEqualTo("reports of host " + host);
            assertThat(Long.parseLong(details.path("millis").asString())).isGreaterThan(2_000);
            assertThat(details.path("stack").asString())
                    .contains("CountDownLatch.await", "InjectedTroubleIT$HeldLog.append");
            assertThat(stall(host).path("text").asString()).contains("reports of host " + host);

            JsonNode explained = engine.json("/api/v1/hosts/" + host + "/explain");
            assertThat(delay(explained, "mailbox_behind").path("text").asString()).contains(host);
            assertThat(engine.count("stillwater.stalls", "what", "mailbox")).isPositive();
        } finally {
            held.free.countDown();
            log.detachAppender(held);
        }
        vm.resume();
        other.resume();
        awaitAll(VmStatus.UP);
    }

    private static Stream<JsonNode> stalls() {
        return items("events?event=ENGINE_STALLED&limit=100");
    }

    private static JsonNode stall(String host) {
        return stalls().filter(each -> each.path("hostName").asString("").equals(host))
                .findFirst()
                .orElse(null);
    }

    private static JsonNode delay(JsonNode explained, String code) {
        return explained
                .path("items")
                .valueStream()
                .flatMap(each -> each.path("delays").valueStream())
                .filter(each -> each.path("code").asString().equals(code))
                .findFirst()
                .orElseThrow(() -> new AssertionError(explained.toString()));
    }

    @Test
    @Order(2)
    @DisplayName("a slow statement is the first statement, and the queue behind it the fullest")
    void aSlowStatementAndItsQueue() throws Exception {
        try (Connection holder = locked("audit_log")) {
            List<SimulatedVm> vms = fleet.world().vms();
            for (int round = 0; round < 2; round++) {
                vms.forEach(vm -> vm.pause(PauseCause.USER));
                awaitAll(VmStatus.PAUSED);
                vms.forEach(SimulatedVm::resume);
                awaitAll(VmStatus.UP);
            }
            RunningEngine.await(
                    () -> firstStructure().path("name").asString().equals("audit queue"),
                    () -> engine.json("/api/v1/engine/memory").toString());
            assertThat(firstStructure().path("meter").asString())
                    .isEqualTo("stillwater.audit.queue");
            assertThat(firstStructure().path("entries").asInt()).isGreaterThan(VMS);
            long others =
                    engine.json("/api/v1/engine/statements?seconds=600")
                            .path("totalMicros")
                            .asLong();
            awaitWait(holder, Duration.ofMillis(others / 1_000).plusSeconds(2));
            holder.rollback();
        }
        RunningEngine.await(
                () -> firstStatement().path("statement").asString().contains("audit_log"),
                () -> engine.json("/api/v1/engine/statements?seconds=600").toString());
        assertThat(firstStatement().path("name").asString()).startsWith("JdbcAuditStore.");
        assertThat(firstStatement().path("stage").asString()).isEqualTo("audit");
        assertThat(firstStatement().path("longestMicros").asLong()).isGreaterThan(2_000_000);
        engine.awaitWritten();
        assertThat(firstStructure().path("name").asString()).isNotEqualTo("audit queue");
    }

    private static JsonNode firstStatement() {
        return items("engine/statements?seconds=600").findFirst().orElseThrow();
    }

    @Test
    @Order(3)
    @DisplayName("a lock that is held is the first wait, by its name")
    void aHeldLock() throws Exception {
        String path = "/api/v1/clusters/" + ClusterId.DEFAULT;
        String same = engine.json(path).toString();
        try (Connection holder = locked("cluster");
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Integer> first = clients.submit(() -> engine.put(path, same).statusCode());
            awaitWait(holder, Duration.ofMillis(1));
            Future<Integer> second = clients.submit(() -> engine.put(path, same).statusCode());
            awaitWait(holder, waitsFor(holder).plusSeconds(4));
            holder.rollback();
            assertThat(first.get()).isEqualTo(200);
            assertThat(second.get()).isEqualTo(200);
        }
        RunningEngine.await(
                () -> firstWait().path("name").asString("").equals("changes of clusters"),
                () -> engine.json("/api/v1/engine/profile?seconds=20").path("waits").toString());
        assertThat(firstWait().path("kind").asString()).isEqualTo("lock");
        assertThat(firstWait().path("stage").asString()).isEqualTo("apply");
        assertThat(firstWait().path("place").asString())
                .isEqualTo("org.stillwater.monitoring.cluster.Clusters.alone");
        assertThat(firstWait().path("longestMillis").asLong()).isGreaterThan(1_000);
    }

    private static JsonNode firstWait() {
        return engine.json("/api/v1/engine/profile?seconds=20").path("waits").path(0);
    }

    @Test
    @Order(4)
    @DisplayName(
            "a host with delayed reports is the oldest, is slow, and its values have the reason")
    void delayedReports() {
        String host = fleet.network().hosts().getLast().host().value();
        fleet.network()
                .faults()
                .add(
                        FaultSpec.of(FaultKind.LATENCY)
                                .withHost(host)
                                .withDelay(Duration.ofSeconds(12), Duration.ofSeconds(12)));
        String path = "/api/v1/hosts/" + host + "/explain";
        try {
            RunningEngine.await(
                    () -> engine.json(path).toString().contains("poll_late"),
                    () -> engine.json(path).toString());
            RunningEngine.await(
                    () -> {
                        JsonNode first = engine.json("/api/v1/health/hosts").path("items").path(0);
                        return first.path("name").asString("").equals(host)
                                && first.path("condition").asString().equals("slow");
                    },
                    () -> engine.get("/api/v1/health/hosts").body());
            // An answer that comes now ends the delay for a moment.
            AtomicReference<JsonNode> explained = new AtomicReference<>();
            RunningEngine.await(
                    () -> {
                        explained.set(engine.json(path));
                        return explained.get().toString().contains("poll_late");
                    },
                    () -> explained.get().toString());
            JsonNode late = delay(explained.get(), "poll_late");
            assertThat(late.path("text").asString()).contains("complete poll of host " + host);
            assertThat(late.path("remedy").asString()).contains("/refresh");
            RunningEngine.await(
                    () -> {
                        List<JsonNode> ages = byAge();
                        return ages.getFirst().path("name").asString().equals(host)
                                && polled(ages.getFirst())
                                        .isBefore(polled(ages.get(1)).minus(Duration.ofSeconds(1)));
                    },
                    () -> byAge().toString());
        } finally {
            fleet.network().faults().clear();
        }
    }

    /** Hosts, the one that was polled longest ago first. */
    private static List<JsonNode> byAge() {
        return items("hosts?fields=name,lastPollAt")
                .sorted((a, b) -> polled(a).compareTo(polled(b)))
                .toList();
    }

    private static Instant polled(JsonNode host) {
        return Instant.parse(host.path("lastPollAt").asString());
    }

    @Test
    @Order(5)
    @DisplayName("an allocation storm is the first type and the first stage")
    void anAllocationStorm() throws Exception {
        DearDecoder decoder = new DearDecoder();
        AtomicReference<JsonNode> report = new AtomicReference<>();
        Thread storm =
                Thread.ofVirtual()
                        .name("host-storm")
                        .unstarted(() ->
                                until(
                                        () -> {
                                            JsonNode memory =
                                                    engine.json("/api/v1/engine/memory?seconds=10");
                                            report.set(memory);
                                            return share(memory, "long[]") > 0.3
                                                    && first(memory, "stages", "stage")
                                                            .equals("decode");
                                        },
                                        () -> assertThat(decoder.allocate()).isPositive(),
                                        () -> engine.get("/api/v1/engine/memory").body()));
        storm.start();
        storm.join();
        JsonNode memory = report.get();
        assertThat(first(memory, "items", "type")).isEqualTo("long[]");
        assertThat(first(memory, "stages", "stage")).isEqualTo("decode");
        assertThat(share(memory, "long[]")).isGreaterThan(0.3);
    }

    /** Share of a type in all allocations; zero if another one has a greater share. */
    private static double share(JsonNode memory, String type) {
        JsonNode first = memory.path("items").path(0);
        return first.path("type").asString("").equals(type) ? first.path("share").asDouble() : 0;
    }

    private static String first(JsonNode report, String list, String name) {
        return report.path(list).path(0).path(name).asString("");
    }

    @Test
    @Order(6)
    @DisplayName("a decoder that takes long is the first stage")
    void anExpensiveDecoder() throws Exception {
        DearDecoder decoder = new DearDecoder();
        AtomicReference<JsonNode> report = new AtomicReference<>();
        Thread dear =
                Thread.ofVirtual()
                        .name("host-dear")
                        .unstarted(() ->
                                until(
                                        () -> {
                                            JsonNode profile =
                                                    engine.json(
                                                            "/api/v1/engine/profile?seconds=10&tree=true");
                                            report.set(profile);
                                            JsonNode first = profile.path("items").path(0);
                                            return first.path("stage").asString().equals("decode")
                                                    && first.path("samples").asInt() > 50
                                                    && first(profile, "threads", "kind")
                                                            .equals("host");
                                        },
                                        () -> {
                                            for (int i = 0; i < 20; i++) {
                                                assertThat(decoder.decode()).isPositive();
                                            }
                                        },
                                        () -> engine.get("/api/v1/engine/profile").body()));
        dear.start();
        dear.join();
        JsonNode cpu = report.get();
        assertThat(first(cpu, "items", "stage")).isEqualTo("decode");
        assertThat(cpu.path("items").path(0).path("cpuMillis").asLong()).isPositive();
        assertThat(first(cpu.path("tree"), "children", "name")).isEqualTo("decode");
        assertThat(first(cpu, "threads", "kind")).isEqualTo("host");
    }
}
