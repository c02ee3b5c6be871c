package org.stillwater.server.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.filter.OncePerRequestFilter;
import org.stillwater.server.http.RequestPath;

/**
 * Refuses requests that a page of another origin sends through a browser: every request that could
 * change something, and every event stream, with any credentials. Browsers report the origin by
 * {@code Sec-Fetch-Site} (W3C Fetch Metadata) and {@code Origin} (RFC 6454); pages cannot write
 * these headers. Programs send neither and pass. Thread-safe.
 */
final class OriginGuard extends OncePerRequestFilter {

    static final String FETCH_SITE = "Sec-Fetch-Site";

    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    /** What a page of an allowed origin may send. */
    private static final List<String> METHODS = List.of("GET", "HEAD", "POST", "PUT", "DELETE");

    /** From a page of the same origin, or from the person: an address typed, a bookmark. */
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private final Set<String> allowed;
    private final Set<String> streamOrigins;
    private final RefusalLog refusals;

    /**
     * A guard.
     *
     * @param allowed origins with the rights of the engine's own, in small letters
     * @param streamOrigins origins that may read streams; * for all
     */
    OriginGuard(List<String> allowed, List<String> streamOrigins, RefusalLog refusals) {
        this.allowed = Set.copyOf(allowed);
        this.streamOrigins = Set.copyOf(streamOrigins);
        this.refusals = refusals;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        boolean stream = isStream(request);
        if ((!READING.contains(request.getMethod()) || stream) && isForeign(request, stream)) {
            refusals.origin(request);
            Refusals.otherOrigin(request, response);
            return;
        }
        chain.doFilter(request, response);
    }

    /** Streams, and the beginning of a WebSocket, which browsers let every page begin. */
    private static boolean isStream(HttpServletRequest request) {
        return RequestPath.of(request).startsWith("/api/v1/stream")
                || Admission.isStream(request)
                || "websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE));
    }

    private boolean isForeign(HttpServletRequest request, boolean stream) {
        List<String> origins = Collections.list(request.getHeaders(HttpHeaders.ORIGIN));
        if (origins.size() == 1 && isAllowed(origins.getFirst(), stream)) {
            return false;
        }
        return isForeign(request, origins);
    }

    /** Whether a page of another origin made a browser send this request. */
    static boolean isForeign(HttpServletRequest request) {
        return isForeign(request, Collections.list(request.getHeaders(HttpHeaders.ORIGIN)));
    }

    private static boolean isForeign(HttpServletRequest request, List<String> origins) {
        List<String> sites = Collections.list(request.getHeaders(FETCH_SITE));
        return sites.isEmpty()
                ? !origins.stream().allMatch(origin -> isOwn(request, origin))
                // A proxy may change the host, but not this.
                : !sites.stream().allMatch(OWN_SITES::contains);
    }

    private boolean isAllowed(String origin, boolean stream) {
        return isNamed(origin)
                || (stream && (streamOrigins.contains(origin) || streamOrigins.contains("*")));
    }

    private boolean isNamed(String origin) {
        return allowed.contains(origin.toLowerCase(Locale.ROOT));
    }

    /** Whether pages of any other origin may do anything. */
    boolean isOpen() {
        return !allowed.isEmpty() || !streamOrigins.isEmpty();
    }

    /**
     * What the browser lets the page of this request do and read (Fetch, "CORS protocol"); null for
     * pages that may not. Without cookies: such a page has a token or a password of its own.
     */
    @Nullable CorsConfiguration sharing(HttpServletRequest request) {
        List<String> origins = Collections.list(request.getHeaders(HttpHeaders.ORIGIN));
        if (origins.size() != 1 || !isAllowed(origins.getFirst(), isStream(request))) {
            return null;
        }
        CorsConfiguration sharing = new CorsConfiguration();
        sharing.setAllowedOrigins(origins);
        sharing.setAllowedMethods(isNamed(origins.getFirst()) ? METHODS : List.of("GET"));
        sharing.setAllowedHeaders(List.of(CorsConfiguration.ALL));
        sharing.setExposedHeaders(List.of(CorsConfiguration.ALL));
        return sharing;
    }

    /** Whether an origin has the scheme, the host and the port of the request. */
    private static boolean isOwn(HttpServletRequest request, String origin) {
        String scheme = request.getScheme();
        int port = request.getServerPort();
        boolean usual = port == (scheme.equals("https") ? 443 : 80);
        String own = scheme + "://" + request.getServerName();
        String lower = origin.toLowerCase(Locale.ROOT);
        return lower.equals((own + ":" + port).toLowerCase(Locale.ROOT))
                || (usual && lower.equals(own.toLowerCase(Locale.ROOT)));
    }
}
