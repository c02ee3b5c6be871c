package org.stillwater.server.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.apache.coyote.BadRequestException;
import org.apache.coyote.CloseNowException;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses paths that could be read in two ways before anything reads them, and makes several
 * slashes of oVirt's clients one. Answers 400 where a filter comes upon a form, a query, a header
 * or the framing of a body that cannot be read: without it the server would log the stack of each,
 * so that a client could fill the log. Thread-safe.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class MalformedRequests extends OncePerRequestFilter {

    private static final Logger log = LoggerFactory.getLogger(MalformedRequests.class);
    private static final Pattern SLASHES = Pattern.compile("/{2,}");

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String problem = RequestPath.problem(request);
        if (problem != null) {
            log.debug("A path is refused: {}", problem);
            tell(request, response, HttpStatus.BAD_REQUEST);
            return;
        }
        boolean slashes = request.getRequestURI().contains("//");
        try {
            chain.doFilter(slashes ? new OneSlash(request) : request, response);
        } catch (IOException | ServletException | RuntimeException e) {
            HttpStatus status = status(e);
            if (status == null) {
                throw e;
            }
            log.debug("A request cannot be read: {}", e.getMessage());
            tell(request, response, status);
        }
    }

    @Override
    protected boolean shouldNotFilterErrorDispatch() {
        return false;
    }

    @Override
    protected boolean shouldNotFilterAsyncDispatch() {
        return false;
    }

    /** The status that the client's mistake has; null if it is none of the client's. */
    private static @Nullable HttpStatus status(Exception e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidParameterException parameters) {
                HttpStatus status = HttpStatus.resolve(parameters.getErrorCode());
                return status == null ? HttpStatus.BAD_REQUEST : status;
            }
            if (cause instanceof BadRequestException || cause instanceof RequestRejectedException) {
                return HttpStatus.BAD_REQUEST;
            }
        }
        return null;
    }

    private static void tell(
            HttpServletRequest request, HttpServletResponse response, HttpStatus status)
            throws IOException {
        if (response.isCommitted()) {
            throw new CloseNowException("the answer was cut off");
        }
        response.resetBuffer();
        ErrorForm form = ErrorForm.of(request, RequestPath.of(request));
        byte[] text = form.text(status).getBytes(StandardCharsets.UTF_8);
        response.setStatus(status.value());
        response.setContentType(form.type());
        response.setContentLength(text.length);
        response.getOutputStream().write(text);
    }

    /** A request with single slashes in its path. */
    private static final class OneSlash extends HttpServletRequestWrapper {

        private final String path;

        OneSlash(HttpServletRequest request) {
            super(request);
            path = SLASHES.matcher(request.getRequestURI()).replaceAll("/");
        }

        @Override
        public String getRequestURI() {
            return path;
        }

        @Override
        public StringBuffer getRequestURL() {
            StringBuffer url = super.getRequestURL();
            int from = url.indexOf(super.getRequestURI());
            return from < 0 ? url : url.replace(from, url.length(), path);
        }
    }
}
