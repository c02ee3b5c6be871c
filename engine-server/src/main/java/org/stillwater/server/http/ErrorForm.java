package org.stillwater.server.http;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Error form of each interface for requests that none of its handlers answered: the server or a
 * filter refuses them. Texts are ours and need no escape.
 */
public enum ErrorForm {

    /** Login and logout of oVirt's clients: they read JSON only. */
    LOGIN("application/json"),

    /** On oVirt's interface. */
    FAULT("application/xml;charset=UTF-8"),

    /** The same for clients of JSON. */
    FAULT_IN_JSON("application/json"),

    /** Elsewhere (RFC 9457). */
    PROBLEM("application/problem+json");

    private static final String OVIRT = "/ovirt-engine/";
    private static final String LOGINS = "/ovirt-engine/sso";
    private static final String LOGOUT = "/ovirt-engine/services/sso-logout";

    private final String type;

    ErrorForm(String type) {
        this.type = type;
    }

    /** The form for a path, as the client wants it. */
    public static ErrorForm of(HttpServletRequest request, @Nullable String path) {
        if (path == null || !path.startsWith(OVIRT)) {
            return PROBLEM;
        }
        if (isLogin(path)) {
            return LOGIN;
        }
        String accept = request.getHeader("Accept");
        return accept != null && accept.contains("json") && !accept.contains("xml")
                ? FAULT_IN_JSON
                : FAULT;
    }

    /** Whether oVirt's clients log in or out there. */
    private static boolean isLogin(String path) {
        return path.equals(LOGINS)
                || path.startsWith(LOGINS + "/")
                || path.equals(LOGOUT)
                || path.startsWith(LOGOUT + "/");
    }

    /** Media type of the text. */
    public String type() {
        return type;
    }

    /** The text when no more is known than the status; empty where nothing is expected. */
    public String text(HttpStatus status) {
        if (status == HttpStatus.METHOD_NOT_ALLOWED && (this == FAULT || this == FAULT_IN_JSON)) {
            return "";
        }
        String detail =
                switch (status) {
                    case NOT_FOUND -> "This path does not exist.";
                    case METHOD_NOT_ALLOWED -> "The method is not for this path.";
                    case CONTENT_TOO_LARGE -> "The body is too large.";
                    default ->
                            status.is5xxServerError()
                                    ? "The engine failed to answer; its log has the reason."
                                    : "The method, the path, the query, a header or the form is"
                                            + " not as it must be.";
                };
        return text(status.value(), status.getReasonPhrase(), detail);
    }

    /**
     * The text.
     *
     * @param status the status of the answer
     * @param title its reason phrase
     * @param detail a sentence
     */
    public String text(int status, String title, String detail) {
        return switch (this) {
            case LOGIN ->
                    "{\"error_code\":\"%s\",\"error\":\"%s\"}"
                            .formatted(status < 500 ? "invalid_request" : "server_error", detail);
            case FAULT ->
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><fault><detail>%s</detail><reason>%s</reason></fault>"
                            .formatted(detail, title);
            case FAULT_IN_JSON -> "{\"detail\":\"%s\",\"reason\":\"%s\"}".formatted(detail, title);
            case PROBLEM ->
                    "{\"status\":%d,\"title\":\"%s\",\"detail\":\"%s\"}"
                            .formatted(status, title, detail);
        };
    }
}
