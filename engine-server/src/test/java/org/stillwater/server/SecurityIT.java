package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.stillwater.dal.TestDatabase;

/** Logins, tokens, sessions and roles, on an engine that lets nobody in without credentials. */
class SecurityIT {

    private static final String ADMIN = "admin@internal";

    private static TestDatabase database;
    private static RunningEngine engine;

    @BeforeAll
    static void start() {
        database = TestDatabase.migrated();
        engine =
                RunningEngine.start(
                        database,
                        List.of(),
                        "--stillwater.security.anonymous-role=none",
                        "--stillwater.security.login.failures-per-user=5",
                        "--stillwater.security.csrf-protection=true");
    }

    @AfterAll
    static void stop() {
        engine.close();
        database.close();
    }

    private static String basic(String name, String password) {
        return "Basic "
                + Base64.getEncoder()
                        .encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    private static HttpResponse<String> send(
            String method, String path, String body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(engine.address() + path))
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return engine.send(request.build());
    }

    private static HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, null, headers);
    }

    private static final String AS_ADMIN = basic(ADMIN, RunningEngine.PASSWORD);

    @Test
    void nobodyGetsInWithoutCredentials() {
        HttpResponse<String> answer = get("/api/v1/vms");
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("WWW-Authenticate").orElse(""))
                .startsWith("Basic realm=\"stillwater\"");
        assertThat(answer.headers().firstValue("Content-Type"))
                .contains("application/problem+json");
    }

    @Test
    void oVirtsInterfaceAnswersWithItsOwnChallengeAndNoBody() {
        HttpResponse<String> answer = get("/ovirt-engine/api/vms", "Accept", "text/html");
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("WWW-Authenticate"))
                .contains("Basic realm=\"RESTAPI\"");
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void aPasswordLetsIn() {
        assertThat(get("/api/v1/vms", "Authorization", AS_ADMIN).statusCode()).isEqualTo(200);
        assertThat(get("/api/v1/vms", "Authorization", basic(ADMIN, "wrong")).statusCode())
                .isEqualTo(401);
        assertThat(get("/api/v1/vms", "Authorization", "Basic ???").statusCode()).isEqualTo(401);
        assertThat(get("/api/v1/vms", "Authorization", "Bearer nothing").statusCode())
                .isEqualTo(401);
    }

    @Test
    void healthIsForEverybody() {
        assertThat(get("/actuator/health/liveness").statusCode()).isEqualTo(200);
        assertThat(get("/actuator/prometheus").statusCode()).isEqualTo(401);
    }
}
