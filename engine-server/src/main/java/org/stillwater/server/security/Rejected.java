package org.stillwater.server.security;

import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.stillwater.core.store.StoreUnavailable;

/** A request about users or tokens that is answered with a problem, for the caller to mend. */
public final class Rejected extends ErrorResponseException {

    private Rejected(HttpStatus status, String detail) {
        super(status, ProblemDetail.forStatusAndDetail(status, detail), null);
    }

    static Rejected badRequest(String detail) {
        return new Rejected(HttpStatus.BAD_REQUEST, detail);
    }

    /** It is seen, but not to be acted upon. */
    public static Rejected forbidden(String detail) {
        return new Rejected(HttpStatus.FORBIDDEN, detail);
    }

    static Rejected notFound(String detail) {
        return new Rejected(HttpStatus.NOT_FOUND, detail);
    }

    static Rejected conflict(String detail) {
        return new Rejected(HttpStatus.CONFLICT, detail);
    }

    /** Too many logins fail or come: after a while it may be tried again. */
    static Rejected later(Duration after) {
        long seconds = Refusals.seconds(after);
        Rejected later =
                new Rejected(
                        HttpStatus.TOO_MANY_REQUESTS,
                        "Too many logins failed. Try again in " + seconds + " s.");
        later.getHeaders().set(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
        return later;
    }

    static Rejected unavailable(StoreUnavailable e) {
        return new Rejected(
                HttpStatus.SERVICE_UNAVAILABLE,
                "The database does not answer, so the outcome is unknown: " + e.getMessage());
    }
}
