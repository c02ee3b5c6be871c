package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
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
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.port.ClusterStore;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.server.takeover.Comparison;
import org.stillwater.server.takeover.ImportPlan;
import org.stillwater.server.takeover.ImportPlanner;
import org.stillwater.server.takeover.ImportWriter;
import org.stillwater.server.takeover.OvirtHttp;
import tools.jackson.databind.JsonNode;

/** The compatible API over HTTP: a whole engine with simulated hosts. */
class OvirtApiIT {

    private static final String API = "/ovirt-engine/api";
    private static final int HOSTS = 2;
    private static final int VMS_PER_HOST = 30;
    private static final int QUIET_ROUNDS = 5;
    private static final int MOST_ROUNDS = 200;

    @TempDir static Path folder;

    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static final HttpClient HTTP =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();

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
        settle();
    }

    /** Whatever was begun is written. */
    private static void settle() {
        long before = -1;
        int quiet = 0;
        for (int round = 0; quiet < QUIET_ROUNDS; round++) {
            assertThat(round).as("rounds, still writing").isLessThan(MOST_ROUNDS);
            engine.pollAll();
            engine.awaitWritten();
            long now = engine.statements();
            quiet = now == before ? quiet + 1 : 0;
            before = now;
        }
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

    private static HttpResponse<byte[]> send(String method, String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(engine.address() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        try {
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new AssertionError(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static HttpResponse<byte[]> get(String path, String... headers) {
        return send("GET", API + path, headers);
    }

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    private static JsonNode json(String path) {
        HttpResponse<byte[]> response = get(path, "Accept", "application/json");
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        return RunningEngine.JSON.readTree(response.body());
    }

    private static String header(HttpResponse<byte[]> response, String name) {
        return response.headers().firstValue(name).orElse("");
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
                            target.pools(),
                            target.tags(),
                            target.users());
            assertThat(writer.write(plan)).isEmpty();
            assertThat(writer.write(plan)).as("once more").isEmpty();
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

    @Test
    void vmsAndHostsAreTold() {
        JsonNode vms = json("/vms?follow=statistics,nics,disk_attachments.disk");
        assertThat(vms.path("vm").size()).isGreaterThanOrEqualTo(HOSTS * VMS_PER_HOST);
        for (JsonNode vm : vms.path("vm")) {
            assertThat(vm.path("statistics").path("statistic").size()).isEqualTo(16);
        }
        for (JsonNode host : json("/hosts?follow=statistics").path("host")) {
            assertThat(host.path("status").asString()).isEqualTo("up");
            assertThat(host.path("statistics").path("statistic").size()).isGreaterThanOrEqualTo(13);
        }
        JsonNode found = json("/vms?search=status%3Dup+sortby+name+asc+page+1&max=5");
        assertThat(found.path("vm").size()).isEqualTo(5);
    }

    /** Definitions are read behind the scenes: who asks finds them soon, and never waits. */
    @Test
    void whatADefinitionSaysIsTold() {
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
        assertThat(json("/jobs?search=status%3Dfinished").path("job").size()).isPositive();
    }

    private static String uuid(int number) {
        return "00000000-0000-4000-8000-%012d".formatted(number);
    }

    /** Whatever is told to be somewhere is there. */
    @Test
    void everyReferenceLeadsSomewhere() {
        Set<String> hrefs = new HashSet<>();
        collect(json("/vms;max=3?follow=nics,disk_attachments,snapshots"), hrefs);
        collect(json("/hosts;max=1?follow=nics"), hrefs);
        collect(json("/vnicprofiles"), hrefs);
        collect(json("/storagedomains"), hrefs);
        collect(json("/"), hrefs);
        assertThat(hrefs).hasSizeGreaterThan(60);
        for (String href : hrefs) {
            assertThat(send("GET", href).statusCode()).as(href).isEqualTo(200);
        }
    }

    private static void collect(JsonNode node, Set<String> hrefs) {
        JsonNode href = node.path("href");
        if (href.isString() && !href.asString().contains("{")) {
            hrefs.add(href.asString());
        }
        if (node.isArray()) {
            node.forEach(child -> collect(child, hrefs));
        }
        for (var member : node.properties()) {
            // Actions are asked for with POST.
            if (!member.getKey().equals("actions")) {
                collect(member.getValue(), hrefs);
            }
        }
    }

    @Test
    void nothingIsReadFromTheDatabase() {
        List<String> paths = new ArrayList<>();
        for (String list :
                List.of(
                        "vms",
                        "hosts",
                        "clusters",
                        "datacenters",
                        "disks",
                        "events",
                        "jobs",
                        "storagedomains",
                        "templates",
                        "networks",
                        "vnicprofiles",
                        "vmpools",
                        "users",
                        "groups",
                        "roles",
                        "permissions",
                        "tags",
                        "operatingsystems")) {
            paths.add("/" + list);
        }
        paths.add("");
        paths.add(
                "/vms?follow=statistics,nics.statistics,disk_attachments.disk,snapshots,sessions");
        paths.add("/hosts?follow=statistics,nics.statistics,numa_nodes.statistics");
        paths.add("/disks?follow=statistics");
        paths.add("/vms?search=status%3Dup+and+cpu_usage%3E0+sortby+name");
        String vm = json("/vms;max=1").path("vm").get(0).path("id").asString();
        for (String part :
                List.of(
                        "",
                        "/nics",
                        "/reporteddevices",
                        "/diskattachments",
                        "/snapshots",
                        "/statistics",
                        "/graphicsconsoles",
                        "/numanodes",
                        "/cdroms",
                        "/applications",
                        "/sessions",
                        "/permissions")) {
            paths.add("/vms/" + vm + part);
        }
        settle();
        long before = engine.statements();
        for (String path : paths) {
            assertThat(get(path).statusCode()).as(path).isEqualTo(200);
            assertThat(engine.statements()).as("statements after %s", path).isEqualTo(before);
        }
    }

    @Test
    void whatHasNotChangedIsNotToldAgain() {
        for (String path : List.of("/vms", "/vms;max=2?follow=statistics", "/hosts", "/clusters")) {
            HttpResponse<byte[]> first = get(path);
            String tag = header(first, "ETag");
            assertThat(tag).as(path).matches("\"[0-9a-f]{32}\"");
            assertThat(header(first, "Cache-Control")).contains("private");
            assertThat(header(first, "Vary")).contains("Accept");
            HttpResponse<byte[]> again = get(path, "If-None-Match", tag);
            assertThat(again.statusCode()).as(path).isEqualTo(304);
            assertThat(again.body()).isEmpty();
            assertThat(header(again, "ETag")).isEqualTo(tag);
            assertThat(get(path, "If-None-Match", tag, "Accept", "application/json").statusCode())
                    .as("another media type")
                    .isEqualTo(200);
        }
        String numbers = header(get("/vms?follow=statistics"), "ETag");
        fleet.world().advance(Duration.ofSeconds(15));
        engine.pollAll();
        assertThat(get("/vms?follow=statistics", "If-None-Match", numbers).statusCode())
                .as("after a cycle")
                .isEqualTo(200);
    }

    @Test
    void answersAreCompressedForWhoeverWantsIt() throws IOException {
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
