package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.security.oauth2.client.web.AuthorizationRequestRepository;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.stereotype.Component;
import org.stillwater.core.port.EngineClock;

/**
 * Browsers that are away to log in at an OpenID Connect provider: what they left with, kept for a
 * few minutes, found again by a cookie. Bounded. Thread-safe.
 */
@Component
class PendingLogins implements AuthorizationRequestRepository<OAuth2AuthorizationRequest> {

    private static final String COOKIE = "STILLWATER_LOGIN";
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int MOST = 10_000;

    private final Cache<String, OAuth2AuthorizationRequest> pending;

    PendingLogins(EngineClock clock) {
        pending =
                Caffeine.newBuilder()
                        .maximumSize(MOST)
                        .expireAfterWrite(PATIENCE)
                        .ticker(clock::nanoTime)
                        .build();
    }

    @Override
    public @Nullable OAuth2AuthorizationRequest loadAuthorizationRequest(
            HttpServletRequest request) {
        String id = Identification.cookie(request, COOKIE);
        OAuth2AuthorizationRequest left =
                id == null ? null : pending.getIfPresent(Secrets.hash(id));
        String state = request.getParameter("state");
        return left == null || state == null || !state.equals(left.getState()) ? null : left;
    }

    @Override
    public void saveAuthorizationRequest(
            @Nullable OAuth2AuthorizationRequest left,
            HttpServletRequest request,
            HttpServletResponse response) {
        if (left == null) {
            OAuth2AuthorizationRequest _ = removeAuthorizationRequest(request, response);
            return;
        }
        String id = Secrets.token();
        pending.put(Secrets.hash(id), left);
        // Lax: the browser comes back from another site.
        response.addHeader(
                HttpHeaders.SET_COOKIE,
                ResponseCookie.from(COOKIE, id)
                        .path("/login")
                        .httpOnly(true)
                        .sameSite("Lax")
                        .secure(request.isSecure())
                        .maxAge(PATIENCE)
                        .build()
                        .toString());
    }

    @Override
    public @Nullable OAuth2AuthorizationRequest removeAuthorizationRequest(
            HttpServletRequest request, HttpServletResponse response) {
        OAuth2AuthorizationRequest left = loadAuthorizationRequest(request);
        String id = Identification.cookie(request, COOKIE);
        if (id != null) {
            pending.invalidate(Secrets.hash(id));
        }
        return left;
    }
}
