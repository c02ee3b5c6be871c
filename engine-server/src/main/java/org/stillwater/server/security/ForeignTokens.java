package org.stillwater.server.security;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtDecoderInitializationException;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.server.settings.OidcSettings;

/**
 * Users whom an OpenID Connect provider knows, by the tokens that it signed. Its keys are fetched
 * when the first token comes, so that the engine starts without the provider. Thread-safe.
 */
@Component
class ForeignTokens {

    private static final Logger log = LoggerFactory.getLogger(ForeignTokens.class);

    private final OidcSettings settings;
    private final @Nullable JwtDecoder decoder;

    ForeignTokens(OidcSettings settings) {
        this.settings = settings;
        String issuer = settings.issuer();
        this.decoder =
                issuer == null ? null : new SupplierJwtDecoder(() -> decoder(issuer, settings));
    }

    private static JwtDecoder decoder(String issuer, OidcSettings settings) {
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).build();
        String audience = settings.audience() == null ? settings.clientId() : settings.audience();
        OAuth2TokenValidator<Jwt> forUs =
                new JwtClaimValidator<List<String>>(
                        JwtClaimNames.AUD, all -> all != null && all.contains(audience));
        decoder.setJwtValidator(
                new DelegatingOAuth2TokenValidator<>(
                        JwtValidators.createDefaultWithIssuer(issuer), forUs));
        return decoder;
    }

    /** Whose token it is; null if it is no valid token of the provider. */
    @Nullable Caller caller(String token) {
        if (decoder == null || token.chars().filter(c -> c == '.').count() != 2) {
            return null;
        }
        try {
            return caller(decoder.decode(token).getClaims());
        } catch (JwtDecoderInitializationException e) {
            log.warn(
                    "The keys of {} cannot be fetched, so its tokens are refused: {}",
                    settings.issuer(),
                    String.valueOf(
                            e.getCause() == null ? e.getMessage() : e.getCause().getMessage()));
            return null;
        } catch (JwtException e) {
            log.debug("A token was refused: {}", e.getMessage());
            return null;
        }
    }

    /** Who is named by these claims, which were checked; null if they name nobody. */
    @Nullable Caller caller(Map<String, Object> claims) {
        Object name = claims.getOrDefault(settings.nameClaim(), claims.get("sub"));
        if (name == null || name.toString().isBlank()) {
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
