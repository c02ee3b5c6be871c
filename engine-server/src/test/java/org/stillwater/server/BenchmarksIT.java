package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.time.EngineClock;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.guest.BenchGuest;
import org.stillwater.monitoring.regression.RegressionMonitor;
import tools.jackson.databind.JsonNode;

/** Benchmark runs from the agent, in a process of its own, over TLS to findings and matrix. */
@Timeout(180)
class BenchmarksIT {

    private static final String PASSWORD = "long enough";
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String FILLER = "x".repeat(200);

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static HttpClient http;
    private static String address;
    private static Path authority;
    private static String mine;
    private static String hidden;
    private static String agentToken;
    private static Path tokenFile;

    /** An answer. */
    private record Answer(int status, JsonNode body) {

        String detail() {
            return body.path("detail").asString();
        }
    }

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(41, 1, 2));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.security.anonymous-role=none",
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.cycle.repoll-pause=0s",
                        "--stillwater.benchmarks.max-runs-per-object=1000",
                        "--stillwater.benchmarks.max-runs-per-day=1000",
                        "--stillwater.regressions.sample=1s",
                        "--stillwater.tls.enabled=true",
                        "--stillwater.tls.folder=" + folder.resolve("tls"));
        engine.awaitHostsUp(1);
        RunningEngine.await(
                () ->
                        engine.monitoring().fleet().vmCount() == 2
                                && engine.bean(RegressionMonitor.class).state().restored(),
                () -> "" + engine.monitoring().health());
        address = engine.address().replace("http:", "https:");
        authority = folder.resolve("tls/ca.pem");
        http = HttpClient.newBuilder().sslContext(trusting(authority)).build();
        mine = fleet.world().vms().getFirst().id().toString();
        hidden = fleet.world().vms().getLast().id().toString();
        Answer user =
                send(
                        "POST",
                        "/api/v1/users",
                        """
                        {"name": "agent", "password": "%s",
                         "grants": [{"role": "benchmarker", "vm": "%s"}]}
                        """
                                .formatted(PASSWORD, mine),
                        admin());
        assertThat(user.status()).as("%s", user).isEqualTo(201);
        Answer token =
                send(
                        "POST",
                        "/api/v1/tokens",
                        "{\"label\": \"web-1\", \"roles\": [\"benchmarker\"]}",
                        ApiClient.basic("agent", PASSWORD));
        assertThat(token.status()).as("%s", token).isEqualTo(201);
        agentToken = token.body().path("token").asString();
        tokenFile = Files.writeString(folder.resolve("token"), agentToken + "\n");
    }

    @AfterAll
    static void stop() {
        http.close();
        engine.close();
        fleet.close();
        database.close();
    }

    private static SSLContext trusting(Path pem) throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null);
        trusted.setCertificateEntry(
                "ca",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(pem))));
        TrustManagerFactory managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private static String admin() {
        return ApiClient.basic("admin", RunningEngine.PASSWORD);
    }

    private static String agent() {
        return "Bearer " + agentToken;
    }

    private static Answer send(
            String method, String path, @Nullable String body, String authorization) {
        try {
            HttpResponse<String> answer =
                    http.send(
                            HttpRequest.newBuilder(URI.create(address + path))
                                    .header("Authorization", authorization)
                                    .header("Content-Type", "application/json")
                                    .method(
                                            method,
                                            body == null
                                                    ? HttpRequest.BodyPublishers.noBody()
                                                    : HttpRequest.BodyPublishers.ofString(body))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            return new Answer(
                    answer.statusCode(),
                    RunningEngine.JSON.readTree(answer.body().isEmpty() ? "{}" : answer.body()));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The agent's output, with its exit code at the front. */
    private static String benchGuest(String... options) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                Path.of(
                                                BenchGuest.class
                                                        .getProtectionDomain()
                                                        .getCodeSource()
                                                        .getLocation()
                                                        .toURI())
                                        .toString(),
                                BenchGuest.class.getName(),
                                "--dir=" + folder,
                                "--size=16m",
                                "--seconds=1",
                                "--records=64k,1m",
                                "--operations=sequential-read,random-read",
                                "--engine=direct",
                                "--buffered"));
        command.addAll(List.of(options));
        Path said = Files.createTempFile(folder, "said", ".txt");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String text = process.exitValue() + " " + Files.readString(said);
        assertThat(text).doesNotContain(agentToken);
        return text;
    }

    @Test
    void theAgentPostsItsMatrix() throws Exception {
        String json = folder.resolve("result.json").toString();
        String[] posting = {
            "--vm=" + mine,
            "--post=" + address,
            "--token-file=" + tokenFile,
            "--ca=" + authority,
            "--json=" + json
        };

        assertThat(benchGuest(posting)).startsWith("0 ").contains("posted to " + address);

        String id =
                RunningEngine.JSON.readTree(Files.readString(Path.of(json))).path("run").asString();
        Answer run = send("GET", "/api/v1/benchmarks/" + id, null, admin());
        assertThat(run.status()).isEqualTo(200);
        assertThat(run.body().path("results").size()).isEqualTo(4);
        assertThat(run.body().path("run").path("vmId").asString()).isEqualTo(mine);
        assertThat(run.body().path("run").path("postedBy").asString()).startsWith("agent");
        assertThat(run.body().path("run").path("direct").asBoolean()).isFalse();
        // The report of the file is the one that was posted: the same one again changes nothing.
        String report = Files.readString(Path.of(json));
        assertThat(send("POST", "/api/v1/benchmarks", report, agent()).status()).isEqualTo(200);
        Answer other =
                send(
                        "POST",
                        "/api/v1/benchmarks",
                        report.replace("\"seconds\": 1", "\"seconds\": 2"),
                        agent());
        assertThat(other.status()).isEqualTo(409);
        assertThat(other.detail()).contains(id);

        assertThat(benchGuest("--vm=" + mine, "--post=" + address, "--token-file=" + tokenFile))
                .startsWith("1 ")
                .contains("cannot trust " + address);
        posting[0] = "--vm=" + hidden;
        assertThat(benchGuest(posting))
                .startsWith("1 ")
                .contains("refuses it with 404: There is no VM " + hidden);
        Path wrong = Files.writeString(folder.resolve("wrong"), "wrong");
        posting[0] = "--vm=" + mine;
        posting[2] = "--token-file=" + wrong;
        assertThat(benchGuest(posting)).startsWith("1 ").contains("does not accept the token of");
    }

    @Test
    void anAgentsTokenDoesNothingElse() {
        for (String path :
                List.of(
                        "/api/v1/benchmarks",
                        "/api/v1/benchmarks/matrix?vm=" + mine,
                        "/api/v1/vms/" + mine,
                        "/api/v1/findings",
                        "/api/v1/events")) {
            assertThat(send("GET", path, null, agent()).status()).as(path).isEqualTo(403);
        }
        assertThat(
                        send("DELETE", "/api/v1/benchmarks/" + UUID.randomUUID(), null, agent())
                                .status())
                .isEqualTo(403);
        assertThat(send("POST", "/api/v1/vms/" + mine + "/stop", "{}", agent()).status())
                .isEqualTo(403);
        Answer permit =
                send("POST", "/api/v1/benchmarks/permits", "{\"vm\": \"" + mine + "\"}", agent());
        assertThat(permit.status()).isEqualTo(200);
        assertThat(permit.body().path("granted").asBoolean()).as("%s", permit).isTrue();
        assertThat(
                        send(
                                        "POST",
                                        "/api/v1/benchmarks/permits",
                                        "{\"vm\": \"" + hidden + "\"}",
                                        agent())
                                .status())
                .isEqualTo(404);
        Answer late =
                send(
                        "POST",
                        "/api/v1/benchmarks/permits",
                        "{\"vm\": \"" + mine + "\", \"seconds\": 3600}",
                        agent());
        assertThat(late.body().path("reason").asString()).isEqualTo("budget");
        assertThat(late.body().path("retryAfterSeconds").asInt()).isPositive();
    }

    private static String report(String object, Instant at, String results) {
        return """
        {"run": "%s", %s, "startedAt": "%s", "engine": "direct", "machine": "web-1",
         "kernel": "Linux 6.1", "direct": true, "fileBytes": 1073741824, "seconds": 5,
         "results": [%s]}
        """
                .formatted(UUID.randomUUID(), object, at, results);
    }

    private static String cell(String operation, int recordBytes, double speed) {
        long bytes = Math.round(speed * 5_000_000);
        return """
        {"operation": "%s", "recordBytes": %d, "bytes": %d, "millis": 5000,
         "megabytesPerSecond": %s}
        """
                .formatted(operation, recordBytes, bytes, bytes / 5e6);
    }

    private static void refused(String body, int status, String message) {
        Answer answer = send("POST", "/api/v1/benchmarks", body, agent());
        assertThat(answer.status()).as("%s", answer).isEqualTo(status);
        assertThat(answer.detail()).contains(message);
    }

    @Test
    void wrongReportsAreRefusedByName() {
        Instant now = engine.bean(EngineClock.class).now();
        String vm = "\"vm\": \"" + mine + "\"";
        String fine = cell("random-read", 65_536, 100);
        String report = report(vm, now, fine);
        refused(report.replace("\"kernel\"", "\"kernal\""), 400, "kernel is missing");
        refused(report.replace("\"direct\": true", "\"direct\": true, \"x\": 1"), 400, "x here");
        refused(
                report.replace("\"millis\"", "\"unit\": \"MB/s\", \"millis\""),
                400,
                "results[0].unit");
        refused(report.replace(": 100.0", ": 95.4"), 400, "does not follow from bytes and millis");
        refused(report.replace(": 100.0", ": -100.0"), 400, "must be a positive number");
        refused(report.replace(": 100.0", ": 1e999"), 400, "must be a positive number");
        refused(report.replace(": 100.0", ": \"100\""), 400, "must be a positive number");
        refused(report.replace(": 100.0", ": NaN"), 400, "");
        refused(report.replace("65536", "65537"), 400, "results[0]: recordBytes must be a power");
        refused(report.replace("random-read", "random"), 400, "operation must be one of");
        refused(report(vm, now, fine + "," + fine), 400, "two cells of random-read");
        refused(report(vm, now, ""), 400, "results must have 1 to 36 cells, not 0");
        refused(report(vm, now, (fine + ",").repeat(36) + fine), 400, "1 to 36 cells, not 37");
        refused(report(vm, now.plusSeconds(9_000), fine), 400, "startedAt is in the future");
        refused(report(vm, now.minusSeconds(90_000_000), fine), 400, "startedAt is older");
        refused(report(vm + ", \"host\": \"" + mine + "\"", now, fine), 400, "one of both");
        refused(report("\"vm\": \"web-1\"", now, fine), 400, "vm must be a UUID");
        refused(report("\"vm\": \"" + hidden + "\"", now, fine), 404, "There is no VM " + hidden);
        refused(report("\"host\": \"" + mine + "\"", now, fine), 404, "There is no host " + mine);
        refused(
                report.replace("web-1", FILLER + "x"),
                400,
                "machine must have 1 to 200 characters");
        refused(report.replace("web-1", FILLER.repeat(6_000)), 413, "A body may have at most");
    }

    @Test
    void aDipAtOneRecordSizeIsExactlyThatCell() {
        Random random = new Random(7);
        String host = engine.monitoring().fleet().hosts().getFirst().state().definition().id() + "";
        Instant first = engine.bean(EngineClock.class).now().minus(Duration.ofDays(10));
        String last = "";
        for (int i = 0; i < 36; i++) {
            StringBuilder cells = new StringBuilder();
            for (int size = 65_536; size <= 16_777_216; size *= 2) {
                for (String operation : List.of("sequential-read", "sequential-write")) {
                    boolean slow =
                            i >= 24 && size == 524_288 && operation.equals("sequential-write");
                    cells.append(cells.isEmpty() ? "" : ",")
                            .append(
                                    cell(
                                            operation,
                                            size,
                                            (slow ? 250 : 400)
                                                    * Math.exp(0.04 * random.nextGaussian())));
                }
            }
            Answer posted =
                    send(
                            "POST",
                            "/api/v1/benchmarks",
                            report(
                                    "\"host\": \"" + host + "\"",
                                    first.plus(Duration.ofHours(6L * i)),
                                    cells.toString()),
                            admin());
            assertThat(posted.status()).as("%s", posted).isEqualTo(201);
            last = posted.body().path("id").asString();
        }

        JsonNode matrix =
                send("GET", "/api/v1/benchmarks/matrix?host=" + host, null, admin()).body();

        assertThat(matrix.path("runs").asInt()).isEqualTo(36);
        assertThat(matrix.path("cells").size()).isEqualTo(18);
        List<JsonNode> dips = new ArrayList<>();
        matrix.path("cells")
                .forEach(cell -> {
                    assertThat(cell.path("low").asDouble())
                            .isLessThan(cell.path("baseline").asDouble());
                    if (cell.path("dip").asBoolean()) {
                        dips.add(cell);
                    }
                });
        assertThat(dips).hasSize(1);
        JsonNode dip = dips.getFirst();
        assertThat(dip.path("operation").asString()).isEqualTo("sequential-write");
        assertThat(dip.path("recordBytes").asInt()).isEqualTo(524_288);
        assertThat(dip.path("changePercent").asDouble()).isBetween(-45.0, -30.0);
        JsonNode found = send("GET", "/api/v1/findings?level=benchmark-cell", null, admin()).body();
        assertThat(found.path("total").asInt()).isEqualTo(1);
        JsonNode finding = found.path("items").get(0);
        assertThat(finding.path("id")).isEqualTo(dip.path("findingId"));
        assertThat(finding.path("hostId").asString()).isEqualTo(host);
        assertThat(finding.path("objectName").asString())
                .startsWith("sequential-write with 512 KiB records of host ");
        Answer details =
                send("GET", "/api/v1/findings/" + finding.path("id").asString(), null, admin());
        assertThat(details.status()).isEqualTo(200);
        JsonNode points = details.body().path("evidence").get(0);
        assertThat(details.body().path("evidence").size()).isEqualTo(1);
        assertThat(points.path("metric").asString()).isEqualTo("benchmark-throughput");
        assertThat(points.path("values").size()).isEqualTo(36);
        assertThat(points.path("begin").asInt()).isBetween(23, 25);
        assertThat(points.path("times").get(24).asString())
                .isEqualTo(first.plus(Duration.ofDays(6)).toString());
        JsonNode series =
                send(
                                "GET",
                                "/api/v1/benchmarks/series?host="
                                        + host
                                        + "&operation=sequential-write&recordBytes=524288",
                                null,
                                admin())
                        .body();
        assertThat(series.path("points").size()).isEqualTo(36);

        Answer page = send("GET", "/api/v1/benchmarks?limit=35&host=" + host, null, admin());
        assertThat(page.body().path("total").asInt()).isEqualTo(36);
        assertThat(page.body().path("items").get(0).path("id").asString()).isEqualTo(last);
        Answer next =
                send(
                        "GET",
                        "/api/v1/benchmarks?limit=35&host="
                                + host
                                + "&before="
                                + page.body().path("next").asString(),
                        null,
                        admin());
        assertThat(next.body().path("items").size()).isEqualTo(1);
        assertThat(next.body().path("next").isNull() || next.body().path("next").isMissingNode())
                .isTrue();
        assertThat(send("DELETE", "/api/v1/benchmarks/" + last, null, admin()).status())
                .isEqualTo(204);
        assertThat(send("DELETE", "/api/v1/benchmarks/" + last, null, admin()).status())
                .isEqualTo(404);
        assertThat(engine.count("stillwater.benchmarks.runs", "outcome", "accepted"))
                .isGreaterThanOrEqualTo(36);
    }
}
