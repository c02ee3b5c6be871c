package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.stillwater.dal.TestDatabase;
import org.stillwater.server.OidcIssuer.Person;
import org.stillwater.testkit.FreePorts;
import tools.jackson.databind.JsonNode;

/**
 * Users and programs of an OpenID Connect provider, with a browser's cookies and redirections. The
 * engine starts first: without the provider no user is let in, and once it comes all users are,
 * without a restart.
 */
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OidcIT {

    private static TestDatabase database;
    private static RunningEngine engine;
    private static int port;
    private static OidcIssuer issuer;

    /** A browser: it keeps cookies by the path that they are for, and follows nothing by itself. */
    private static final class Browser {

        private final HttpClient http = HttpClient.newHttpClient();
        private final Map<String, String> cookies = new LinkedHashMap<>();

        HttpResponse<String> get(String address) throws Exception {
            URI uri = URI.create(engine.address()).resolve(address);
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(uri).header("Accept", "text/html,*/*;q=0.8");
            boolean ours = address.startsWith("/") || address.startsWith(engine.address());
            if (ours && !cookies.isEmpty()) {
                request.header(
                        "Cookie",
                        String.join(
                                "; ",
                                cookies.entrySet().stream()
                                        .map(each -> each.getKey() + "=" + each.getValue())
                                        .toList()));
            }
            HttpResponse<String> answer =
                    http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (ours) {
                answer.headers()
                        .allValues("Set-Cookie")
                        .forEach(each -> {
                            String pair = each.substring(0, each.indexOf(';'));
                            int at = pair.indexOf('=');
                            cookies.put(pair.substring(0, at), pair.substring(at + 1));
                        });
            }
            return answer;
        }

        /** Goes on from redirection to redirection. */
        HttpResponse<String> follow(String address) throws Exception {
            HttpResponse<String> answer = get(address);
            for (int i = 0; i < 10 && answer.statusCode() / 100 == 3; i++) {
                answer = get(answer.headers().firstValue("Location").orElseThrow());
            }
            return answer;
        }
    }

    @BeforeAll
    static void start() throws Exception {
        port = FreePorts.next();
        database = TestDatabase.migrated();
        engine =
                RunningEngine.start(
                        database,
                        List.of(),
                        "--stillwater.security.anonymous-role=none",
                        "--stillwater.security.oidc.issuer=http://127.0.0.1:" + port + "/realm",
                        "--stillwater.security.oidc.client-id=" + OidcIssuer.CLIENT,
                        "--stillwater.security.oidc.client-secret=" + OidcIssuer.SECRET,
                        "--stillwater.security.oidc.roles-claim=realm.roles",
                        "--stillwater.security.oidc.roles.vm-admins=administrator",
                        "--stillwater.security.oidc.roles.watchers=reader");
    }

    @AfterAll
    static void stop() {
        engine.close();
        database.close();
    }

    @BeforeEach
    void startIssuer() throws Exception {
        issuer = OidcIssuer.start(port);
    }

    @AfterEach
    void stopIssuer() {
        issuer.close();
    }

    private static HttpResponse<String> bearer(String token) {
        return engine.send(
                HttpRequest.newBuilder(URI.create(engine.address() + "/api/v1/me"))
                        .header("Authorization", "Bearer " + token)
                        .build());
    }

    @Test
    @Order(1)
    void withoutTheProviderPasswordsStillWorkAndItIsReported() throws Exception {
        issuer.close();
        Browser browser = new Browser();
        assertThat(browser.get("/login").body()).contains("organisation's account");
        assertThat(browser.get("/login/options").body()).contains("\"/oauth2/authorization/oidc\"");
        HttpResponse<String> away = browser.follow("/oauth2/authorization/oidc");
        assertThat(away.statusCode()).isEqualTo(200);
        assertThat(away.uri().toString()).endsWith("/login?error=provider");
        assertThat(away.body()).contains("does not answer");
        assertThat(bearer("eyJ.eyJ.sig").statusCode()).isEqualTo(401);
        assertThat(engine.get("/actuator/health/liveness").statusCode()).isEqualTo(200);
        String admin =
                java.util.Base64.getEncoder()
                        .encodeToString(
                                ("admin:" + RunningEngine.PASSWORD)
                                        .getBytes(StandardCharsets.UTF_8));
        assertThat(
                        engine.send(
                                        HttpRequest.newBuilder(
                                                        URI.create(engine.address() + "/api/v1/me"))
                                                .header("Authorization", "Basic " + admin)
                                                .build())
                                .statusCode())
                .isEqualTo(200);
    }

    private static void awaitProvider() {
        // While it is silent it is asked only every few seconds.
        RunningEngine.await(
                () -> bearer(issuer.jwt("", Instant.now().plusSeconds(60))).statusCode() != 401,
                () -> "the provider is not found again");
    }

    @Test
    @Order(2)
    void aUserLogsInWithTheProvidersRoles() throws Exception {
        issuer.person = new Person("ada", List.of("watchers", "something-else"));
        Browser browser = new Browser();
        assertThat(browser.get("/").statusCode()).isEqualTo(302);
        HttpResponse<String> in = browser.follow("/oauth2/authorization/oidc");
        assertThat(in.statusCode()).as(in.body()).isEqualTo(200);
        assertThat(in.uri().getPath()).isEqualTo("/login/oauth2/code/oidc");
        assertThat(in.body()).contains("url=/");
        JsonNode me = RunningEngine.JSON.readTree(browser.get("/api/v1/me").body());
        assertThat(me.path("name").asString()).isEqualTo("ada@oidc");
        assertThat(me.path("grants").toString()).contains("reader").doesNotContain("admin");
        assertThat(browser.get("/").body()).contains("console/app-");
        assertThat(browser.get("/api/v1/users").statusCode()).isEqualTo(403);
        assertThat(browser.get("/api/v1/vms").statusCode()).isEqualTo(200);

        issuer.person = new Person("eva", List.of("vm-admins"));
        Browser other = new Browser();
        assertThat(other.follow("/oauth2/authorization/oidc").statusCode()).isEqualTo(200);
        HttpResponse<String> users = other.get("/api/v1/users");
        assertThat(users.statusCode()).isEqualTo(200);
        assertThat(other.get("/api/v1/events?limit=200").body())
                .contains("ada@oidc", "eva@oidc", "OpenID Connect");
    }

    @Test
    @Order(3)
    void aUserWithoutARoleIsRefused() throws Exception {
        for (Object roles : new Object[] {List.of(), List.of("strangers"), "strangers"}) {
            issuer.person = new Person("eve", roles);
            Browser browser = new Browser();
            HttpResponse<String> out = browser.follow("/oauth2/authorization/oidc");
            assertThat(out.uri().toString()).endsWith("/login?error=role");
            assertThat(out.body()).contains("you have no role here");
            assertThat(browser.cookies).doesNotContainKey("STILLWATER_SESSION");
            assertThat(browser.get("/api/v1/me").statusCode()).isEqualTo(401);
        }
        issuer.person = new Person("adm\u0007in", List.of("vm-admins"));
        assertThat(new Browser().follow("/oauth2/authorization/oidc").uri().toString())
                .endsWith("/login?error=role");
    }

    private static void assertRefused() throws Exception {
        Browser browser = new Browser();
        HttpResponse<String> out = browser.follow("/oauth2/authorization/oidc");
        assertThat(out.uri().toString()).endsWith("/login?error=refused");
        assertThat(out.body()).contains("not accepted");
        assertThat(browser.cookies).doesNotContainKey("STILLWATER_SESSION");
    }

    @Test
    @Order(4)
    void foreignTokensAreRefused() throws Exception {
        issuer.person = new Person("ada", List.of("vm-admins"));
        issuer.forged = true;
        assertRefused();
        issuer.forged = false;
        issuer.audience = "another";
        assertRefused();
        issuer.audience = OidcIssuer.CLIENT;
        Browser browser = new Browser();
        String away =
                browser.get("/oauth2/authorization/oidc")
                        .headers()
                        .firstValue("Location")
                        .orElseThrow();
        String back = new Browser().get(away).headers().firstValue("Location").orElseThrow();
        HttpResponse<String> stolen = new Browser().follow(back);
        assertThat(stolen.uri().toString())
                .as("somebody else's login, in a browser that did not begin it")
                .endsWith("/login?error=refused");
        assertThat(browser.follow(back).statusCode()).isEqualTo(200);
        assertThat(browser.cookies).containsKey("STILLWATER_SESSION");
        assertThat(
                        new Browser()
                                .follow("/login/oauth2/code/oidc?error=access_denied&state=x")
                                .uri()
                                .toString())
                .endsWith("/login?error=refused");
    }

    @Test
    @Order(5)
    void programsUseTheProvidersTokens() throws IOException {
        issuer.person = new Person("robot", List.of("watchers"));
        awaitProvider();
        Instant soon = Instant.now().plusSeconds(120);
        HttpResponse<String> known = bearer(issuer.jwt("", soon));
        assertThat(known.statusCode()).isEqualTo(200);
        assertThat(known.body()).contains("robot@oidc", "api_token");
        assertThat(bearer(issuer.jwt("", Instant.now().minusSeconds(600))).statusCode())
                .as("expired")
                .isEqualTo(401);
        issuer.audience = "another";
        assertThat(bearer(issuer.jwt("", soon)).statusCode()).isEqualTo(401);
        issuer.audience = OidcIssuer.CLIENT;
        issuer.forged = true;
        assertThat(bearer(issuer.jwt("", soon)).statusCode()).isEqualTo(401);
        issuer.forged = false;
        String token = issuer.jwt("", soon);
        assertThat(bearer(token.substring(0, token.lastIndexOf('.') + 1)).statusCode())
                .as("without a signature")
                .isEqualTo(401);
    }
}
