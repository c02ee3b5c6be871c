package org.stillwater.server.api.web;

import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Locale;
import org.apache.catalina.connector.ClientAbortException;
import org.apache.coyote.CloseNowException;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;
import tools.jackson.core.exc.StreamReadException;

/** Every error as {@code application/problem+json} (RFC 9457), without stack traces. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    private static final Logger log = LoggerFactory.getLogger(Problems.class);
    private static final Duration QUIET = Duration.ofMinutes(1);

    private final ThrottledLog warnings;

    Problems(EngineClock clock) {
        warnings = new ThrottledLog(log, clock, QUIET, "native interface");
    }

    @ExceptionHandler(ApiException.class)
    ResponseEntity<ProblemDetail> asked(ApiException e) {
        Integer seconds = e.retryAfterSeconds();
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.status(e.status()).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (seconds != null) {
            answer.header(HttpHeaders.RETRY_AFTER, Integer.toString(seconds));
        }
        ProblemDetail problem =
                ProblemDetail.forStatusAndDetail(e.status(), String.valueOf(e.getMessage()));
        String member = e.member();
        if (member != null) {
            problem.setProperty("member", member);
        }
        return answer.body(problem);
    }

    @ExceptionHandler(MethodArgumentTypeMismatchException.class)
    ResponseEntity<ProblemDetail> mismatch(MethodArgumentTypeMismatchException e) {
        return answer(
                HttpStatus.BAD_REQUEST,
                "parameter %s cannot be \"%s\""
                        .formatted(e.getName(), Ids.shortened(String.valueOf(e.getValue()))));
    }

    /** A query or form that is not written as one. */
    @ExceptionHandler(InvalidParameterException.class)
    ResponseEntity<ProblemDetail> malformed(InvalidParameterException e) {
        log.debug("A query cannot be read: {}", e.getMessage());
        return answer(HttpStatus.BAD_REQUEST, "The query is not written as name=value&name=value.");
    }

    /** Requests that no honest client sends: control characters in names, values or headers. */
    @ExceptionHandler(RequestRejectedException.class)
    ResponseEntity<ProblemDetail> rejected(RequestRejectedException e) {
        log.debug("A request is refused: {}", e.getMessage());
        return answer(
                HttpStatus.BAD_REQUEST,
                "A name or value of the query, or a header, holds characters that none may hold.");
    }

    /**
     * A reader that went away in the middle of an answer is no defect and can get no answer. Every
     * other failure is answered: a client that still listens must not take an empty 200 for
     * success.
     */
    @ExceptionHandler(Exception.class)
    @Nullable ResponseEntity<ProblemDetail> bug(Exception e, HttpServletResponse response) {
        if (response.isCommitted() || isOfConnection(e)) {
            log.debug("A reader went away: {}", e.getMessage());
            return null;
        }
        warnings.about(
                "a request failed for a reason that is a defect of the engine", e.toString(), e);
        return answer(
                HttpStatus.INTERNAL_SERVER_ERROR,
                "The engine failed to answer; its log has the reason.");
    }

    private static boolean isOfConnection(Exception e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof ClientAbortException
                    || cause instanceof CloseNowException
                    || cause instanceof AsyncRequestNotUsableException) {
                return true;
            }
        }
        return false;
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
            HttpMessageNotReadableException e,
            HttpHeaders headers,
            HttpStatusCode status,
            WebRequest request) {
        String detail = "The body is not the JSON object that is expected here.";
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof StreamReadException unread) {
                detail = unread(unread);
            }
            if (cause instanceof ApiException asked) {
                return handleExceptionInternal(
                        e,
                        ProblemDetail.forStatusAndDetail(
                                asked.status(), String.valueOf(asked.getMessage())),
                        headers,
                        asked.status(),
                        request);
            }
        }
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        return handleExceptionInternal(e, problem, headers, status, request);
    }

    /** Position at which a body is unreadable, without the body's content. */
    private static String unread(StreamReadException e) {
        String reason = String.valueOf(e.getOriginalMessage());
        return "The body is not the JSON object that is expected here: line %d, column %d%s."
                .formatted(
                        e.getLocation().getLineNr(),
                        e.getLocation().getColumnNr(),
                        reason.startsWith("Duplicate") ? " names a member again" : "");
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleNoResourceFoundException(
            NoResourceFoundException e,
            HttpHeaders headers,
            HttpStatusCode status,
            WebRequest request) {
        ProblemDetail problem =
                ProblemDetail.forStatusAndDetail(
                        status,
                        "There is no %s %s."
                                .formatted(
                                        e.getHttpMethod().name().toUpperCase(Locale.ROOT),
                                        "/" + e.getResourcePath()));
        return handleExceptionInternal(e, problem, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleExceptionInternal(
            Exception e,
            @Nullable Object body,
            HttpHeaders headers,
            HttpStatusCode status,
            WebRequest request) {
        if (request instanceof ServletWebRequest asked
                && asked.getResponse() != null
                && asked.getResponse().isCommitted()) {
            log.debug("A request was answered before: {}", e.getMessage());
            return null; // the server refused the framing of its body
        }
        HttpHeaders typed = new HttpHeaders(headers);
        typed.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        return super.handleExceptionInternal(e, body, typed, status, request);
    }

    private static ResponseEntity<ProblemDetail> answer(HttpStatus status, String detail) {
        return ResponseEntity.status(status)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(ProblemDetail.forStatusAndDetail(status, detail));
    }
}
