package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.security.web.header.HeaderWriter;
import org.stillwater.server.http.RequestPath;

/**
 * Cache rules of answers: answers about accounts are not stored; others only by the client itself,
 * which must revalidate them. An answer with a header of its own keeps it.
 */
final class PrivateAnswers implements HeaderWriter {

    private static final List<String> ACCOUNTS =
            List.of(
                    "/api/v1/users",
                    "/api/v1/tokens",
                    "/api/v1/me",
                    "/login",
                    "/logout",
                    "/oauth2/",
                    "/ovirt-engine/sso/");

    @Override
    public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
        String path = RequestPath.of(request);
        if (ACCOUNTS.stream().anyMatch(path::startsWith) && !path.endsWith(".css")) {
            response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        } else if (!response.containsHeader(HttpHeaders.CACHE_CONTROL)) {
            response.setHeader(HttpHeaders.CACHE_CONTROL, "private, no-cache");
        }
    }
}
