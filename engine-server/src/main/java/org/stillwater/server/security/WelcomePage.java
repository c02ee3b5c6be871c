package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

/**
 * The address of oVirt's engine without its interface. A browser gets to the page; a client that
 * keeps no cookies is sent in circles, as oVirt's own welcome page does. oVirt's Go client knows by
 * that ("stopped after 10 redirects") that the address lacks {@code /api}: any other answer it
 * takes for trouble on the way, and continues trying.
 */
@RestController
class WelcomePage {

    private static final String COOKIE = "stillwater-welcome";
    private static final String HOME = "/ovirt-engine/";
    private static final String LOGIN = "/ovirt-engine/login";

    @RequestMapping(
            path = "/ovirt-engine",
            method = {RequestMethod.GET, RequestMethod.OPTIONS})
    ResponseEntity<Void> withoutSlash() {
        return to(HOME).build();
    }

    @RequestMapping(
            path = HOME,
            method = {RequestMethod.GET, RequestMethod.OPTIONS})
    ResponseEntity<Void> home() {
        return to(LOGIN).build();
    }

    /** Whether a client keeps cookies shows when it comes for the second time. */
    @RequestMapping(
            path = LOGIN,
            method = {RequestMethod.GET, RequestMethod.OPTIONS})
    ResponseEntity<Void> login(HttpServletRequest request) {
        if (Identification.cookie(request, COOKIE) != null) {
            return to("/").build();
        }
        ResponseCookie cookie =
                ResponseCookie.from(COOKIE, "seen")
                        .path("/ovirt-engine")
                        .maxAge(Duration.ofMinutes(1))
                        .httpOnly(true)
                        .secure(request.isSecure())
                        .sameSite("Lax")
                        .build();
        return to(HOME).header(HttpHeaders.SET_COOKIE, cookie.toString()).build();
    }

    private static ResponseEntity.BodyBuilder to(String path) {
        return ResponseEntity.status(HttpStatus.FOUND).header(HttpHeaders.LOCATION, path);
    }
}
