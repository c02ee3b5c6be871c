package org.stillwater.server.api.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Correlation id of a request that changes something, for log and audit: the client's header
 * {@value #HEADER}, or a generated one. Every answer echoes it.
 */
@Component
public class Correlation extends OncePerRequestFilter {

    static final String HEADER = "X-Correlation-Id";

    /** The request's attribute that has it. */
    public static final String ATTRIBUTE = "stillwater.correlation";

    private static final int LONGEST = 255;

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getMethod().equals("GET");
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String given = request.getHeader(HEADER);
        String id = given == null || given.isBlank() ? UUID.randomUUID().toString() : given.strip();
        if (id.length() > LONGEST || id.chars().anyMatch(c -> c < ' ' || c > '~')) {
            response.setStatus(HttpStatus.BAD_REQUEST.value());
            response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
            response.getOutputStream()
                    .write(
                            ("{\"status\":400,\"title\":\"Bad Request\",\"detail\":\"the header"
                                            + " X-Correlation-Id has 1 to 255 printable ASCII"
                                            + " characters\"}")
                                    .getBytes(StandardCharsets.UTF_8));
            return;
        }
        request.setAttribute(ATTRIBUTE, id);
        response.setHeader(HEADER, id);
        chain.doFilter(request, response);
    }
}
