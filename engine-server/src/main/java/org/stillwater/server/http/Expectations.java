package org.stillwater.server.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.stillwater.ovirt.resource.Request;

/**
 * Answers 417 to an expectation that is not met here (RFC 9110, section 10.1.1), and keeps the
 * connection. The compatible API has expectations of its own and refuses others with faults.
 */
@Component
class Expectations extends OncePerRequestFilter {

    private static final byte[] REFUSAL =
            ("{\"status\":417,\"title\":\"Expectation Failed\",\"detail\":\"The only value of the"
                            + " header Expect here is 100-continue: leave the header out.\"}")
                    .getBytes(StandardCharsets.UTF_8);

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        String expected = request.getHeader(HttpHeaders.EXPECT);
        return expected == null
                || expected.strip().equalsIgnoreCase("100-continue")
                || request.getServletPath().equals(Request.BASE);
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        response.setStatus(HttpStatus.EXPECTATION_FAILED.value());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setContentLength(REFUSAL.length);
        response.getOutputStream().write(REFUSAL);
    }
}
