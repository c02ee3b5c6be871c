package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.User;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.server.takeover.Comparison;
import org.stillwater.server.takeover.ImportPlan;
import org.stillwater.server.takeover.ImportPlanner;
import org.stillwater.server.takeover.ImportWriter;
import org.stillwater.server.takeover.OvirtHttp;
import org.stillwater.server.takeover.ReferenceWriter;
import tools.jackson.databind.JsonNode;

/** The compatible API over HTTP: a whole engine with simulated hosts. */
class OvirtApiIT extends OvirtContract {

    private static final int HOSTS = 2;
    private static final int VMS_PER_HOST = 30;

    @TempDir static Path folder;

    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static ContractSubject subject;

    @Override
    ContractSubject subject() {
        return subject;
    }

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(21, HOSTS, VMS_PER_HOST));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=1h",
                        "--stillwater.cycle.repoll-pause=0s");
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> {
                    engine.pollAll();
                    return engine.monitoring().fleet().vmCount() == fleet.world().vms().size();
                },
                () -> engine.monitoring().fleet().vmCount() + " VMs");
        fleet.world().advance(Duration.ofSeconds(15));
        engine.pollAll();
        engine.pollAll();
        settle(engine);
        subject = new VdsmSubject(engine, fleet, HOSTS, VMS_PER_HOST);
    }

    @AfterAll
    static void stop() throws Exception {
        if (engine != null) {
            engine.close();
        }
        if (fleet != null) {
            fleet.close();
        }
        if (database != null) {
            database.close();
        }
    }

    @Test
    @DisplayName(
            "Rules 1, 2 and 5: GET and HEAD of the root, with a slash and without, are 200 and XML")
    void theRootIsAnsweredWithoutRedirect() {
        for (String method : List.of("GET", "HEAD")) {
            for (String path : List.of(API, API + "/", API + "/v4", "/ovirt-engine/api//")) {
                HttpResponse<byte[]> response = send(method, path);
                assertThat(response.statusCode()).as("%s %s", method, path).isEqualTo(200);
                assertThat(header(response, "Content-Type")).startsWith("application/xml");
                assertThat(header(response, "Link")).contains(">; rel=vms");
            }
        }
        assertThat(text(get(""))).contains("<api>", "<product_info>", "<summary>");
    }

    @Test
    @DisplayName("Rules 6 and 21: odd paths and empty parameters pass Spring's firewall")
    void oddPathsPass() {
        assertThat(send("GET", "/ovirt-engine/api//vms").statusCode()).isEqualTo(200);
        assertThat(json("/vms;max=20?follow=statistics").path("vm").size()).isEqualTo(20);
        assertThat(json("/events;max=100?from=7&search=sortby%20time%20desc").has("event"))
                .isTrue();
        assertThat(json("/vms;max=5?current&search=&follow=").path("vm").size()).isEqualTo(5);
        assertThat(get("/vms", "Content-Type", "application/xml").statusCode()).isEqualTo(200);
    }

    @Test
    @DisplayName("Rules 17 and 19: faults in both media types, 404 and 405")
    void faultsAreFaults() {
        HttpResponse<byte[]> unknown = get("/vms/v404");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(text(unknown))
                .contains(
                        "<fault><detail>Entity not found: v404</detail><reason>Operation"
                                + " Failed</reason></fault>");
        HttpResponse<byte[]> badFollow =
                get("/vms?follow=nothing", "Accept", "application/json; detail=statistics");
        assertThat(badFollow.statusCode()).isEqualTo(400);
        assertThat(header(badFollow, "Content-Type")).startsWith("application/json");
        assertThat(RunningEngine.JSON.readTree(badFollow.body()).has("detail")).isTrue();
        assertThat(get("/nowhere").statusCode()).isEqualTo(404);
        assertThat(get("/vms", "Version", "3").statusCode()).isEqualTo(400);
        assertThat(send("DELETE", API + "/clusters").statusCode()).isEqualTo(405);
    }

    @Test
    @DisplayName("another engine imports this one over the same API")
    void isImported() throws Exception {
        try (OvirtHttp reader =
                        OvirtHttp.login(
                                URI.create(engine.address()),
                                "admin@internal",
                                RunningEngine.PASSWORD,
                                null);
                TestDatabase other = TestDatabase.migrated();
                Database target = other.open()) {
            ImportPlan plan = ImportPlanner.plan(reader, Instant.EPOCH);
            assertThat(plan.hosts()).hasSize(HOSTS);
            assertThat(plan.vms()).hasSizeGreaterThanOrEqualTo(HOSTS * VMS_PER_HOST);
            User administrator =
                    new User(
                            UUID.randomUUID(),
                            "first@internal",
                            "a hash",
                            true,
                            Set.of(Grant.everywhere(Role.ADMINISTRATOR)),
                            Instant.EPOCH);
            assertThat(target.users().save(administrator)).isEqualTo(ClusterStore.Saved.SAVED);
            ImportWriter writer =
                    new ImportWriter(
                            target.stores().clusters(),
                            target.stores().hosts(),
                            target.definitions(),
                            new ReferenceWriter(target.pools(), target.tags(), target.users()));
            assertThat(writer.write(plan)).isEmpty();
            long written = generations(other);
            assertThat(writer.write(plan)).as("once more").isEmpty();
            assertThat(generations(other)).as("no VM is written again").isEqualTo(written);
            assertThat(target.hosts().loadAll())
                    .extracting(each -> each.definition().id())
                    .containsExactlyInAnyOrderElementsOf(
                            plan.hosts().stream().map(HostDefinition::id).toList());
            assertThat(target.definitions().load(plan.vms().keySet()).keySet())
                    .isEqualTo(plan.vms().keySet());
            Comparison comparison = Comparison.of(reader, reader);
            assertThat(comparison.vms()).isGreaterThanOrEqualTo(plan.vms().size());
            assertThat(comparison.differences()).isEmpty();
        }
    }

    /** Grows with each write of a definition. */
    private static long generations(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT sum(db_generation) FROM vm_static")) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }

    /** Definitions are read in the background: a request finds them soon, and never waits. */
    @Test
    void definitionsAreShownInFull() {
        String volume =
                "{\"kind\":\"volume\",\"pool\":\"%s\",\"domain\":\"%s\",\"image\":\"%s\",\"volume\":\"%s\",\"block\":false}"
                        .formatted(uuid(1), uuid(2), uuid(3), uuid(4));
        HttpResponse<String> added =
                engine.post(
                        "/api/v1/vms",
                        "{\"name\":\"defined-01\",\"memoryMebibytes\":1024,\"firmware\":\"uefi\",\"disks\":[{\"name\":\"system\",\"place\":"
                                + volume
                                + ",\"format\":\"qcow2\"}]}");
        assertThat(added.statusCode()).as(added.body()).isEqualTo(202);
        String id = RunningEngine.JSON.readTree(added.body()).path("vmId").asString();
        RunningEngine.await(
                () ->
                        text(get("/vms/" + id + "?follow=disk_attachments.disk"))
                                .contains("<alias>system</alias>"),
                () -> text(get("/vms/" + id + "?follow=disk_attachments.disk")));
        JsonNode vm = json("/vms/" + id + "?follow=disk_attachments.disk");
        assertThat(vm.path("bios").path("type").asString()).isEqualTo("q35_ovmf");
        assertThat(vm.path("status").asString()).isEqualTo("down");
        assertThat(vm.path("creation_time").asLong()).isPositive();
        JsonNode disk = vm.path("disk_attachments").path("disk_attachment").get(0).path("disk");
        assertThat(disk.path("alias").asString()).isEqualTo("system");
        assertThat(disk.path("format").asString()).isEqualTo("cow");
        String domain =
                disk.path("storage_domains").path("storage_domain").get(0).path("href").asString();
        RunningEngine.await(
                () -> send("GET", domain).statusCode() == 200, () -> domain + " is not there");
        // The operation that added the VM ends a little after the VM is shown.
        RunningEngine.await(
                () -> !json("/jobs?search=status%3Dfinished").path("job").isEmpty(),
                () -> text(get("/jobs")));
    }

    private static String uuid(int number) {
        return "00000000-0000-4000-8000-%012d".formatted(number);
    }

    @Test
    void newNumbersAreSentAgain() {
        String numbers = header(get("/vms?follow=statistics"), "ETag");
        fleet.world().advance(Duration.ofSeconds(15));
        engine.pollAll();
        assertThat(get("/vms?follow=statistics", "If-None-Match", numbers).statusCode())
                .as("after a cycle")
                .isEqualTo(200);
    }

    @Test
    void answersAreCompressedOnRequest() throws IOException {
        HttpResponse<byte[]> plain = get("/vms");
        HttpResponse<byte[]> small = get("/vms", "Accept-Encoding", "gzip");
        assertThat(header(small, "Content-Encoding")).isEqualTo("gzip");
        assertThat(small.body().length).isLessThan(plain.body().length / 5);
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(small.body()))) {
            assertThat(in.readAllBytes()).isEqualTo(plain.body());
        }
        String tag = header(small, "ETag");
        assertThat(tag).endsWith("-gzip\"").isNotEqualTo(header(plain, "ETag"));
        assertThat(get("/vms", "Accept-Encoding", "gzip", "If-None-Match", tag).statusCode())
                .isEqualTo(304);
        assertThat(header(get("/vms", "Accept-Encoding", "gzip;q=0"), "Content-Encoding"))
                .isEmpty();
    }
}
