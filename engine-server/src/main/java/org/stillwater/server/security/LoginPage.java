package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;
import org.stillwater.server.security.Logins.Outcome;
import org.stillwater.server.security.Sessions.Kind;
import org.stillwater.server.security.Sessions.Session;
import org.stillwater.server.settings.OidcSettings;

/** The page on which people log in, and how they leave: {@code /login}, {@code /logout}. */
@RestController
class LoginPage {

    private final Logins logins;
    private final Sessions sessions;
    private final SecurityAudit audit;
    private final OidcSettings oidc;
    private final String page;

    LoginPage(Logins logins, Sessions sessions, SecurityAudit audit, OidcSettings oidc)
            throws IOException {
        this.logins = logins;
        this.sessions = sessions;
        this.audit = audit;
        this.oidc = oidc;
        try (InputStream html = LoginPage.class.getResourceAsStream("login.html")) {
            if (html == null) {
                throw new IOException("login.html is not where it belongs");
            }
            page = new String(html.readAllBytes(), StandardCharsets.UTF_8);
        }
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
        CsrfToken token = (CsrfToken) request.getAttribute(CsrfToken.class.getName());
        String filled =
                page.replace("{message}", HtmlUtils.htmlEscape(message))
                        .replace("{hidden}", message.isEmpty() ? "hidden" : "")
                        .replace("{oidc}", oidc.enabled() ? "" : "hidden")
                        .replace(
                                "{token}",
                                token == null ? "" : HtmlUtils.htmlEscape(token.getToken()));
        return ResponseEntity.status(status)
                .contentType(new MediaType(MediaType.TEXT_HTML, StandardCharsets.UTF_8))
                .cacheControl(CacheControl.noStore())
                .body(filled);
    }

    @PostMapping("/login")
    ResponseEntity<String> login(
            HttpServletRequest request,
            HttpServletResponse response,
            @RequestParam(defaultValue = "") String username,
            @RequestParam(defaultValue = "") String password) {
        return switch (logins.login(username, password, request.getRemoteAddr(), "page")) {
            case Outcome.Welcome(var user) -> {
                begin(
                        request,
                        response,
                        sessions.begin(Kind.BROWSER, user, sessions.idle(), false));
                yield ResponseEntity.status(HttpStatus.SEE_OTHER)
                        .header(HttpHeaders.LOCATION, "/")
                        .build();
            }
            case Outcome.Refused _ ->
                    page(request, HttpStatus.UNAUTHORIZED, "The name or the password is wrong.");
            case Outcome.Disabled _ ->
                    page(
                            request,
                            HttpStatus.UNAUTHORIZED,
                            "This user is disabled. Ask the engine's administrator.");
            case Outcome.Locked(var left) ->
                    page(
                            request,
                            HttpStatus.UNAUTHORIZED,
                            "Too many logins with this name failed. Try again in "
                                    + Refusals.seconds(left)
                                    + " s.");
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
