package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.server.ApiClient.basic;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.dal.TestDatabase;

/** Clients that ask too much, and logins that fail too often: their answers. */
@Timeout(180)
class AdmissionIT {

    private static HttpResponse<String> get(RunningEngine engine, String path, String... headers) {
        return engine.api().send("GET", path, null, headers);
    }

    /** Asks again and again; a slow machine earns tokens meanwhile. */
    private static HttpResponse<String> untilRefused(
            RunningEngine engine, String path, String authorization) {
        for (int asked = 1; asked < 2_000; asked++) {
            HttpResponse<String> answer = get(engine, path, "Authorization", authorization);
            if (answer.statusCode() == 429) {
                return answer;
            }
            assertThat(answer.statusCode()).isIn(200, 405);
        }
        throw new AssertionError("never refused");
    }

    @Test
    void theRateOfOneClientIsLimitedWithoutEffectOnAnother() {
        try (TestDatabase database = TestDatabase.migrated();
                RunningEngine engine =
                        RunningEngine.start(
                                database,
                                List.of(),
                                "--stillwater.security.anonymous-role=none",
                                "--stillwater.admission.per-second=1",
                                "--stillwater.admission.burst=20")) {
            String admin = basic("admin", RunningEngine.PASSWORD);
            HttpResponse<String> answer = untilRefused(engine, "/api/v1/me", admin);
            assertThat(answer.headers().firstValue("Retry-After")).contains("1");
            assertThat(answer.headers().firstValue("Content-Type"))
                    .contains("application/problem+json");
            HttpResponse<String> ovirt = untilRefused(engine, "/ovirt-engine/api", admin);
            assertThat(ovirt.headers().firstValue("Retry-After")).contains("1");
            assertThat(ovirt.body()).contains("<fault>", "<reason>Too Many Requests</reason>");
            assertThat(get(engine, "/actuator/health/liveness").statusCode())
                    .as("somebody else")
                    .isEqualTo(200);
            assertThat(untilRefused(engine, "/ovirt-engine/services/sso-logout", admin).body())
                    .contains("\"error_code\":\"invalid_request\"");
            RunningEngine.await(
                    () -> get(engine, "/api/v1/me", "Authorization", admin).statusCode() == 200,
                    () -> "never again");
        }
    }

    @Test
    void onlyAGuessingAddressIsSlowed() {
        try (TestDatabase database = TestDatabase.migrated();
                RunningEngine engine =
                        RunningEngine.start(
                                database,
                                List.of(),
                                "--stillwater.security.anonymous-role=none",
                                "--stillwater.security.login.failures-per-address=4",
                                "--stillwater.security.login.first-pause=3s",
                                "--stillwater.security.login.patience=3s")) {
            String admin = basic("admin", RunningEngine.PASSWORD);
            HttpResponse<String> session =
                    get(
                            engine,
                            "/ovirt-engine/api",
                            "Authorization",
                            admin,
                            "Prefer",
                            "persistent-auth");
            assertThat(session.statusCode()).isEqualTo(200);
            HttpResponse<String> made =
                    engine.send(
                            HttpRequest.newBuilder(URI.create(engine.address() + "/api/v1/tokens"))
                                    .header("Authorization", admin)
                                    .header("Content-Type", "application/json")
                                    .POST(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "{\"label\":\"x\",\"roles\":[\"reader\"]}"))
                                    .build());
            String token = RunningEngine.JSON.readTree(made.body()).path("token").asString();
            for (int i = 0; i < 4; i++) {
                assertThat(
                                get(engine, "/api/v1/me", "Authorization", basic("n" + i, "wrong"))
                                        .statusCode())
                        .isEqualTo(401);
            }
            List<HttpResponse<String>> answers = manyGuesses(engine);
            List<HttpResponse<String>> refused =
                    answers.stream().filter(each -> each.statusCode() == 429).toList();
            assertThat(refused).isNotEmpty();
            assertThat(
                            Long.parseLong(
                                    refused.getFirst()
                                            .headers()
                                            .firstValue("Retry-After")
                                            .orElseThrow()))
                    .isBetween(1L, 60L);
            List<HttpResponse<String>> sso =
                    answers.stream()
                            .filter(each -> each.statusCode() == 400)
                            .filter(each -> each.body().contains("try again in"))
                            .toList();
            assertThat(sso).as("as oVirt's clients expect it").isNotEmpty();
            assertThat(sso.getFirst().body()).contains("access_denied");
            assertThat(sso.getFirst().headers().firstValue("Retry-After")).isPresent();
            assertThat(get(engine, "/api/v1/me", "Authorization", admin).statusCode())
                    .as("a user who has logged in from there and did not fail")
                    .isEqualTo(200);
            String cookie = session.headers().firstValue("Set-Cookie").orElseThrow();
            assertThat(
                            get(
                                            engine,
                                            "/ovirt-engine/api",
                                            "Cookie",
                                            cookie.substring(0, cookie.indexOf(';')),
                                            "Prefer",
                                            "persistent-auth")
                                    .statusCode())
                    .as("a session guesses nothing")
                    .isEqualTo(200);
            HttpResponse<String> events =
                    get(engine, "/api/v1/events?limit=200", "Authorization", "Bearer " + token);
            assertThat(events.statusCode()).as("nor does a token").isEqualTo(200);
            assertThat(events.body()).contains("ADDRESS_LOGINS_SLOWED", "USER_VDC_LOGIN_FAILED");
        }
    }

    /** Wrong passwords of many names at the same time, half of them by oVirt's endpoint. */
    private static List<HttpResponse<String>> manyGuesses(RunningEngine engine) {
        try (HttpClient http = HttpClient.newHttpClient()) {
            List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                HttpRequest basic =
                        HttpRequest.newBuilder(URI.create(engine.address() + "/api/v1/me"))
                                .header("Authorization", basic("m" + i, "wrong"))
                                .build();
                HttpRequest sso =
                        HttpRequest.newBuilder(
                                        URI.create(
                                                engine.address() + "/ovirt-engine/sso/oauth/token"))
                                .header("Content-Type", "application/x-www-form-urlencoded")
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "grant_type=password&scope=ovirt-app-api&username=s"
                                                        + i
                                                        + "%40internal&password=y"))
                                .build();
                for (HttpRequest each : List.of(basic, sso)) {
                    all.add(http.sendAsync(each, HttpResponse.BodyHandlers.ofString()));
                }
            }
            return all.stream().map(CompletableFuture::join).toList();
        }
    }

    @Test
    void aSettingAllowsPasswordsInTheAddress() {
        try (TestDatabase database = TestDatabase.migrated();
                RunningEngine engine =
                        RunningEngine.start(
                                database,
                                List.of(),
                                "--stillwater.security.anonymous-role=none",
                                "--stillwater.security.sso-password-in-query=true")) {
            HttpResponse<String> answer =
                    engine.post(
                            "/ovirt-engine/sso/oauth/token?grant_type=password&scope=ovirt-app-api"
                                    + "&username=admin%40internal&password="
                                    + RunningEngine.PASSWORD);
            assertThat(answer.statusCode()).isEqualTo(200);
        }
    }

    @Test
    void unsupportedOAuthRequestsGetAnOAuthError() {
        try (TestDatabase database = TestDatabase.migrated();
                RunningEngine engine =
                        RunningEngine.start(
                                database, List.of(), "--stillwater.security.anonymous-role=none")) {
            for (String path :
                    List.of(
                            "oauth/authorize?response_type=code&client_id=ui",
                            "openid/authorize",
                            "openid/token",
                            "openid/userinfo",
                            "openid/jwks",
                            "openid/.well-known/openid-configuration")) {
                HttpResponse<String> answer = get(engine, "/ovirt-engine/sso/" + path);
                assertThat(answer.statusCode()).as(path).isEqualTo(400);
                assertThat(answer.body()).contains("\"error\"", "unauthorized_client");
            }
        }
    }
}
