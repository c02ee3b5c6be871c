package org.stillwater.server.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests if their header {@code Host} (HTTP/2: {@code :authority}) names another host
 * with 421. If requests without credentials have a role on a loopback address, only loopback names
 * are accepted: otherwise a page of any site could give its own name that address (DNS rebinding)
 * and act as the person at this machine. Thread-safe.
 */
final class HostGuard extends OncePerRequestFilter {

    private static final String BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

    /** 127.0.0.0/8 (RFC 1122, section 3.2.1.3), written in full. */
    private static final Pattern LOOPBACK = Pattern.compile("127(?:\\." + BYTE + "){3}");

    private static final Set<String> LOOPBACK_NAMES =
            Set.of("localhost", "[::1]", "::1", "[0:0:0:0:0:0:0:1]");

    private final Set<String> named;
    private final boolean loopbackOnly;
    private final RefusalLog refusals;

    /**
     * A guard.
     *
     * @param named names that are taken, in small letters; none for no choice of names
     * @param loopbackOnly whether loopback names are taken, and others only if they are named
     */
    HostGuard(List<String> named, boolean loopbackOnly, RefusalLog refusals) {
        this.named = Set.copyOf(named);
        this.loopbackOnly = loopbackOnly;
        this.refusals = refusals;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (isTaken(request)) {
            chain.doFilter(request, response);
        } else {
            refusals.host(request);
            Refusals.otherHost(request, response);
        }
    }

    private boolean isTaken(HttpServletRequest request) {
        if (named.isEmpty() && !loopbackOnly) {
            return true;
        }
        if (request.getHeader(HttpHeaders.HOST) == null
                && request.getProtocol().equals("HTTP/1.0")) {
            return true; // it names no host, as no browser does
        }
        String host = String.valueOf(request.getServerName()).toLowerCase(Locale.ROOT);
        return named.contains(host) || (loopbackOnly && isLoopback(host));
    }

    /** Whether it is a name of this machine that no other machine can have. */
    static boolean isLoopback(String host) {
        return LOOPBACK_NAMES.contains(host) || LOOPBACK.matcher(host).matches();
    }
}
