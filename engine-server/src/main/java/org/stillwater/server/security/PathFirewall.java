package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.util.regex.Pattern;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;

/**
 * Refuses paths that different parts of a server could read differently. oVirt's clients send
 * {@code //} and matrix parameters: under their interface's path, and only there, the former is
 * made one slash before anybody routes by it, and the latter pass. Thread-safe.
 */
final class PathFirewall implements HttpFirewall {

    private static final String OVIRT = "/ovirt-engine/";
    private static final Pattern SLASHES = Pattern.compile("/{2,}");

    private final StrictHttpFirewall strict = new StrictHttpFirewall();
    private final StrictHttpFirewall lenient = new StrictHttpFirewall();

    PathFirewall() {
        lenient.setAllowSemicolon(true);
    }

    @Override
    public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
        String path = request.getRequestURI();
        if (!path.startsWith(OVIRT)) {
            return strict.getFirewalledRequest(request);
        }
        return lenient.getFirewalledRequest(path.contains("//") ? new OneSlash(request) : request);
    }

    @Override
    public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
        return strict.getFirewalledResponse(response);
    }

    /** A request whose path has single slashes. */
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
