package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.server.RunningEngine.Event;
import org.stillwater.server.RunningEngine.Stream;
import tools.jackson.databind.JsonNode;

/**
 * One running engine with a XAPI pool of 3 hosts and 30 VMs: the contracts that hold for VDSM's
 * hosts as well, and features of pools only.
 */
@Timeout(120)
@TestClassOrder(ClassOrderer.OrderAnnotation.class) // the later ones move VMs
class PoolApiIT {

    private static final int HOSTS = 3;
    private static final int VMS = 30;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedPool pool;
    private static RunningEngine engine;
    private static ContractSubject subject;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        pool = SimulatedPool.start("127.13.2", HOSTS, VMS);
        engine =
                RunningEngine.start(
                        database,
                        pool.engineArguments("xcp"),
                        "--stillwater.cycle.interval=1h",
                        "--stillwater.cycle.repoll-pause=0s",
                        "--stillwater.stream.heart-beat=100ms",
                        "--stillwater.stream.snapshot-chunk=7",
                        "--stillwater.stream.max-subscribers=20",
                        "--stillwater.stream.first-message=3s",
                        "--stillwater.data-folder=" + folder.resolve("data"));
        engine.awaitHostsUp(HOSTS);
        subject = new PoolSubject(engine, pool, "xcp", "127.13.2.*");
        RunningEngine.await(
                () ->
                        engine.json("/api/v1/vms?status=up&total=true").path("total").asInt()
                                == subject.running(),
                () -> engine.json("/api/v1/vms").toString());
        pool.advance();
        RunningEngine.await(
                () -> {
                    engine.pollAll();
                    return engine.json("/api/v1/hosts")
                                    .path("items")
                                    .valueStream()
                                    .allMatch(host ->
                                            host.path("usage").path("cpuPercent").isNumber())
                            && engine.json("/api/v1/statistics/vms")
                                            .path("items")
                                            .valueStream()
                                            .filter(vm -> vm.path("cpuUserPercent").isNumber())
                                            .count()
                                    == subject.running();
                },
                () -> engine.json("/api/v1/hosts").toString());
        engine.awaitWritten();
    }

    @AfterAll
    static void stop() {
        engine.close();
        pool.close();
        database.close();
    }

    @Nested
    @Order(1)
    @DisplayName("X58 native REST")
    class Rest extends RestContract {
        @Override
        ContractSubject subject() {
            return subject;
        }
    }

    @Nested
    @Order(3)
    @DisplayName("X58 event stream")
    class Streams extends StreamContract {
        @Override
        ContractSubject subject() {
            return subject;
        }
    }

    @Nested
    @Order(2)
    @DisplayName("X58 oVirt's REST")
    class Ovirt extends OvirtContract {
        @Override
        ContractSubject subject() {
            return subject;
        }

        @Test
        void repositoriesOfAPoolAreNoDomainsForDisksOfOtherHosts() {
            String host = engine.json("/api/v1/hosts").path("items").get(0).path("id").asString();
            JsonNode known =
                    engine.json("/api/v1/hosts/" + host).path("statistics").path("storageDomains");
            assertThat(known.propertyNames()).hasSize(2);
            assertThat(
                            engine.json("/ovirt-engine/api/storagedomains?accept=application/json")
                                    .path("storage_domain")
                                    .findValuesAsString("id"))
                    .isNotEmpty()
                    .doesNotContainAnyElementsOf(known.propertyNames());
        }
    }

    @Nested
    @Order(4)
    @DisplayName("hosts of the pool")
    class Hosts {

        @Test
        @DisplayName("fencing is left to the pool, and the refusal names the reason")
        void fencingIsLeftToThePool() {
            for (String action : List.of("fence", "confirm-rebooted")) {
                HttpResponse<String> refused =
                        engine.post(
                                "/api/v1/hosts/" + pool.hosts().getFirst() + "/" + action, "{}");
                RestContract.assertProblem(refused, 409);
                assertThat(refused.body()).as(action).contains("the pool's own high availability");
            }
        }

        @Test
        @DisplayName("a host disabled in the pool is left alone, and returns when enabled")
        void aHostThatItsPoolDisables() throws Exception {
            pool.unpauseAll(); // they could not leave their hosts
            pool.advance();
            String host = pool.hosts().getLast();
            int guests = pool.guests(host);
            try (Stream stream = engine.stream("?entity=host")) {
                stream.next("snapshot-end");
                pool.orderHost(host, "disable");
                pool.advance();
                deltaOf(stream, host, "preparing_for_maintenance");
                assertThat(host(host).path("reason").asString())
                        .contains("its pool has disabled it");
                assertThat(engine.json("/api/v1/hosts?status=preparing_for_maintenance").toString())
                        .contains(host);
                assertThat(ovirtStatus(host)).isEqualTo("preparing_for_maintenance");

                // Its VMs stay and are watched on; nothing is asked of the pool.
                String vm =
                        pool.live().stream()
                                .filter(each -> pool.hostOf(each).equals(host))
                                .findFirst()
                                .orElseThrow();
                pool.order(vm, "pause");
                pool.advance();
                awaitVm(vm, "paused");
                pool.order(vm, "unpause");
                pool.advance();
                awaitVm(vm, "up");
                assertThat(engine.json("/api/v1/vms/" + vm).path("hostId").asString())
                        .isEqualTo(host);
                assertThat(pool.guests(host)).isEqualTo(guests);
                assertThat(engine.json("/api/v1/operations?host=" + host).path("items")).isEmpty();

                // No VM is placed there.
                String halted = pool.vm("Halted");
                String start = "/api/v1/vms/" + halted + "/start";
                JsonNode there =
                        awaitEnd(operation(engine.post(start, "{\"host\":\"" + host + "\"}")));
                assertThat(there.path("state").asString()).as("" + there).isEqualTo("failed");
                assertThat(there.path("failure").path("reason").asString())
                        .contains("its status is preparing for maintenance");
                JsonNode started = awaitEnd(operation(engine.post(start, "{}")));
                assertThat(started.path("state").asString())
                        .as("" + started)
                        .isEqualTo("succeeded");
                assertThat(pool.hostOf(halted)).isNotEmpty().isNotEqualTo(host);

                // It is in maintenance once its VMs were moved away.
                pool.orderHost(host, "evacuate");
                awaitHost(host, "maintenance");
                deltaOf(stream, host, "maintenance");
                assertThat(ovirtStatus(host)).isEqualTo("maintenance");

                pool.orderHost(host, "enable");
                awaitHost(host, "up");
                deltaOf(stream, host, "up");
            }
            assertThat(engine.monitoring().flush(Duration.ofSeconds(30))).isTrue();
            assertThat(told(host, 600)).as("told once").isOne();
            assertThat(told(host, 15)).isOne();
            assertThat(told(host, 16)).isOne();
            JsonNode event =
                    engine.json("/api/v1/events?event=600&host=" + host).path("items").path(0);
            assertThat(event.path("text").asString()).contains("its pool has disabled it");
        }
    }

    private static JsonNode host(String id) {
        return engine.json("/api/v1/hosts/" + id);
    }

    private static void awaitHost(String id, String status) {
        RunningEngine.await(
                () -> {
                    pool.advance();
                    return host(id).path("status").asString().equals(status);
                },
                () -> host(id).toString());
    }

    private static long told(String host, int code) {
        return engine.json("/api/v1/events?limit=100&host=" + host + "&event=" + code)
                .path("items")
                .size();
    }

    /** Reads on until the host has the status. */
    private static void deltaOf(Stream stream, String host, String status) throws Exception {
        Event event = stream.next("delta");
        while (event != null
                && !(event.json().path("id").asString().equals(host)
                        && event.json().path("host").path("status").asString("").equals(status))) {
            event = stream.next("delta");
        }
        assertThat(event).as(status).isNotNull();
    }

    private static String ovirtStatus(String host) {
        return RunningEngine.JSON
                .readTree(
                        engine.send(
                                        HttpRequest.newBuilder(
                                                        URI.create(
                                                                engine.address()
                                                                        + "/ovirt-engine/api/hosts/"
                                                                        + host))
                                                .header("Accept", "application/json")
                                                .build())
                                .body())
                .path("status")
                .asString();
    }

    private static void awaitVm(String vm, String status) {
        RunningEngine.await(
                () -> engine.json("/api/v1/vms/" + vm).path("status").asString().equals(status),
                () -> engine.get("/api/v1/vms/" + vm).body());
    }

    private static String operation(HttpResponse<String> taken) {
        assertThat(taken.statusCode()).as(taken.body()).isEqualTo(202);
        return "/api/v1/operations/"
                + RunningEngine.JSON.readTree(taken.body()).path("id").asString();
    }

    private static JsonNode awaitEnd(String operation) {
        RunningEngine.await(
                () -> {
                    pool.advance();
                    return engine.json(operation).path("endedAt").isString();
                },
                () -> engine.get(operation).body());
        return engine.json(operation);
    }
}
