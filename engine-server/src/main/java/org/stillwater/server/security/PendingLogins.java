package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.security.oauth2.client.web.AuthorizationRequestRepository;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.stereotype.Component;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.http.ClientAddress;

/**
 * Browsers that are away to log in at an OpenID Connect provider: their authorization requests,
 * kept for a few minutes, found again by a cookie. Bounded, also by address: one that begins more
 * forgets its own oldest ones. Thread-safe.
 */
@Component
class PendingLogins implements AuthorizationRequestRepository<OAuth2AuthorizationRequest> {

    private static final String COOKIE = "STILLWATER_LOGIN";
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int MOST = 10_000;
    private static final int MOST_PER_ADDRESS = 100;

    private final Cache<String, OAuth2AuthorizationRequest> pending;
    private final Cache<String, List<String>> byAddress;

    PendingLogins(EngineClock clock) {
        byAddress =
                Caffeine.newBuilder()
                        .maximumSize(MOST)
                        .expireAfterWrite(PATIENCE)
                        .ticker(clock::nanoTime)
                        .build();
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
        keep(Secrets.hash(id), left, ClientAddress.network(request));
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

    private void keep(String hash, OAuth2AuthorizationRequest left, String network) {
        pending.put(hash, left);
        byAddress
                .asMap()
                .merge(
                        network,
                        List.of(hash),
                        (before, _) -> {
                            List<String> all = new ArrayList<>(before);
                            all.add(hash);
                            while (all.size() > MOST_PER_ADDRESS) {
                                pending.invalidate(all.removeFirst());
                            }
                            return List.copyOf(all);
                        });
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
