package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.server.ApiClient.basic;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.net.FaultKind;
import org.stillwater.fake.net.FaultSpec;
import org.stillwater.fake.net.FaultSpec.BadCertificate;
import org.stillwater.fake.pki.CertificateAuthority;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/**
 * Another host takes a host's place, with a valid certificate of the same authority: it is refused,
 * named, and accepted only by an administrator who names the certificate.
 */
@Timeout(300)
class HostCertificatesIT {

    private static final String ADMIN = basic("admin@internal", RunningEngine.PASSWORD);
    private static final String READER = basic("reader@internal", "a-reader-of-all-1");

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static String host;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(31, 1, 1));
        engine = engine();
        engine.awaitHostsUp(1);
        host = engine.monitoring().fleet().hosts().getFirst().state().definition().id().toString();
        assertThat(
                        send(
                                        "POST",
                                        "/api/v1/users",
                                        "{\"name\": \"reader@internal\", \"password\":"
                                                + " \"a-reader-of-all-1\", \"grants\": [{\"role\":"
                                                + " \"reader\"}]}",
                                        ADMIN)
                                .statusCode())
                .isEqualTo(201);
    }

    /** With the default settings about names. */
    private static RunningEngine engine() {
        List<String> arguments = new ArrayList<>(fleet.engineArguments());
        arguments.removeIf(each -> each.contains("check-host-name"));
        return RunningEngine.start(
                database,
                arguments,
                "--stillwater.cycle.interval=500ms",
                "--stillwater.host-policy.refresh=100ms",
                "--stillwater.security.anonymous-role=none");
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    private static HttpResponse<String> send(
            String method, String path, @Nullable String body, String credentials) {
        return engine.api()
                .send(
                        method,
                        path,
                        body,
                        "Authorization",
                        credentials,
                        "Content-Type",
                        "application/json");
    }

    private static JsonNode get(String path) {
        HttpResponse<String> answer = send("GET", path, null, ADMIN);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return RunningEngine.JSON.readTree(answer.body());
    }

    private static JsonNode certificate() {
        return get("/api/v1/hosts/" + host + "/certificate");
    }

    private static HttpResponse<String> confirm(String body, String credentials) {
        return send("POST", "/api/v1/hosts/" + host + "/certificate/confirm", body, credentials);
    }

    private static String named(String fingerprint) {
        return "{\"fingerprint\": \"" + fingerprint + "\"}";
    }

    private static void reconnect() {
        fleet.network().faults().add(FaultSpec.of(FaultKind.DROP).withCount(1));
    }

    private static JsonNode awaitRefused() {
        RunningEngine.await(
                () -> !certificate().path("refused").isNull(), () -> certificate().toString());
        return certificate().path("refused");
    }

    private static void awaitConnected() {
        RunningEngine.await(
                () ->
                        get("/api/v1/hosts/" + host).path("connected").asBoolean()
                                && get("/api/v1/hosts/" + host)
                                        .path("status")
                                        .asString()
                                        .equals("up"),
                () -> get("/api/v1/hosts/" + host).toString());
    }

    private static List<String> events(String event) {
        List<String> texts = new ArrayList<>();
        get("/api/v1/events?limit=500")
                .path("items")
                .forEach(item -> {
                    if (item.path("event").asString().equals(event)) {
                        texts.add(item.path("text").asString());
                    }
                });
        return texts;
    }

    @Test
    void anotherHostsCertificateIsRefusedUntilAnAdministratorNamesIt() {
        JsonNode first = certificate();
        assertThat(first.path("binding").asString()).as("it names 127.0.0.1").isEqualTo("name");
        assertThat(first.path("refused").isNull()).isTrue();
        assertThat(get("/api/v1/hosts/" + host).path("certificate")).isEqualTo(first);

        fleet.network()
                .faults()
                .add(
                        FaultSpec.of(FaultKind.BAD_CERTIFICATE)
                                .withCertificate(BadCertificate.WRONG_NAME));
        reconnect();
        JsonNode refused = awaitRefused();
        String fingerprint = refused.path("fingerprint").asString();
        assertThat(fingerprint)
                .matches("([0-9A-F]{2}:){31}[0-9A-F]{2}")
                .isNotEqualTo(first.path("fingerprint").asString());
        assertThat(refused.path("names").asString()).isEqualTo("another-host.invalid");
        JsonNode trouble = get("/api/v1/health/hosts");
        RunningEngine.await(
                () ->
                        get("/api/v1/health/hosts")
                                .path("items")
                                .path(0)
                                .path("condition")
                                .asString()
                                .equals("untrusted"),
                trouble::toString);
        assertThat(get("/api/v1/health/hosts").path("items").path(0).path("why").asString())
                .contains(fingerprint, "/certificate/confirm");
        assertThat(events("HOST_CERTIFICATE_REFUSED"))
                .singleElement()
                .satisfies(text ->
                        assertThat(text)
                                .contains(fingerprint, first.path("fingerprint").asString()));

        assertThat(confirm(named(fingerprint), READER).statusCode()).isEqualTo(403);
        assertThat(confirm(named(first.path("fingerprint").asString()), ADMIN).statusCode())
                .as("not the one that was shown")
                .isEqualTo(409);
        for (String bad :
                List.of(
                        "{}",
                        "{\"fingerprint\": null}",
                        "{\"fingerprint\": 7}",
                        named("ab"),
                        "{\"fingerprint\": \"" + fingerprint + "\", \"force\": true}",
                        "[]",
                        "")) {
            assertThat(confirm(bad, ADMIN).statusCode()).as(bad).isEqualTo(400);
        }
        assertThat(
                        send(
                                        "POST",
                                        "/api/v1/hosts/00000000-0000-0000-0000-000000000009/certificate/confirm",
                                        named(fingerprint),
                                        ADMIN)
                                .statusCode())
                .isEqualTo(404);
        assertThat(certificate().path("refused").isNull()).as("nothing was accepted").isFalse();

        HttpResponse<String> confirmed = confirm(named(fingerprint.replace(":", "")), ADMIN);
        assertThat(confirmed.statusCode()).as(confirmed.body()).isEqualTo(200);
        awaitConnected();
        assertThat(certificate().path("binding").asString()).isEqualTo("pinned");
        assertThat(certificate().path("fingerprint").asString()).isEqualTo(fingerprint);
        assertThat(events("HOST_CERTIFICATE_CONFIRMED"))
                .singleElement()
                .satisfies(text -> assertThat(text).contains("admin@internal", fingerprint));
        assertThat(confirm(named(fingerprint), ADMIN).statusCode()).as("again").isEqualTo(200);

        engine.close();
        fleet.network().faults().clear();
        engine = engine();
        JsonNode back = awaitRefused();
        assertThat(back.path("fingerprint").asString())
                .as("a new life of the engine holds the host to what was confirmed")
                .isEqualTo(first.path("fingerprint").asString());
        assertThat(confirm(named(back.path("fingerprint").asString()), ADMIN).statusCode())
                .isEqualTo(200);
        awaitConnected();
        assertThat(certificate().path("binding").asString()).isEqualTo("name");
    }

    /** By change-the-ca, of which the engine's part is the trust file. */
    @Test
    void theAuthorityOfHostsIsReplacedInOperation() throws Exception {
        awaitConnected();
        Path trust = folder.resolve("pki").resolve("ca.pem");
        String old = Files.readString(trust);
        String renewed =
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(
                                        CertificateAuthority.create("Renewed", Instant.now())
                                                .certificate()
                                                .getEncoded())
                        + "\n-----END CERTIFICATE-----\n";
        try {
            Files.writeString(trust, renewed);
            assertThat(get("/api/v1/hosts/" + host).path("connected").asBoolean())
                    .as("the connection stands")
                    .isTrue();
            reconnect();
            RunningEngine.await(
                    () -> trouble().path("condition").asString().equals("untrusted"),
                    () -> trouble().toString());
            assertThat(trouble().path("why").asString())
                    .contains(
                            "not signed by the configured authority CN=Renewed CA,O=Renewed, but by"
                                    + " CN=Stillwater CA,O=Stillwater");
            assertThat(certificate().path("refused").isNull())
                    .as("no confirmation replaces an authority")
                    .isTrue();

            Files.writeString(trust, renewed + old);
            awaitConnected();

            Files.writeString(trust, "half a file");
            reconnect();
            RunningEngine.await(
                    () -> tlsFiles().contains("no certificate in " + trust), () -> tlsFiles());
            awaitConnected();
        } finally {
            Files.writeString(trust, old);
        }
        reconnect();
        RunningEngine.await(() -> tlsFiles().isEmpty(), () -> tlsFiles());
        awaitConnected();
    }

    private static JsonNode trouble() {
        return get("/api/v1/health/hosts").path("items").path(0);
    }

    private static String tlsFiles() {
        return get("/actuator/health")
                .path("components")
                .path("hosts")
                .path("details")
                .path("tlsFiles")
                .asString("");
    }

    /**
     * By watch-real-hosts and secure-the-engine, from an empty data folder, with one folder pki.
     */
    @Test
    void bothHowTosWorkInOneDataFolder() throws Exception {
        Path data = folder.resolve("data");
        Path pki = Files.createDirectories(data.resolve("pki"));
        for (String file : List.of("ca.pem", "ca.key.pem", "engine.pem", "engine.key.pem")) {
            Files.copy(folder.resolve("pki").resolve(file), pki.resolve(file));
        }
        byte[] authority = Files.readAllBytes(pki.resolve("ca.pem"));
        List<String> hosts =
                fleet.engineArguments().stream()
                        .filter(each -> each.startsWith("--stillwater.hosts["))
                        .toList();
        try (TestDatabase other = TestDatabase.migrated();
                RunningEngine both =
                        RunningEngine.start(
                                other,
                                hosts,
                                "--stillwater.data-folder=" + data,
                                "--stillwater.tls.enabled=true")) {
            both.awaitHostsUp(1);
            assertThat(Files.readAllBytes(pki.resolve("ca.pem"))).isEqualTo(authority);
            assertThat(data.resolve("tls/ca.pem")).isRegularFile();
            assertThat(Files.readAllBytes(data.resolve("tls/ca.pem"))).isNotEqualTo(authority);
        }
    }
}
