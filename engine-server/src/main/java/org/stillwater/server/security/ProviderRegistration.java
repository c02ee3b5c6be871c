package org.stillwater.server.security;

import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.RequestEntity;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestTemplate;
import org.stillwater.server.settings.OidcSettings;

/**
 * The engine as a client of an OpenID Connect provider, whose addresses are requested at the first
 * login. Logins at the same time wait for one request together, and no longer than is set; after a
 * failure the next login requests them again. Thread-safe.
 */
final class ProviderRegistration implements ClientRegistrationRepository {

    private static final String REGISTRATION = "oidc";

    /** OpenID Connect Discovery 1.0, section 4. */
    private static final String WELL_KNOWN = "/.well-known/openid-configuration";

    private static final ParameterizedTypeReference<Map<String, Object>> OBJECT =
            new ParameterizedTypeReference<>() {};

    private final OidcSettings settings;
    private final RestTemplate provider;
    private final AtomicReference<@Nullable CompletableFuture<ClientRegistration>> underWay =
            new AtomicReference<>();
    private volatile @Nullable ClientRegistration known;

    ProviderRegistration(OidcSettings settings) {
        this.settings = settings;
        this.provider = new RestTemplate(ForeignTokens.requests(settings));
    }

    @Override
    public @Nullable ClientRegistration findByRegistrationId(String id) {
        if (!id.equals(REGISTRATION)) {
            return null;
        }
        ClientRegistration found = known;
        return found == null ? requested() : found;
    }

    private ClientRegistration requested() {
        CompletableFuture<ClientRegistration> mine = new CompletableFuture<>();
        CompletableFuture<ClientRegistration> others = underWay.compareAndExchange(null, mine);
        if (others != null) {
            return others.join();
        }
        try {
            ClientRegistration made = made();
            known = made;
            mine.complete(made);
            return made;
        } catch (RuntimeException | Error e) {
            mine.completeExceptionally(e);
            throw e;
        } finally {
            underWay.set(null);
        }
    }

    private ClientRegistration made() {
        return described()
                .registrationId(REGISTRATION)
                .clientId(Objects.requireNonNull(settings.clientId()))
                .clientSecret(settings.clientSecret() == null ? "" : settings.clientSecret())
                .scope(settings.scopes())
                .clientSettings(
                        ClientRegistration.ClientSettings.builder().requireProofKey(true).build())
                .build();
    }

    private ClientRegistration.Builder described() {
        String issuer = Objects.requireNonNull(settings.issuer());
        URI at = URI.create(issuer.replaceFirst("/+$", "") + WELL_KNOWN);
        Map<String, Object> configuration;
        try {
            configuration = provider.exchange(RequestEntity.get(at).build(), OBJECT).getBody();
        } catch (HttpClientErrorException _) {
            return ClientRegistrations.fromIssuerLocation(issuer); // it is at another place there
        }
        if (configuration == null || !issuer.equals(configuration.get("issuer"))) {
            throw new IllegalStateException(
                    "its configuration is not that of an issuer of this name, which"
                            + " stillwater.security.oidc.issuer must repeat exactly");
        }
        return ClientRegistrations.fromOidcConfiguration(configuration);
    }
}
