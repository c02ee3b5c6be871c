package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.server.ApiClient.basic;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.stillwater.dal.TestDatabase;
import tools.jackson.databind.JsonNode;

/** Logins, tokens, sessions and roles, on an engine that lets no client in without credentials. */
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
                        "--stillwater.security.login.longest-pause=250ms",
                        "--stillwater.security.csrf-protection=true");
    }

    @AfterAll
    static void stop() {
        engine.close();
        database.close();
    }

    private static HttpResponse<String> send(
            String method, String path, String body, String... headers) {
        return engine.api().send(method, path, body, headers);
    }

    private static HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, null, headers);
    }

    private static final String AS_ADMIN = basic(ADMIN, RunningEngine.PASSWORD);

    @Test
    void requestsWithoutCredentialsAreRefused() {
        HttpResponse<String> answer = get("/api/v1/vms");
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("WWW-Authenticate").orElse(""))
                .startsWith("Basic realm=\"stillwater\"");
        assertThat(answer.headers().firstValue("Content-Type"))
                .contains("application/problem+json");
        assertThat(answer.body()).contains("Log in");
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
    void aPasswordLogsIn() {
        assertThat(get("/api/v1/vms", "Authorization", AS_ADMIN).statusCode()).isEqualTo(200);
        HttpResponse<String> wrong = get("/api/v1/vms", "Authorization", basic(ADMIN, "wrong"));
        assertThat(wrong.statusCode()).isEqualTo(401);
        assertThat(wrong.body()).contains("is wrong");
        assertThat(get("/api/v1/vms", "Authorization", "Basic ???").statusCode()).isEqualTo(401);
        assertThat(get("/api/v1/vms", "Authorization", "Bearer nothing").statusCode())
                .isEqualTo(401);
    }

    @Test
    void healthNeedsNoLogin() {
        assertThat(get("/actuator/health/liveness").statusCode()).isEqualTo(200);
        assertThat(get("/actuator/prometheus").statusCode()).isEqualTo(401);
    }

    @Test
    void theDocumentationIsForUsers() {
        assertThat(get("/docs/index.html").statusCode()).isEqualTo(401);
        HttpResponse<String> first = get("/docs", "Authorization", AS_ADMIN);
        assertThat(first.statusCode()).isEqualTo(302);
        assertThat(first.headers().firstValue("Location").orElse("")).endsWith("/docs/index.html");
        HttpResponse<String> page =
                get("/docs/how-to/back-up-and-restore.html", "Authorization", AS_ADMIN);
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("default-src 'self'")
                .doesNotContain("unsafe");
        assertThat(page.body()).contains("<h2 id=\"restore\">", "../docs.js");
        assertThat(get("/docs/search.json", "Authorization", AS_ADMIN).body())
                .contains("how-to/back-up-and-restore.html");
    }

    private static JsonNode json(HttpResponse<String> answer) {
        return RunningEngine.JSON.readTree(answer.body());
    }

    private static HttpResponse<String> ssoAnswer(String form) {
        return send(
                "POST",
                "/ovirt-engine/sso/oauth/token",
                form,
                "Content-Type",
                "application/x-www-form-urlencoded",
                "Accept",
                "application/json");
    }

    private static final String SSO_ADMIN =
            "grant_type=password&scope=ovirt-app-api&username=admin%40internal&password="
                    + RunningEngine.PASSWORD;

    @Test
    void oVirtsClientsLogInForATokenAndLogOut() {
        HttpResponse<String> answer = ssoAnswer(SSO_ADMIN);
        assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/json");
        JsonNode body = json(answer);
        assertThat(body.path("exp").isString()).isTrue();
        assertThat(body.path("token_type").asString()).isEqualTo("bearer");
        String token = body.path("access_token").asString();
        assertThat(get("/api/v1/me", "Authorization", "Bearer " + token).statusCode())
                .isEqualTo(200);
        for (String form :
                List.of("scope=&token=", "scope=ovirt-app-api&token=" + token, "token=unknown")) {
            HttpResponse<String> out =
                    send(
                            "POST",
                            "/ovirt-engine/services/sso-logout",
                            form,
                            "Content-Type",
                            "application/x-www-form-urlencoded");
            assertThat(out.statusCode()).isEqualTo(200);
            assertThat(out.body()).isEqualTo("{}");
        }
        assertThat(get("/api/v1/me", "Authorization", "Bearer " + token).statusCode())
                .isEqualTo(401);
    }

    @Test
    void aPasswordInTheAddressIsRefused() {
        for (String path :
                List.of(
                        "/ovirt-engine/sso/oauth/token?" + SSO_ADMIN,
                        "/ovirt-engine/sso/oauth/token?"
                                + SSO_ADMIN.replace("&password=", "&pass%77ord="),
                        "/ovirt-engine/sso/oauth/token-info?token=x",
                        "/ovirt-engine/sso/oauth/revoke?token=x",
                        "/ovirt-engine/services/sso-logout?scope=&token=x")) {
            HttpResponse<String> answer = send("POST", path, null);
            assertRefused(answer, 400, "invalid_request");
            assertThat(answer.body())
                    .contains("stillwater.security.sso-password-in-query")
                    .doesNotContain(RunningEngine.PASSWORD);
        }
        assertThat(
                        send(
                                        "POST",
                                        "/ovirt-engine/sso/oauth/token?password=x",
                                        SSO_ADMIN,
                                        "Content-Type",
                                        "application/x-www-form-urlencoded")
                                .statusCode())
                .as("in the body, too")
                .isEqualTo(400);
    }

    @Test
    void guessesLockNoUserOut() {
        String id = user("grace", "[{\"role\":\"reader\"}]");
        for (int i = 0; i < 20; i++) {
            assertThat(
                            get("/api/v1/me", "Authorization", basic("grace", "wrong " + i))
                                    .statusCode())
                    .isEqualTo(401);
        }
        assertThat(get("/api/v1/me", "Authorization", basic("grace", "long enough")).statusCode())
                .as("the right password, from the address of all these wrong ones")
                .isEqualTo(200);
        assertThat(get("/api/v1/events?limit=200", "Authorization", AS_ADMIN).body())
                .contains("USER_LOGINS_SLOWED");
        assertThat(asAdmin("DELETE", "/api/v1/users/" + id, null).statusCode()).isEqualTo(204);
    }

    @Test
    void aUserWithoutGrantsMakesFewTokensAndEndsNoOther() {
        String id = user("nil", "[]");
        String mine = json(ssoAnswer(SSO_ADMIN)).path("access_token").asString();
        String form = SSO_ADMIN.replace("admin", "nil").replaceAll("password=[^&]*$", "");
        String first = null;
        for (int i = 0; i < 300; i++) {
            HttpResponse<String> made = ssoAnswer(form + "password=long+enough");
            assertThat(made.statusCode()).isEqualTo(200);
            first = first == null ? json(made).path("access_token").asString() : first;
        }
        assertThat(get("/api/v1/me", "Authorization", "Bearer " + mine).statusCode())
                .isEqualTo(200);
        assertThat(get("/api/v1/me", "Authorization", "Bearer " + first).statusCode())
                .as("the oldest of the user's own")
                .isEqualTo(401);
        assertThat(asAdmin("DELETE", "/api/v1/users/" + id, null).statusCode()).isEqualTo(204);
    }

    @Test
    void beforeTheChangeOfThePasswordNothingElseIsAllowed() {
        String made =
                asAdmin(
                                "POST",
                                "/api/v1/users",
                                "{\"name\":\"ida\",\"password\":\"given by another\","
                                        + "\"mustChangePassword\":true,"
                                        + "\"grants\":[{\"role\":\"administrator\"}]}")
                        .body();
        assertThat(RunningEngine.JSON.readTree(made).path("mustChangePassword").asBoolean())
                .isTrue();
        String ida = basic("ida@internal", "given by another");
        for (String path : List.of("/api/v1/vms", "/api/v1/me", "/api/v1/users", "/metrics/vms")) {
            HttpResponse<String> refused = get(path, "Authorization", ida);
            assertThat(refused.statusCode()).as(path).isEqualTo(403);
            assertThat(refused.body()).contains("PUT /api/v1/me/password");
        }
        HttpResponse<String> ovirt = get("/ovirt-engine/api", "Authorization", ida);
        assertThat(ovirt.statusCode()).isEqualTo(403);
        assertThat(ovirt.body()).contains("<fault>", "must be changed first");
        assertThat(
                        send(
                                        "POST",
                                        "/api/v1/tokens",
                                        "{\"label\":\"x\",\"roles\":[\"reader\"]}",
                                        "Authorization",
                                        ida,
                                        "Content-Type",
                                        "application/json")
                                .statusCode())
                .isEqualTo(403);
        HttpResponse<String> sso =
                ssoAnswer(
                        SSO_ADMIN.replace("admin", "ida").replaceAll("password=[^&]*$", "")
                                + "password=given+by+another");
        assertRefused(sso, 400, "access_denied");
        assertThat(sso.body()).contains("password has expired");

        // The page, as a browser without scripts goes through it.
        HttpResponse<String> login = get("/login", "Accept", "text/html");
        String xsrf = cookie(login, "XSRF-TOKEN");
        HttpResponse<String> in =
                login("username=ida&password=given+by+another&_csrf=" + hidden(login), xsrf);
        assertThat(in.statusCode()).isEqualTo(303);
        assertThat(in.headers().firstValue("Location")).contains("/password");
        String cookies = cookie(in, "STILLWATER_SESSION") + "; " + xsrf;
        HttpResponse<String> away = get("/", "Accept", "text/html", "Cookie", cookies);
        assertThat(away.statusCode()).isEqualTo(302);
        assertThat(away.headers().firstValue("Location")).contains("/password");
        HttpResponse<String> page = get("/password", "Accept", "text/html", "Cookie", cookies);
        assertThat(page.statusCode()).isEqualTo(200);
        String token = "&_csrf=" + hidden(page);
        String current = "current=given+by+another&new=";
        assertThat(change(current + "given+by+another&again=given+by+another" + token, cookies))
                .contains("must be another");
        assertThat(change(current + "short&again=short" + token, cookies)).contains("8 to 256");
        assertThat(change(current + "chosen+by+ida&again=chosen+by+eve" + token, cookies))
                .contains("not the same");
        assertThat(change("current=x&new=chosen+by+ida&again=chosen+by+ida" + token, cookies))
                .contains("another one");
        HttpResponse<String> done =
                send(
                        "POST",
                        "/password",
                        current + "chosen+by+ida&again=chosen+by+ida" + token,
                        "Cookie",
                        cookies,
                        "Content-Type",
                        "application/x-www-form-urlencoded");
        assertThat(done.statusCode()).isEqualTo(303);
        assertThat(get("/api/v1/vms", "Cookie", cookie(done, "STILLWATER_SESSION")).statusCode())
                .isEqualTo(200);
        assertThat(get("/api/v1/vms", "Cookie", cookies).statusCode())
                .as("the session of before")
                .isEqualTo(401);
        assertThat(get("/api/v1/me", "Authorization", basic("ida", "chosen by ida")).statusCode())
                .isEqualTo(200);
        String id = RunningEngine.JSON.readTree(made).path("id").asString();
        assertThat(asAdmin("DELETE", "/api/v1/users/" + id, null).statusCode()).isEqualTo(204);
    }

    private static String hidden(HttpResponse<String> page) {
        return page.body().replaceAll("(?s).*?name=\"_csrf\" value=\"([^\"]*)\".*", "$1");
    }

    private static String change(String form, String cookies) {
        HttpResponse<String> answer =
                send(
                        "POST",
                        "/password",
                        form,
                        "Cookie",
                        cookies,
                        "Content-Type",
                        "application/x-www-form-urlencoded");
        assertThat(answer.statusCode()).isEqualTo(400);
        return answer.body();
    }

    @Test
    void failedLoginsHaveACodeAndAMessage() {
        HttpResponse<String> wrong = ssoAnswer(SSO_ADMIN.replace("username=admin", "username=x"));
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(json(wrong).path("error_code").asString()).isEqualTo("access_denied");
        assertThat(json(wrong).path("error").asString()).isNotEmpty();
        assertThat(json(ssoAnswer("scope=ovirt-app-api")).path("error_code").asString())
                .isEqualTo("invalid_request");
        HttpResponse<String> kerberos =
                send(
                        "POST",
                        "/ovirt-engine/sso/oauth/token-http-auth",
                        "scope=ovirt-app-api",
                        "Content-Type",
                        "application/x-www-form-urlencoded");
        assertThat(kerberos.statusCode()).isEqualTo(400);
        assertThat(json(kerberos).path("error_code").asString())
                .isEqualTo("unsupported_grant_type");
    }

    private static void assertRefused(HttpResponse<String> answer, int status, String code) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/json");
        assertThat(json(answer).path("error_code").asString()).as(answer.body()).isEqualTo(code);
        assertThat(json(answer).path("error").asString()).isNotEmpty();
    }

    @Test
    void aTokenIsForTheScopeOfTheApiOnly() {
        String form = SSO_ADMIN.replace("scope=ovirt-app-api", "scope=");
        for (String scope : List.of("", "ovirt-app-api", "ovirt-ext%3Dtoken-info%3Avalidate")) {
            String both = scope.startsWith("ovirt-ext") ? "ovirt-app-api+" + scope : scope;
            HttpResponse<String> granted = ssoAnswer(form.replace("scope=", "scope=" + both));
            assertThat(granted.statusCode()).as(granted.body()).isEqualTo(200);
            assertThat(json(granted).path("scope").asString()).startsWith("ovirt-app-api ");
        }
        assertRefused(
                ssoAnswer(form.replace("scope=", "scope=ovirt-app-api+everything")),
                400,
                "invalid_scope");
        for (String scope : List.of("openid", "ovirt-app-apis", "ovirt-ext%3Dtoken%3Aall")) {
            HttpResponse<String> other = ssoAnswer(form.replace("scope=", "scope=" + scope));
            assertThat(other.statusCode()).isEqualTo(400);
            assertThat(json(other).path("error").asString()).isEqualTo("invalid_scope");
            assertThat(json(other).path("error_description").asString()).isNotEmpty();
            assertThat(json(other).has("access_token")).isFalse();
        }
    }

    @Test
    void wrongTokenRequestsFailInTheSameForm() {
        assertRefused(ssoAnswer(SSO_ADMIN + "&scope=ovirt-app-api"), 400, "invalid_request");
        assertRefused(
                ssoAnswer(SSO_ADMIN.replace("=password&", "=authorization_code&")),
                400,
                "unsupported_grant_type");
        for (String path : List.of("sso/oauth/token", "services/sso-logout")) {
            HttpResponse<String> json =
                    send(
                            "POST",
                            "/ovirt-engine/" + path,
                            "{\"grant_type\":\"password\"}",
                            "Content-Type",
                            "application/json");
            assertRefused(json, 400, "invalid_request");
            assertThat(json.body()).contains("x-www-form-urlencoded");
            HttpResponse<String> put = send("PUT", "/ovirt-engine/" + path, "a=b");
            assertRefused(put, 405, "invalid_request");
            assertThat(put.headers().firstValue("Allow").orElse("")).contains("POST");
        }
        assertRefused(get("/ovirt-engine/sso/oauth/token"), 405, "invalid_request");
        for (String path : List.of("sso", "sso/", "sso/oauth/tokens", "sso/x?y=%3Cz")) {
            assertRefused(get("/ovirt-engine/" + path), 404, "invalid_request");
        }
        assertRefused(
                send(
                        "POST",
                        "/ovirt-engine/sso/oauth/token?grant_type=%ff",
                        "a=b",
                        "Content-Type",
                        "application/x-www-form-urlencoded"),
                400,
                "invalid_request");
        assertRefused(send("FOO", "/ovirt-engine/sso/oauth/token", null), 405, "invalid_request");
        assertRefused(get("/ovirt-engine/sso/a%2fb"), 400, "invalid_request");
        assertRefused(
                send(
                        "POST",
                        "/ovirt-engine/sso/oauth/token-info",
                        "token=x",
                        "Content-Type",
                        "application/x-www-form-urlencoded"),
                400,
                "invalid_token");
        for (String path : List.of("oauth/authorize", "openid/authorize", "openid/userinfo")) {
            HttpResponse<String> answer = get("/ovirt-engine/sso/" + path);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(json(answer).path("error").asString()).isEqualTo("unauthorized_client");
        }
    }

    @Test
    void unknownPathsGetTheFormOfTheirInterface() {
        HttpResponse<String> xml =
                send("FOO", "/ovirt-engine/api/vms", null, "Authorization", AS_ADMIN);
        assertThat(xml.statusCode()).isEqualTo(405);
        assertThat(xml.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/xml");
        assertThat(xml.body())
                .contains("<fault><detail>")
                .contains("<reason>Operation Failed</reason>");
        HttpResponse<String> json =
                send(
                        "FOO",
                        "/ovirt-engine/api/vms",
                        null,
                        "Accept",
                        "application/json",
                        "Authorization",
                        AS_ADMIN);
        assertThat(json(json).path("reason").asString()).isEqualTo("Operation Failed");
        HttpResponse<String> nothing = get("/ovirt-engine/webadmin", "Authorization", AS_ADMIN);
        assertThat(nothing.statusCode()).isEqualTo(404);
        assertThat(nothing.body()).contains("<fault><detail>");
        HttpResponse<String> problem = send("FOO", "/api/v1/vms", null, "Authorization", AS_ADMIN);
        assertThat(problem.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/problem+json");
        assertThat(json(problem).path("status").asInt()).isEqualTo(405);
        assertThat(json(problem).path("detail").asString()).isNotEmpty();
    }

    @Test
    void theExporterLivesOnItsCookie() {
        HttpResponse<String> first =
                send(
                        "HEAD",
                        "/ovirt-engine/api/",
                        null,
                        "Authorization",
                        AS_ADMIN,
                        "Prefer",
                        "Persistent-Auth");
        String cookie = first.headers().allValues("Set-Cookie").getFirst();
        assertThat(cookie)
                .startsWith("JSESSIONID=")
                .contains("Path=/ovirt-engine/api")
                .contains("HttpOnly");
        String pair = cookie.substring(0, cookie.indexOf(';'));
        assertThat(
                        get("/ovirt-engine/api/x", "Cookie", pair, "Prefer", "Persistent-Auth; x=1")
                                .statusCode())
                .isNotEqualTo(401);
        assertThat(
                        get(
                                        "/ovirt-engine/api//x;max=2",
                                        "Cookie",
                                        pair,
                                        "Prefer",
                                        "persistent-auth")
                                .statusCode())
                .isNotIn(400, 401);
        assertThat(get("/api/v1/vms", "Cookie", pair, "Prefer", "persistent-auth").statusCode())
                .as("it is for oVirt's interface only")
                .isEqualTo(401);
        assertThat(get("/ovirt-engine/api/x", "Cookie", pair).statusCode()).isEqualTo(401);
        assertThat(
                        get("/ovirt-engine/api/x", "Cookie", pair, "Prefer", "persistent-auth")
                                .statusCode())
                .as("a request without the preference drops the session")
                .isEqualTo(401);
        assertThat(
                        send("HEAD", "/ovirt-engine/api/", null, "Authorization", AS_ADMIN)
                                .headers()
                                .firstValue("Set-Cookie"))
                .isEmpty();
    }

    @Test
    void aSessionMayAskThatItsIdIsEchoed() {
        HttpResponse<String> first =
                get(
                        "/ovirt-engine/api/x",
                        "Authorization",
                        AS_ADMIN,
                        "Prefer",
                        "persistent-auth, csrf-protection",
                        "Session-TTL",
                        "5");
        String cookie = first.headers().allValues("Set-Cookie").getFirst();
        String pair = cookie.substring(0, cookie.indexOf(';'));
        assertThat(
                        get("/ovirt-engine/api/x", "Cookie", pair, "Prefer", "persistent-auth")
                                .statusCode())
                .isEqualTo(403);
        assertThat(
                        get(
                                        "/ovirt-engine/api/x",
                                        "Cookie",
                                        pair,
                                        "Prefer",
                                        "persistent-auth",
                                        "JSESSIONID",
                                        pair.substring("JSESSIONID=".length()))
                                .statusCode())
                .isNotIn(401, 403);
    }

    private static HttpResponse<String> asAdmin(String method, String path, String body) {
        return send(
                method, path, body, "Authorization", AS_ADMIN, "Content-Type", "application/json");
    }

    private static String user(String name, String grants) {
        HttpResponse<String> made =
                asAdmin(
                        "POST",
                        "/api/v1/users",
                        "{\"name\":\"%s\",\"password\":\"long enough\",\"grants\":%s}"
                                .formatted(name, grants));
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        assertThat(made.body()).doesNotContain("argon2").doesNotContain("long enough");
        return json(made).path("id").asString();
    }

    @Test
    void usersAreMadeChangedAndRemoved() {
        String id = user("ada", "[{\"role\":\"reader\"}]");
        String ada = basic("ada@internal", "long enough");
        assertThat(get("/api/v1/vms", "Authorization", ada).statusCode()).isEqualTo(200);
        assertThat(get("/api/v1/users", "Authorization", ada).statusCode()).isEqualTo(403);
        assertThat(
                        send(
                                        "POST",
                                        "/api/v1/hosts",
                                        "{}",
                                        "Authorization",
                                        ada,
                                        "Content-Type",
                                        "application/json")
                                .statusCode())
                .isEqualTo(403);
        assertThat(get("/actuator/prometheus", "Authorization", ada).statusCode()).isEqualTo(403);
        assertThat(
                        send(
                                        "PUT",
                                        "/api/v1/me/password",
                                        "{\"current\":\"long enough\",\"new\":\"another long"
                                                + " one\"}",
                                        "Authorization",
                                        ada,
                                        "Content-Type",
                                        "application/json")
                                .statusCode())
                .isEqualTo(204);
        assertThat(get("/api/v1/vms", "Authorization", ada).statusCode())
                .as("the old password, though it was checked lately")
                .isEqualTo(401);
        String changed = basic("ada@internal", "another long one");
        assertThat(get("/api/v1/vms", "Authorization", changed).statusCode()).isEqualTo(200);
        assertThat(asAdmin("PUT", "/api/v1/users/" + id, "{\"enabled\":false}").statusCode())
                .isEqualTo(200);
        assertThat(get("/api/v1/vms", "Authorization", changed).statusCode()).isEqualTo(401);
        assertThat(asAdmin("DELETE", "/api/v1/users/" + id, null).statusCode()).isEqualTo(204);
        assertThat(asAdmin("GET", "/api/v1/users/" + id, null).statusCode()).isEqualTo(404);
        JsonNode admin = json(asAdmin("GET", "/api/v1/users", null)).path("items").get(0);
        assertThat(
                        asAdmin("DELETE", "/api/v1/users/" + admin.path("id").asString(), null)
                                .statusCode())
                .as("the last administrator stays")
                .isEqualTo(409);
        assertThat(get("/api/v1/events?limit=200", "Authorization", AS_ADMIN).body())
                .contains("USER_ADDED", "USER_CHANGED", "USER_REMOVED", "USER_VDC_LOGIN");
    }

    @Test
    void tokensActForTheirUserWithTheirRolesOnly() {
        HttpResponse<String> made =
                asAdmin(
                        "POST",
                        "/api/v1/tokens",
                        "{\"label\":\"prometheus\",\"roles\":[\"scraper\"],\"expiresAt\":\"2035-01-01T00:00:00Z\"}");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        String bearer = "Bearer " + json(made).path("token").asString();
        assertThat(get("/actuator/prometheus", "Authorization", bearer).statusCode())
                .isEqualTo(200);
        assertThat(get("/api/v1/vms", "Authorization", bearer).statusCode()).isEqualTo(403);
        assertThat(
                        send(
                                        "POST",
                                        "/api/v1/tokens",
                                        "{\"label\":\"x\",\"roles\":[\"administrator\"]}",
                                        "Authorization",
                                        bearer,
                                        "Content-Type",
                                        "application/json")
                                .statusCode())
                .isEqualTo(403);
        String id = json(made).path("id").asString();
        assertThat(asAdmin("GET", "/api/v1/tokens", null).body())
                .contains(id)
                .doesNotContain(bearer.substring(7));
        assertThat(asAdmin("DELETE", "/api/v1/tokens/" + id, null).statusCode()).isEqualTo(204);
        assertThat(get("/actuator/prometheus", "Authorization", bearer).statusCode())
                .isEqualTo(401);
    }

    /** A label that looks like another one could hide whose token it is. */
    @Test
    void theLabelOfATokenShowsItsKind() {
        String before = asAdmin("GET", "/api/v1/tokens", null).body();
        for (String label : List.of("ba\\u202eckup", "back\\u200bup", "back\\u0007up", "a\\nb")) {
            HttpResponse<String> refused =
                    asAdmin(
                            "POST",
                            "/api/v1/tokens",
                            "{\"label\":\"%s\",\"roles\":[\"reader\"]}".formatted(label));
            assertThat(refused.statusCode()).as(label + refused.body()).isEqualTo(400);
            assertThat(json(refused).path("detail").asString())
                    .startsWith("label has no control character, and none that is invisible");
        }
        assertThat(asAdmin("GET", "/api/v1/tokens", null).body()).isEqualTo(before);
        HttpResponse<String> made =
                asAdmin(
                        "POST",
                        "/api/v1/tokens",
                        "{\"label\":\"Sicherung 夜 é\",\"roles\":[\"reader\"]}");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        assertThat(json(made).path("label").asString()).isEqualTo("Sicherung 夜 é");
        assertThat(
                        asAdmin(
                                        "DELETE",
                                        "/api/v1/tokens/" + json(made).path("id").asString(),
                                        null)
                                .statusCode())
                .isEqualTo(204);
    }

    @Test
    void aTokenForMetricsManagesNothing() {
        HttpResponse<String> made =
                asAdmin("POST", "/api/v1/tokens", "{\"label\":\"p\",\"roles\":[\"scraper\"]}");
        String bearer = "Bearer " + json(made).path("token").asString();
        String one = "/api/v1/tokens/" + json(made).path("id").asString();
        assertThat(get("/api/v1/tokens", "Authorization", bearer).statusCode()).isEqualTo(403);
        HttpResponse<String> revoked = send("DELETE", one, null, "Authorization", bearer);
        assertThat(revoked.statusCode()).isEqualTo(403);
        assertThat(json(revoked).path("detail").asString()).contains("log in with a password");
        assertThat(
                        send(
                                        "PUT",
                                        "/api/v1/me/password",
                                        "{\"current\":\"%s\",\"new\":\"another long one\"}"
                                                .formatted(RunningEngine.PASSWORD),
                                        "Authorization",
                                        bearer,
                                        "Content-Type",
                                        "application/json")
                                .statusCode())
                .isEqualTo(403);
        assertThat(get("/api/v1/me", "Authorization", bearer).statusCode())
                .as("who it is, it may ask")
                .isEqualTo(200);
        assertThat(asAdmin("DELETE", one, null).statusCode()).isEqualTo(204);
    }

    @Test
    void aMemberThatThereIsNotIsRefusedByItsName() {
        String id = user("max", "[]");
        for (List<String> each :
                List.of(
                        List.of(
                                "POST",
                                "/api/v1/tokens",
                                "{\"label\":\"x\",\"roles\":[\"reader\"],\"zz\":1}",
                                "expiresAt, label, roles, user"),
                        List.of(
                                "POST",
                                "/api/v1/users",
                                "{\"name\":\"y\",\"zz\":1}",
                                "enabled, grants, mustChangePassword, name, password"),
                        List.of(
                                "PUT",
                                "/api/v1/users/" + id,
                                "{\"zz\":true}",
                                "createdAt, enabled, grants, hasPassword, id, mustChangePassword,"
                                        + " name, password"),
                        List.of(
                                "PUT",
                                "/api/v1/users/" + id,
                                "{\"grants\":[{\"role\":\"reader\",\"zz\":\"x\"}]}",
                                "cluster, role, vm"),
                        List.of(
                                "PUT",
                                "/api/v1/me/password",
                                "{\"current\":\"c\",\"new\":\"long enough\",\"zz\":1}",
                                "current, new"))) {
            HttpResponse<String> refused = asAdmin(each.get(0), each.get(1), each.get(2));
            assertThat(refused.statusCode()).as(each.toString()).isEqualTo(400);
            assertThat(json(refused).path("detail").asString())
                    .isEqualTo(
                            "There is no member zz here. The members are %s."
                                    .formatted(each.get(3)));
        }
        String told = asAdmin("GET", "/api/v1/users/" + id, null).body();
        assertThat(asAdmin("PUT", "/api/v1/users/" + id, told).statusCode())
                .as("what was told may be sent back")
                .isEqualTo(200);
        assertThat(asAdmin("PUT", "/api/v1/users/" + id, "{\"name\":\"moritz\"}").statusCode())
                .as("a name stays")
                .isEqualTo(400);
        assertThat(asAdmin("DELETE", "/api/v1/users/" + id, null).statusCode()).isEqualTo(204);
    }

    @Test
    void oVirtsClientsGetTheirOwnErrorForDisabledUsers() {
        String words = "user account is disabled or locked";
        String id = user("dora", "[]");
        String right = SSO_ADMIN.replace("admin", "dora").replaceAll("password=[^&]*$", "");
        assertThat(asAdmin("PUT", "/api/v1/users/" + id, "{\"enabled\":false}").statusCode())
                .isEqualTo(200);
        HttpResponse<String> disabled = ssoAnswer(right + "password=long+enough");
        assertRefused(disabled, 400, "access_denied");
        assertThat(disabled.body()).contains(words);
        assertThat(ssoAnswer(right + "password=wrong").body())
                .as("only who knows the password learns it")
                .doesNotContain(words);
        assertThat(asAdmin("DELETE", "/api/v1/users/" + id, null).statusCode()).isEqualTo(204);
    }

    @Test
    void waysToLogInAreListed() {
        HttpResponse<String> ways = get("/login/options", "Accept", "text/html");
        assertThat(ways.statusCode()).isEqualTo(200);
        assertThat(ways.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/json");
        assertThat(json(ways).path("password").asString()).isEqualTo("/login");
        assertThat(json(ways).path("oidc").isString()).isFalse();
    }

    @Test
    void theUsbFilterNeedsNoLogin() {
        HttpResponse<String> rules = get("/ovirt-engine/services/files/usbfilter.txt");
        assertThat(rules.statusCode()).isEqualTo(200);
        assertThat(rules.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
        assertThat(rules.body()).isEqualTo("-1,-1,-1,-1,1\n");
    }

    @Test
    void peopleLogInOnAPage() {
        HttpResponse<String> away = get("/", "Accept", "text/html");
        assertThat(away.statusCode()).isEqualTo(302);
        assertThat(away.headers().firstValue("Location")).contains("/login");
        HttpResponse<String> page = get("/login", "Accept", "text/html");
        assertThat(page.statusCode()).isEqualTo(200);
        String xsrf = cookie(page, "XSRF-TOKEN");
        String hidden = page.body().replaceAll("(?s).*name=\"_csrf\" value=\"([^\"]*)\".*", "$1");
        String form = "username=admin&password=" + RunningEngine.PASSWORD;
        assertThat(login(form, xsrf).statusCode()).as("without the page's token").isEqualTo(403);
        HttpResponse<String> in = login(form + "&_csrf=" + hidden, xsrf);
        assertThat(in.statusCode()).isEqualTo(303);
        String session = cookie(in, "STILLWATER_SESSION");
        assertThat(in.headers().allValues("Set-Cookie").toString())
                .contains("HttpOnly", "SameSite=Strict");
        assertThat(get("/api/v1/vms", "Cookie", session).statusCode()).isEqualTo(200);
        assertThat(
                        send(
                                        "POST",
                                        "/api/v1/clusters",
                                        "{}",
                                        "Cookie",
                                        session,
                                        "Content-Type",
                                        "application/json")
                                .statusCode())
                .as("a cookie alone changes nothing")
                .isEqualTo(403);
        assertThat(
                        send(
                                        "POST",
                                        "/api/v1/clusters",
                                        "{}",
                                        "Cookie",
                                        session + "; " + xsrf,
                                        "X-XSRF-TOKEN",
                                        xsrf.substring(xsrf.indexOf('=') + 1),
                                        "Content-Type",
                                        "application/json")
                                .statusCode())
                .isEqualTo(400);
        HttpResponse<String> out =
                send(
                        "POST",
                        "/logout",
                        null,
                        "Cookie",
                        session + "; " + xsrf,
                        "X-XSRF-TOKEN",
                        xsrf.substring(xsrf.indexOf('=') + 1));
        assertThat(out.statusCode()).isEqualTo(303);
        assertThat(get("/api/v1/vms", "Cookie", session).statusCode()).isEqualTo(401);
    }

    private static final String STOP = "/ovirt-engine/api/vms/" + new UUID(7, 7) + "/stop";

    /** The cookie of a browser's session, and the one whose value pages send in a header. */
    private static String browserCookies() {
        HttpResponse<String> page = get("/login", "Accept", "text/html");
        String xsrf = cookie(page, "XSRF-TOKEN");
        String hidden = page.body().replaceAll("(?s).*name=\"_csrf\" value=\"([^\"]*)\".*", "$1");
        HttpResponse<String> in =
                login(
                        "username=admin&password=" + RunningEngine.PASSWORD + "&_csrf=" + hidden,
                        xsrf);
        assertThat(in.statusCode()).isEqualTo(303);
        return cookie(in, "STILLWATER_SESSION") + "; " + xsrf;
    }

    @Test
    void aBrowsersCookieAloneChangesNothingOnOVirtsInterfaceEither() {
        String cookies = browserCookies();
        assertThat(get("/ovirt-engine/api/vms", "Cookie", cookies).statusCode()).isEqualTo(200);
        for (String path : List.of(STOP, "/ovirt-engine/api//v4/vms;x=1", "/ovirt-engine/x")) {
            for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
                HttpResponse<String> forged = send(method, path, "a=b", "Cookie", cookies);
                assertThat(forged.statusCode()).as(method + " " + path).isEqualTo(403);
                assertThat(forged.headers().firstValue("Content-Type").orElse(""))
                        .startsWith("application/xml");
                assertThat(forged.body()).contains("<fault><detail>", "X-XSRF-TOKEN");
            }
        }
        HttpResponse<String> json =
                send("POST", STOP, "{}", "Cookie", cookies, "Accept", "application/json");
        assertThat(json.statusCode()).isEqualTo(403);
        assertThat(json(json).path("detail").asString()).contains("X-XSRF-TOKEN");
        assertThat(
                        send(
                                        "POST",
                                        STOP,
                                        "<action/>",
                                        "Cookie",
                                        cookies + "; JSESSIONID=x",
                                        "Content-Type",
                                        "application/xml")
                                .statusCode())
                .as("another cookie beside it")
                .isEqualTo(403);
        assertThat(
                        send(
                                        "POST",
                                        STOP,
                                        "<action/>",
                                        "Cookie",
                                        cookies,
                                        "X-XSRF-TOKEN",
                                        cookies.substring(cookies.indexOf("XSRF-TOKEN=") + 11),
                                        "Content-Type",
                                        "application/xml")
                                .statusCode())
                .as("a page of the engine: there is no such VM")
                .isEqualTo(404);
    }

    @Test
    void oVirtsClientsNeedNoTokenOfPages() {
        String cookies = browserCookies();
        HttpResponse<String> first =
                get("/ovirt-engine/api", "Authorization", AS_ADMIN, "Prefer", "persistent-auth");
        String own = cookie(first, "JSESSIONID");
        HttpResponse<String> sso =
                send(
                        "POST",
                        "/ovirt-engine/sso/oauth/token",
                        SSO_ADMIN,
                        "Cookie",
                        cookies,
                        "Content-Type",
                        "application/x-www-form-urlencoded");
        assertThat(sso.statusCode()).as("a login, also of another user").isEqualTo(200);
        String bearer = "Bearer " + json(sso).path("access_token").asString();
        for (List<String> headers :
                List.of(
                        List.of("Authorization", AS_ADMIN),
                        List.of("Authorization", AS_ADMIN, "Cookie", cookies),
                        List.of("Authorization", bearer, "Cookie", cookies),
                        List.of("Cookie", own, "Prefer", "persistent-auth"),
                        List.of("Cookie", cookies + "; " + own, "Prefer", "persistent-auth"))) {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(URI.create(engine.address() + STOP))
                            .header("Content-Type", "application/xml")
                            .headers(headers.toArray(String[]::new))
                            .POST(HttpRequest.BodyPublishers.ofString("<action/>"));
            assertThat(engine.send(request.build()).statusCode())
                    .as("there is no such VM: " + headers)
                    .isEqualTo(404);
        }
        assertThat(send("POST", STOP, "<action/>", "Cookie", own).statusCode())
                .as("a cookie that a page of another site could have had sent")
                .isEqualTo(401);
    }

    private static HttpResponse<String> login(String form, String cookies) {
        return send(
                "POST",
                "/login",
                form,
                "Cookie",
                cookies,
                "Content-Type",
                "application/x-www-form-urlencoded");
    }

    private static String cookie(HttpResponse<String> answer, String name) {
        return answer.headers().allValues("Set-Cookie").stream()
                .filter(each -> each.startsWith(name + "="))
                .map(each -> each.substring(0, each.indexOf(';')))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void answersCarryTheHeadersThatProtectPages() {
        HttpResponse<String> answer = get("/api/v1/me", "Authorization", AS_ADMIN);
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("frame-ancestors 'none'");
        assertThat(answer.headers().firstValue("Referrer-Policy"))
                .as("with no-referrer, browsers send Origin: null with the page's own forms")
                .contains("same-origin");
    }

    @Test
    void aRequestCostsNoSql() {
        get("/api/v1/me", "Authorization", AS_ADMIN);
        engine.awaitWritten();
        long before = engine.statements();
        for (int i = 0; i < 20; i++) {
            assertThat(get("/api/v1/vms", "Authorization", AS_ADMIN).statusCode()).isEqualTo(200);
        }
        assertThat(engine.statements()).isEqualTo(before);
    }

    @Test
    void healthInOVirtsWords() {
        HttpResponse<String> answer = get("/ovirt-engine/services/health");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
        assertThat(answer.body()).contains("DB Up!");
    }

    @Test
    void anEndlessQueryIsRefused() {
        assertThat(
                        get("/api/v1/vms?search=" + "x".repeat(10_000), "Authorization", AS_ADMIN)
                                .statusCode())
                .isIn(400, 414, 431);
    }
}
