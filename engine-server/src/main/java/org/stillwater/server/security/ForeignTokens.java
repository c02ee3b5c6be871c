package org.stillwater.server.security;

import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTypeValidator;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.settings.OidcSettings;

/**
 * Users of an OpenID Connect provider, by the tokens that it signed. The engine requests the
 * provider's keys when the first token comes, so that it starts without it, and seldom while it
 * does not answer. Thread-safe.
 */
@Component
class ForeignTokens {

    private static final Logger log = LoggerFactory.getLogger(ForeignTokens.class);

    /** Pause after a provider did not answer, and between requests of its keys. */
    private static final long PAUSE_NANOS = 5_000_000_000L;

    /** Types of tokens: any JWT, and access tokens of RFC 9068, section 2.1. */
    private static final List<String> TYPES = List.of("JWT", "at+jwt", "application/at+jwt");

    /** Allowed characters of a name, which appears in logs, events and answers. */
    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}\"\\\\]{1,200}");

    /**
     * A user with a token.
     *
     * @param caller the origin of the request
     * @param standing the same until the token ends
     */
    record Bearer(Caller caller, AccessRecheck standing) {}

    private final OidcSettings settings;
    private final EngineClock clock;
    private @Nullable JwtDecoder decoder; // guarded by this
    private @Nullable Long silentSinceNanos; // guarded by this
    private volatile boolean complained;

    ForeignTokens(OidcSettings settings, EngineClock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** Asks the provider, and waits no longer than is set. */
    static SimpleClientHttpRequestFactory requests(OidcSettings settings) {
        SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
        requests.setConnectTimeout(settings.timeout());
        requests.setReadTimeout(settings.timeout());
        return requests;
    }

    /**
     * Checks signatures with the provider's keys; asks it for them. Without a list of algorithms
     * only those of its present keys would count, also for the keys that it has later.
     */
    static NimbusJwtDecoder decoder(
            RestTemplate provider, NimbusJwtDecoder.JwkSetUriJwtDecoderBuilder keys) {
        return keys.jwsAlgorithms(all -> all.addAll(List.of(SignatureAlgorithm.values())))
                .restOperations(provider)
                .build();
    }

    /** Owner of the token; null if it is no valid token of the provider. */
    @Nullable Bearer bearer(String token) {
        if (!settings.enabled() || token.chars().filter(c -> c == '.').count() != 2) {
            return null;
        }
        JwtDecoder known = decoder();
        if (known == null) {
            return null;
        }
        try {
            Jwt jwt = known.decode(token);
            complained = false;
            Instant end = jwt.getExpiresAt();
            Caller caller = end == null ? null : caller(jwt.getClaims());
            return caller == null || end == null
                    ? null
                    : new Bearer(caller, () -> clock.now().isBefore(end) ? caller : null);
        } catch (BadJwtException e) {
            log.debug("A token was refused: {}", e.getMessage());
            return null;
        } catch (JwtException e) {
            if (!complained) {
                complained = true;
                log.warn(
                        "Tokens of {} cannot be checked, so they are refused: {}",
                        settings.issuer(),
                        e.getMessage());
            }
            return null;
        }
    }

    private synchronized @Nullable JwtDecoder decoder() {
        if (decoder != null) {
            return decoder;
        }
        if (silentSinceNanos != null && clock.nanoTime() - silentSinceNanos < PAUSE_NANOS) {
            return null;
        }
        try {
            String issuer = Objects.requireNonNull(settings.issuer());
            RestTemplate provider = new RestTemplate(requests(settings));
            provider.setInterceptors(List.of(new KeyRequests(clock, PAUSE_NANOS)));
            NimbusJwtDecoder made = decoder(provider, NimbusJwtDecoder.withIssuerLocation(issuer));
            String audience =
                    settings.audience() == null ? settings.clientId() : settings.audience();
            OAuth2TokenValidator<Jwt> forUs =
                    new JwtClaimValidator<List<String>>(
                            JwtClaimNames.AUD, all -> all != null && all.contains(audience));
            JwtTypeValidator ofType = new JwtTypeValidator(TYPES);
            ofType.setAllowEmpty(true);
            made.setJwtValidator(
                    JwtValidators.createDefaultWithValidators(
                            List.of(ofType, new JwtIssuerValidator(issuer), forUs)));
            decoder = made;
            silentSinceNanos = null;
        } catch (IllegalArgumentException | IllegalStateException | RestClientException e) {
            if (silentSinceNanos == null) {
                log.warn(
                        "The keys of {} cannot be fetched, so its tokens are refused until they"
                                + " can: {}",
                        settings.issuer(),
                        reason(e));
            }
            silentSinceNanos = clock.nanoTime();
        }
        return decoder;
    }

    /** Root cause of a failure, as one line. */
    static String reason(Throwable failure) {
        Throwable last = failure;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        return String.valueOf(last.getMessage()).replaceAll("\\p{Cntrl}+", " ");
    }

    /** The user of these claims, which were checked; null if they name none. */
    @Nullable Caller caller(Map<String, Object> claims) {
        Object name = claims.getOrDefault(settings.nameClaim(), claims.get("sub"));
        if (name == null || name.toString().isBlank() || !NAME.matcher(name.toString()).matches()) {
            return null;
        }
        Set<Grant> grants = new HashSet<>();
        for (String value : values(claims)) {
            String label = settings.roles().get(value);
            Role role = label == null ? null : Role.ofLabel(label);
            if (role != null) {
                grants.add(Grant.everywhere(role));
            }
        }
        return new Caller(name + "@" + settings.profile(), grants);
    }

    private Set<String> values(Map<String, Object> claims) {
        Object at = claims.get(settings.rolesClaim());
        if (at == null) {
            at = claims;
            for (String part : settings.rolesClaim().split("\\.", -1)) {
                at = at instanceof Map<?, ?> object ? object.get(part) : null;
            }
        }
        Set<String> values = new HashSet<>();
        if (at instanceof Collection<?> all) {
            all.forEach(each -> values.add(String.valueOf(each)));
        } else if (at != null) {
            values.addAll(List.of(at.toString().split("[ ,]+", -1)));
        }
        return values;
    }
}
