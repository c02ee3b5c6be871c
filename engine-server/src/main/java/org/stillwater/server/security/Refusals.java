package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.csrf.CsrfException;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.stereotype.Component;
import org.stillwater.server.http.ErrorForm;
import org.stillwater.server.http.RequestPath;
import org.stillwater.server.security.CallerAuthentication.Means;

/**
 * The answer to a caller that is not let through: a problem on our own interface, with an empty
 * body or a fault on oVirt's, and by the page to log in to a browser that wants a page. Stateless.
 */
@Component
class Refusals implements AuthenticationEntryPoint, AccessDeniedHandler, RequestRejectedHandler {

    private static final int TOO_MANY = 429;
    private static final int MISDIRECTED = 421;
    private static final String NOT_ALLOWED = "The user is not authorized to perform this action.";
    private static final String NO_PAGE =
            "A page that changes something sends the value of its cookie XSRF-TOKEN in the header"
                    + " X-XSRF-TOKEN.";

    static boolean isOvirt(HttpServletRequest request) {
        return RequestPath.isOvirt(RequestPath.of(request));
    }

    @Override
    public void commence(
            HttpServletRequest request, HttpServletResponse response, AuthenticationException e)
            throws IOException {
        challenge(request, response);
    }

    private static void challenge(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (isOvirt(request)) {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"RESTAPI\"");
            response.setContentLength(0);
            response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
        } else if (wantsPage(request)) {
            response.setStatus(HttpServletResponse.SC_FOUND);
            response.setHeader(HttpHeaders.LOCATION, request.getContextPath() + "/login");
        } else {
            // A page's own request must not make the browser request a password in a window.
            boolean browser = request.getHeader("Sec-Fetch-Mode") != null;
            response.setHeader(
                    HttpHeaders.WWW_AUTHENTICATE,
                    browser ? "Bearer" : "Basic realm=\"stillwater\", charset=\"UTF-8\"");
            boolean tried = request.getHeader(HttpHeaders.AUTHORIZATION) != null;
            problem(
                    response,
                    401,
                    "Unauthorized",
                    tried
                            ? "The name, the password or the token is wrong, or has ended."
                            : "Log in with a name and a password or a token.");
        }
    }

    @Override
    public void handle(
            HttpServletRequest request, HttpServletResponse response, AccessDeniedException e)
            throws IOException {
        Authentication known = SecurityContextHolder.getContext().getAuthentication();
        if (known instanceof CallerAuthentication nobody && nobody.means() == Means.NONE) {
            challenge(request, response);
            return;
        }
        if (isOvirt(request)) {
            fault(request, response, e instanceof CsrfException ? NO_PAGE : NOT_ALLOWED);
            return;
        }
        if (e instanceof CsrfException) {
            problem(response, 403, "Forbidden", NO_PAGE);
            return;
        }
        AccessRequirement need = AccessRules.need(request.getMethod(), RequestPath.of(request));
        problem(
                response,
                403,
                "Forbidden",
                (need == AccessRequirement.PERSON || need == AccessRequirement.OWN_PASSWORD)
                                && Callers.means(known) == Means.API_TOKEN
                        ? "A token changes neither tokens nor the password of its user, unless it"
                                + " is an administrator's: log in with a password."
                        : "This takes the role: %s. %s does not have it."
                                .formatted(need.words(), Callers.of(known).name()));
    }

    private static boolean wantsPage(HttpServletRequest request) {
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        return request.getMethod().equals("GET")
                && accept != null
                && accept.contains("text/html")
                && !RequestPath.of(request).startsWith("/api/");
    }

    /**
     * The password must be changed before any other request; the answer names the path for each
     * kind of client.
     */
    static void mustChangePassword(
            HttpServletRequest request, HttpServletResponse response, String name)
            throws IOException {
        if (isOvirt(request)) {
            fault(request, response, changeFirst(name));
        } else if (wantsPage(request)) {
            response.setStatus(HttpServletResponse.SC_FOUND);
            response.setHeader(
                    HttpHeaders.LOCATION, request.getContextPath() + Identification.PASSWORD_PAGE);
        } else {
            problem(response, 403, "Forbidden", changeFirst(name));
        }
    }

    static String changeFirst(String name) {
        return "The password of "
                + name
                + " must be changed first: on the page "
                + Identification.PASSWORD_PAGE
                + ", or by PUT "
                + Identification.PASSWORD_PATH
                + " with the members current and new.";
    }

    /** Too many come or fail: after a while it may be tried again. */
    static void later(HttpServletRequest request, HttpServletResponse response, Duration after)
            throws IOException {
        response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds(after)));
        String detail =
                "Too many requests at once or in a second, or too many failed logins with this name"
                        + " or from this address. Try again in "
                        + seconds(after)
                        + " s.";
        refuse(request, response, TOO_MANY, "Too Many Requests", detail);
    }

    /** The query of the address has more characters than are taken. */
    static void tooLong(HttpServletRequest request, HttpServletResponse response, int most)
            throws IOException {
        String detail = "A query may have at most " + most + " characters.";
        refuse(
                request,
                response,
                HttpServletResponse.SC_REQUEST_URI_TOO_LONG,
                "URI Too Long",
                detail);
    }

    /** Refuses a request in the form of its interface. */
    private static void refuse(
            HttpServletRequest request,
            HttpServletResponse response,
            int status,
            String title,
            String detail)
            throws IOException {
        ErrorForm form = ErrorForm.of(request, RequestPath.of(request));
        write(response, status, form.type(), form.text(status, title, detail));
    }

    /** Whole seconds as HTTP wants them, and never too few. */
    static long seconds(Duration after) {
        return Math.max(1, after.plusNanos(999_999_999).toSeconds());
    }

    /** A path or a header that could be read in two ways. */
    @Override
    public void handle(
            HttpServletRequest request, HttpServletResponse response, RequestRejectedException e)
            throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.resetBuffer();
        ErrorForm form = ErrorForm.of(request, RequestPath.of(request));
        write(
                response,
                HttpServletResponse.SC_BAD_REQUEST,
                form.type(),
                form.text(HttpStatus.BAD_REQUEST));
    }

    /** A page of another origin wants to change something, or to read a stream. */
    static void otherOrigin(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        refuse(
                request,
                response,
                HttpServletResponse.SC_FORBIDDEN,
                "Forbidden",
                "A page of another origin may not do this. stillwater.http.allowed-origins names"
                        + " origins that may.");
    }

    /** The header Host names another host. */
    static void otherHost(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        refuse(
                request,
                response,
                MISDIRECTED,
                "Misdirected Request",
                "The engine does not answer to the host name of this request."
                        + " stillwater.http.allowed-hosts names those to which it answers.");
    }

    /** It is not allowed to any caller. */
    static void forbidden(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        fault(request, response, NOT_ALLOWED);
    }

    private static void fault(
            HttpServletRequest request, HttpServletResponse response, String detail)
            throws IOException {
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        String asked = request.getParameter("accept");
        boolean json =
                (accept != null && accept.contains("json") && !accept.contains("xml"))
                        || (asked != null && asked.contains("json"));
        write(
                response,
                403,
                json ? MediaType.APPLICATION_JSON_VALUE : "application/xml;charset=UTF-8",
                json
                        ? "{\"detail\":\"" + detail + "\",\"reason\":\"Operation Failed\"}"
                        : "<?xml version=\"1.0\" encoding=\"UTF-8\"?><fault><detail>"
                                + detail
                                + "</detail><reason>Operation Failed</reason></fault>");
    }

    /** Writes a problem (RFC 9457). The texts are ours or names of users, which have no quotes. */
    static void problem(HttpServletResponse response, int status, String title, String detail)
            throws IOException {
        write(
                response,
                status,
                MediaType.APPLICATION_PROBLEM_JSON_VALUE,
                "{\"status\":%d,\"title\":\"%s\",\"detail\":\"%s\"}"
                        .formatted(
                                status, title, detail.replace("\\", "\\\\").replace("\"", "\\\"")));
    }

    static void write(HttpServletResponse response, int status, String type, String body)
            throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType(type);
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }
}
