package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.security.Logins.Outcome;
import org.stillwater.server.security.Sessions.Kind;
import org.stillwater.server.security.Sessions.Session;
import org.stillwater.server.settings.LoginSettings;
import org.stillwater.server.settings.OidcSettings;

/** The pages of login and logout for users: {@code /login}, {@code /logout}. */
@RestController
class LoginPage {

    /** The cookie by which a browser is known as one that a user has logged in with. */
    static final String DEVICE_COOKIE = "STILLWATER_DEVICE";

    private static final String TOO_MANY_SESSIONS =
            "There are too many sessions from this address or in all. Try again later.";

    private final Duration knownFor;
    private final Logins logins;
    private final Sessions sessions;
    private final SecurityAudit audit;
    private final OidcSettings oidc;
    private final KnownDevices devices;
    private final HtmlPage page;

    LoginPage(
            Logins logins,
            Sessions sessions,
            SecurityAudit audit,
            OidcSettings oidc,
            LoginSettings settings,
            KnownDevices devices)
            throws IOException {
        this.knownFor = settings.knownFor();
        this.devices = devices;
        this.logins = logins;
        this.sessions = sessions;
        this.audit = audit;
        this.oidc = oidc;
        this.page = HtmlPage.of("login.html").with("{oidc}", oidc.enabled() ? "" : "hidden");
    }

    @GetMapping("/login")
    ResponseEntity<String> show(
            HttpServletRequest request, @RequestParam(required = false) @Nullable String error) {
        return page(
                request,
                HttpStatus.OK,
                switch (error) {
                    case null -> "";
                    case "role" ->
                            "Your organisation knows you, but you have no role here. Ask the"
                                    + " engine's administrator for one.";
                    case "provider" ->
                            "Your organisation's server does not answer. Try again later, or log in"
                                    + " with a name and a password.";
                    case "sessions" -> TOO_MANY_SESSIONS;
                    default -> "That login was not accepted. Try again.";
                });
    }

    /**
     * Ways to log in, for pages and programs that offer them.
     *
     * @param password where a name and a password are sent as a form
     * @param oidc where a login at the organisation's provider begins, null if there is none
     */
    record Options(String password, @Nullable String oidc) {}

    @GetMapping("/login/options")
    ResponseEntity<Options> options() {
        return ResponseEntity.ok()
                .contentType(MediaType.APPLICATION_JSON)
                .cacheControl(CacheControl.noStore())
                .body(new Options("/login", oidc.enabled() ? "/oauth2/authorization/oidc" : null));
    }

    private ResponseEntity<String> page(
            HttpServletRequest request, HttpStatus status, String message) {
        return page.filled(request, status, message);
    }

    @AuditedAs(AuditEvent.USER_VDC_LOGIN)
    @PostMapping("/login")
    ResponseEntity<String> login(
            HttpServletRequest request,
            HttpServletResponse response,
            @RequestParam(defaultValue = "") String username,
            @RequestParam(defaultValue = "") String password) {
        if (QuerySecrets.in(request) != null) {
            return page(request, HttpStatus.BAD_REQUEST, HtmlPage.IN_QUERY);
        }
        String address = ClientAddress.of(request);
        String device = devices.device(Identification.cookie(request, DEVICE_COOKIE), username);
        return switch (logins.login(username, password, address, device, "page")) {
            case Outcome.Welcome(var user) -> {
                String secret = sessions.begin(Kind.BROWSER, user, sessions.idle(), false, address);
                if (secret == null) {
                    yield page(request, HttpStatus.TOO_MANY_REQUESTS, TOO_MANY_SESSIONS);
                }
                begin(request, response, secret);
                if (device == null) {
                    remember(request, response, user.name());
                }
                yield ResponseEntity.status(HttpStatus.SEE_OTHER)
                        .header(
                                HttpHeaders.LOCATION,
                                user.mustChangePassword() ? Identification.PASSWORD_PAGE : "/")
                        .build();
            }
            case Outcome.Refused _ ->
                    page(request, HttpStatus.UNAUTHORIZED, "The name or the password is wrong.");
            case Outcome.Disabled _ ->
                    page(
                            request,
                            HttpStatus.UNAUTHORIZED,
                            "This user is disabled. Ask the engine's administrator.");
            case Outcome.Later(var after) -> {
                String seconds = Long.toString(Refusals.seconds(after));
                response.setHeader(HttpHeaders.RETRY_AFTER, seconds);
                yield page(
                        request,
                        HttpStatus.TOO_MANY_REQUESTS,
                        "Too many logins failed. Try again in " + seconds + " s.");
            }
        };
    }

    private void remember(HttpServletRequest request, HttpServletResponse response, String name) {
        response.addHeader(
                HttpHeaders.SET_COOKIE,
                ResponseCookie.from(DEVICE_COOKIE, devices.cookie(name))
                        .path("/")
                        .httpOnly(true)
                        .sameSite("Strict")
                        .secure(request.isSecure())
                        .maxAge(knownFor)
                        .build()
                        .toString());
    }

    /** Gives a browser its session. Strict: no other site's page can use it. */
    static void begin(HttpServletRequest request, HttpServletResponse response, String secret) {
        response.addHeader(HttpHeaders.SET_COOKIE, cookie(request, secret).build().toString());
    }

    private static ResponseCookie.ResponseCookieBuilder cookie(
            HttpServletRequest request, String secret) {
        return ResponseCookie.from(Identification.BROWSER_COOKIE, secret)
                .path("/")
                .httpOnly(true)
                .sameSite("Strict")
                .secure(request.isSecure());
    }

    @AuditedAs(AuditEvent.USER_VDC_LOGOUT)
    @PostMapping("/logout")
    ResponseEntity<Void> logout(HttpServletRequest request, HttpServletResponse response) {
        String secret = Identification.cookie(request, Identification.BROWSER_COOKIE);
        Session ended = secret == null ? null : sessions.end(secret);
        if (ended != null) {
            audit.loggedOut(ended.caller().name());
        }
        response.addHeader(
                HttpHeaders.SET_COOKIE, cookie(request, "").maxAge(0).build().toString());
        return ResponseEntity.status(HttpStatus.SEE_OTHER)
                .header(HttpHeaders.LOCATION, "/login")
                .build();
    }
}
