package org.stillwater.server.api.web;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** A request that is answered with a problem: the mistake, for the caller to correct. */
public final class ApiException extends RuntimeException {

    private static final int AGAIN_AFTER_SECONDS = 5;

    private final HttpStatus status;
    private final @Nullable String member;

    private ApiException(HttpStatus status, String detail) {
        this(status, detail, null);
    }

    private ApiException(HttpStatus status, String detail, @Nullable String member) {
        super(detail);
        this.status = status;
        this.member = member;
    }

    /** The same about a member of the body, such as {@code scope.tags}. */
    public ApiException about(String member) {
        return new ApiException(status, String.valueOf(getMessage()), member);
    }

    /** The member of the body that it is about; null for none. */
    public @Nullable String member() {
        return member;
    }

    public static ApiException badRequest(String detail) {
        return new ApiException(HttpStatus.BAD_REQUEST, detail);
    }

    public static ApiException notFound(String detail) {
        return new ApiException(HttpStatus.NOT_FOUND, detail);
    }

    public static ApiException gone(String detail) {
        return new ApiException(HttpStatus.GONE, detail);
    }

    public static ApiException notAcceptable(String detail) {
        return new ApiException(HttpStatus.NOT_ACCEPTABLE, detail);
    }

    public static ApiException forbidden(String detail) {
        return new ApiException(HttpStatus.FORBIDDEN, detail);
    }

    public static ApiException conflict(String detail) {
        return new ApiException(HttpStatus.CONFLICT, detail);
    }

    static ApiException tooLarge(String detail) {
        return new ApiException(HttpStatus.CONTENT_TOO_LARGE, detail);
    }

    public static ApiException unavailable(String detail) {
        return new ApiException(HttpStatus.SERVICE_UNAVAILABLE, detail);
    }

    public static ApiException tooMany(String detail) {
        return new ApiException(HttpStatus.TOO_MANY_REQUESTS, detail);
    }

    /** After how many seconds the request may be repeated; null if that would change nothing. */
    @Nullable Integer retryAfterSeconds() {
        return status == HttpStatus.TOO_MANY_REQUESTS ? AGAIN_AFTER_SECONDS : null;
    }

    public HttpStatus status() {
        return status;
    }
}
