package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.User;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.security.Logins.Outcome;
import org.stillwater.server.security.Sessions.Kind;
import org.stillwater.server.security.Sessions.Session;
import org.stillwater.server.settings.SecuritySettings;

/**
 * Logins of oVirt's clients (REST specification §1.2, §1.3). Each refusal is 400 with a code and a
 * message. Parameters come in the body's form, as every SDK sends them; secrets in the query are
 * refused unless a setting for old clients allows them.
 */
@RestController
class SsoController {

    private static final String API_SCOPE = "ovirt-app-api";
    private static final String GRANTED =
            API_SCOPE
                    + " ovirt-ext=token-info:authz-search"
                    + " ovirt-ext=token-info:public-authz-search ovirt-ext=token-info:validate"
                    + " ovirt-ext=token:password-access";

    /** Scopes that may be requested: each token is granted all of them. */
    private static final Set<String> SCOPES = Set.of(GRANTED.split(" "));

    /** By these words clients distinguish it from a wrong password. */
    private static final String SHUT =
            "Unable to log in because the user account is disabled or locked.";

    private static final String NO_FORM =
            "The parameters are a form: Content-Type: application/x-www-form-urlencoded.";

    private static final String IN_QUERY =
            "The parameter %s is in the address, which proxies and logs keep: send it in the body,"
                    + " as a form. For a client that cannot, an administrator sets"
                    + " stillwater.security.sso-password-in-query.";

    private final boolean queryAllowed;
    private final Logins logins;
    private final Sessions sessions;
    private final SecurityAudit audit;
    private final EngineClock clock;

    SsoController(
            Logins logins,
            Sessions sessions,
            SecurityAudit audit,
            SecuritySettings settings,
            EngineClock clock) {
        this.queryAllowed = settings.ssoPasswordInQuery();
        this.logins = logins;
        this.sessions = sessions;
        this.audit = audit;
        this.clock = clock;
    }

    @AuditedAs(AuditEvent.USER_VDC_LOGIN)
    @PostMapping("/ovirt-engine/sso/oauth/token")
    ResponseEntity<Map<String, String>> token(HttpServletRequest request) {
        String inQuery = secretInQuery(request);
        if (inQuery != null) {
            return refuse(request, "invalid_request", IN_QUERY.formatted(inQuery));
        }
        String repeated = repeated(request);
        if (repeated != null) {
            return refuse(
                    request,
                    "invalid_request",
                    "The parameter " + repeated + " is given more than once.");
        }
        String grant = request.getParameter("grant_type");
        if (grant == null || grant.isEmpty()) {
            return refuse(
                    request,
                    "invalid_request",
                    isNoForm(request) ? NO_FORM : "The parameter grant_type is missing.");
        }
        if (!grant.equals("password")) {
            return refuse(
                    request,
                    "unsupported_grant_type",
                    "Only logins by password are supported here.");
        }
        List<String> scopes = scopes(request);
        if (!SCOPES.containsAll(scopes) || !(scopes.isEmpty() || scopes.contains(API_SCOPE))) {
            return refuse(
                    request,
                    "invalid_scope",
                    "The scope is "
                            + API_SCOPE
                            + ", which all that oVirt's interface has is part of; there is no"
                            + " other.");
        }
        String name = request.getParameter("username");
        String password = request.getParameter("password");
        if (name == null || name.isEmpty() || password == null) {
            return refuse(
                    request, "invalid_request", "The parameters username and password are needed.");
        }
        String address = ClientAddress.of(request);
        return switch (logins.login(name, password, address, "SSO")) {
            case Outcome.Welcome(User user) when user.mustChangePassword() ->
                    refuse(
                            request,
                            "access_denied",
                            "Unable to log in because the user password has expired. "
                                    + Refusals.changeFirst(user.name()));
            case Outcome.Welcome(User user) -> {
                String token = sessions.begin(Kind.TOKEN, user, sessions.idle(), false, address);
                if (token == null) {
                    yield refuse(
                            request,
                            "access_denied",
                            "There are too many sessions from this address or in all. Try again"
                                    + " later.");
                }
                Map<String, String> answer = new LinkedHashMap<>();
                answer.put("access_token", token);
                answer.put("scope", GRANTED);
                answer.put("exp", Long.toString(clock.now().plus(sessions.idle()).toEpochMilli()));
                answer.put("token_type", "bearer");
                yield answer(200, answer);
            }
            case Outcome.Refused _ ->
                    refuse(
                            request,
                            "access_denied",
                            "Cannot authenticate user: the user name or the password is wrong.");
            case Outcome.Disabled _ ->
                    refuse(request, "access_denied", SHUT + " Contact the engine's administrator.");
            case Outcome.Later(var after) ->
                    refuse(
                            request,
                            after,
                            "Too many logins at once, or too many failed ones with this name or"
                                    + " from this address; try again in ");
        };
    }

    /** Its clients know only 400, and heed a retry time. */
    private static ResponseEntity<Map<String, String>> refuse(
            HttpServletRequest request, Duration after, String untilWhen) {
        long seconds = Refusals.seconds(after);
        ResponseEntity<Map<String, String>> refusal =
                refuse(request, "access_denied", untilWhen + seconds + " s.");
        return ResponseEntity.status(refusal.getStatusCode())
                .headers(refusal.getHeaders())
                .header(HttpHeaders.RETRY_AFTER, Long.toString(seconds))
                .body(refusal.getBody());
    }

    /** Logins by Kerberos are no part of the engine. */
    @AuditedAs({})
    @RequestMapping(
            path = "/ovirt-engine/sso/oauth/token-http-auth",
            method = {RequestMethod.GET, RequestMethod.POST})
    ResponseEntity<Map<String, String>> tokenByNegotiation(HttpServletRequest request) {
        return refuse(
                request, "unsupported_grant_type", "Logins by Kerberos are not supported here.");
    }

    /**
     * Logins in a browser on behalf of another web application, and OpenID Connect for such
     * applications: the engine is no provider of logins. Programs log in by a password, people by
     * the engine's own page.
     */
    @AuditedAs({})
    @RequestMapping(
            path = {
                "/ovirt-engine/sso/oauth/authorize",
                "/ovirt-engine/sso/openid/authorize",
                "/ovirt-engine/sso/openid/token",
                "/ovirt-engine/sso/openid/userinfo",
                "/ovirt-engine/sso/openid/jwks",
                "/ovirt-engine/sso/openid/.well-known/openid-configuration"
            },
            method = {RequestMethod.GET, RequestMethod.POST})
    ResponseEntity<Map<String, String>> noProvider() {
        return answer(
                400,
                forOthers(
                        "unauthorized_client",
                        "This engine is no sign-on service for other web applications. Programs get"
                            + " a token by a password at /ovirt-engine/sso/oauth/token, people log"
                            + " in at /login."));
    }

    /** Ends a token. An unknown or missing one is no failure: clients send both. */
    @AuditedAs(AuditEvent.USER_VDC_LOGOUT)
    @PostMapping({"/ovirt-engine/services/sso-logout", "/ovirt-engine/sso/oauth/revoke"})
    ResponseEntity<Map<String, String>> revoke(HttpServletRequest request) {
        String inQuery = secretInQuery(request);
        if (inQuery != null) {
            return refuse(request, "invalid_request", IN_QUERY.formatted(inQuery));
        }
        String token = request.getParameter("token");
        if (token == null && isNoForm(request)) {
            return refuse(request, "invalid_request", NO_FORM);
        }
        Session ended = token == null || token.isEmpty() ? null : sessions.end(token);
        if (ended != null) {
            audit.loggedOut(ended.caller().name());
        }
        return answer(200, Map.of());
    }

    @AuditedAs({})
    @RequestMapping(
            path = "/ovirt-engine/sso/oauth/token-info",
            method = {RequestMethod.GET, RequestMethod.POST})
    ResponseEntity<Map<String, String>> tokenInfo(HttpServletRequest request) {
        String inQuery = secretInQuery(request);
        if (inQuery != null) {
            return refuse(request, "invalid_request", IN_QUERY.formatted(inQuery));
        }
        String token = request.getParameter("token");
        Session session = token == null ? null : sessions.used(Kind.TOKEN, token);
        Caller caller = session == null ? null : sessions.caller(session);
        if (session == null || caller == null) {
            return refuse(request, "invalid_token", "The token is unknown or has expired.");
        }
        Map<String, String> answer = new LinkedHashMap<>();
        answer.put("active", "true");
        answer.put("token_type", "bearer");
        answer.put("user_id", caller.name());
        answer.put("scope", GRANTED);
        answer.put("exp", Long.toString(clock.now().plus(session.idle()).toEpochMilli()));
        return answer(200, answer);
    }

    @GetMapping("/ovirt-engine/sso/status")
    ResponseEntity<Map<String, String>> status() {
        return answer(200, Map.of("status", "deployed", "version", "0"));
    }

    private @Nullable String secretInQuery(HttpServletRequest request) {
        return queryAllowed ? null : QuerySecrets.in(request);
    }

    /** The words of the parameter {@code scope} (RFC 6749, section 3.3). */
    private static List<String> scopes(HttpServletRequest request) {
        String scope = request.getParameter("scope");
        return scope == null || scope.isBlank() ? List.of() : List.of(scope.strip().split(" +"));
    }

    /** A parameter that is given more than once, which none may be (RFC 6749, section 3.2). */
    private static @Nullable String repeated(HttpServletRequest request) {
        for (String name : List.of("grant_type", "scope", "username", "password")) {
            String[] values = request.getParameterValues(name);
            if (values != null && values.length > 1) {
                return name;
            }
        }
        return null;
    }

    /** Whether there is a body that is no form, and so has no parameters. */
    private static boolean isNoForm(HttpServletRequest request) {
        String type = request.getContentType();
        return request.getContentLengthLong() != 0
                && type != null
                && !type.toLowerCase(Locale.ROOT)
                        .startsWith(MediaType.APPLICATION_FORM_URLENCODED_VALUE);
    }

    private static ResponseEntity<Map<String, String>> refuse(
            HttpServletRequest request, String code, String message) {
        List<String> scopes = scopes(request);
        return answer(
                400,
                scopes.isEmpty() || scopes.contains(API_SCOPE)
                        ? forApi(code, message)
                        : forOthers(code, message));
    }

    /** The form for clients of oVirt's API. */
    private static Map<String, String> forApi(String code, String message) {
        Map<String, String> answer = new LinkedHashMap<>();
        answer.put("error_code", code);
        answer.put("error", message);
        return answer;
    }

    /** The form for clients of other scopes (RFC 6749, section 5.2). */
    private static Map<String, String> forOthers(String code, String message) {
        Map<String, String> answer = new LinkedHashMap<>();
        answer.put("error", code);
        answer.put("error_description", message);
        return answer;
    }

    private static ResponseEntity<Map<String, String>> answer(
            int status, Map<String, String> body) {
        return ResponseEntity.status(status)
                .contentType(MediaType.APPLICATION_JSON)
                .cacheControl(CacheControl.noStore())
                .body(body);
    }
}
