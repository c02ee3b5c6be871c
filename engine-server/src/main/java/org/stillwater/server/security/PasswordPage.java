package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.User;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.security.OwnPassword.Result;
import org.stillwater.server.security.Sessions.Kind;
import org.stillwater.server.settings.SecuritySettings;

/**
 * The page for changing the own password: {@code /password}. It needs no script. All other paths
 * redirect the browser of a user who must change the password to it.
 */
@RestController
class PasswordPage {

    private final OwnPassword own;
    private final Sessions sessions;
    private final KnownDevices devices;
    private final Callers callers;
    private final HtmlPage page;

    PasswordPage(OwnPassword own, Sessions sessions, KnownDevices devices, Callers callers)
            throws IOException {
        this.own = own;
        this.sessions = sessions;
        this.devices = devices;
        this.callers = callers;
        this.page = HtmlPage.of("password.html");
    }

    @GetMapping(Identification.PASSWORD_PAGE)
    ResponseEntity<String> show(HttpServletRequest request) {
        User user = own.keptFor(callers.current().name());
        return user == null
                ? notKept(request)
                : page(
                        request,
                        HttpStatus.OK,
                        user.mustChangePassword()
                                ? "Choose a password of your own before anything else."
                                : "");
    }

    private ResponseEntity<String> notKept(HttpServletRequest request) {
        return page(
                request,
                HttpStatus.CONFLICT,
                "The engine does not keep a password of "
                        + callers.current().name()
                        + ". Change it where you log in.");
    }

    @PostMapping(Identification.PASSWORD_PAGE)
    ResponseEntity<String> change(
            HttpServletRequest request,
            HttpServletResponse response,
            @RequestParam(defaultValue = "") String current,
            @RequestParam(name = "new", defaultValue = "") String next,
            @RequestParam(defaultValue = "") String again) {
        User user = own.keptFor(callers.current().name());
        if (user == null) {
            return notKept(request);
        }
        if (QuerySecrets.in(request) != null) {
            return page(request, HttpStatus.BAD_REQUEST, HtmlPage.IN_QUERY);
        }
        if (next.length() < SecuritySettings.SHORTEST_PASSWORD
                || next.length() > SecuritySettings.LONGEST_PASSWORD) {
            return page(
                    request,
                    HttpStatus.BAD_REQUEST,
                    "The new password must have %d to %d characters."
                            .formatted(
                                    SecuritySettings.SHORTEST_PASSWORD,
                                    SecuritySettings.LONGEST_PASSWORD));
        }
        if (!next.equals(again)) {
            return page(request, HttpStatus.BAD_REQUEST, "The two new passwords are not the same.");
        }
        String address = ClientAddress.of(request);
        String device =
                devices.device(
                        Identification.cookie(request, LoginPage.DEVICE_COOKIE), user.name());
        try {
            return switch (own.change(user, current, next, address, device)) {
                case Result.Done _ -> {
                    User now = own.keptFor(user.name());
                    String secret =
                            now == null
                                    ? null
                                    : sessions.begin(
                                            Kind.BROWSER, now, sessions.idle(), false, address);
                    if (secret != null) {
                        LoginPage.begin(request, response, secret);
                    }
                    yield ResponseEntity.status(HttpStatus.SEE_OTHER)
                            .header(HttpHeaders.LOCATION, secret == null ? "/login" : "/")
                            .build();
                }
                case Result.Wrong _ ->
                        page(
                                request,
                                HttpStatus.BAD_REQUEST,
                                "The present password is another one.");
                case Result.Same _ ->
                        page(
                                request,
                                HttpStatus.BAD_REQUEST,
                                "The new password must be another than the present one.");
                case Result.Later(var after) -> {
                    String seconds = Long.toString(Refusals.seconds(after));
                    response.setHeader(HttpHeaders.RETRY_AFTER, seconds);
                    yield page(
                            request,
                            HttpStatus.TOO_MANY_REQUESTS,
                            "Too many logins failed. Try again in " + seconds + " s.");
                }
            };
        } catch (StoreUnavailable _) {
            return page(
                    request,
                    HttpStatus.SERVICE_UNAVAILABLE,
                    "The database does not answer. The outcome is unknown; try again.");
        }
    }

    private ResponseEntity<String> page(
            HttpServletRequest request, HttpStatus status, String message) {
        return page.filled(request, status, message);
    }
}
