package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.oauth2.client.OAuth2LoginConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.client.registration.SupplierClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.stillwater.core.access.Caller;
import org.stillwater.server.security.Sessions.Kind;
import org.stillwater.server.settings.OidcSettings;

/**
 * Logins of people by an OpenID Connect provider: the code flow with PKCE, at whose end the browser
 * has a session like after any other login. The provider is asked for its addresses when the first
 * one comes. Thread-safe.
 */
final class OidcLogin {

    private static final Logger log = LoggerFactory.getLogger(OidcLogin.class);
    private static final String REGISTRATION = "oidc";

    private final OidcSettings settings;
    private final ForeignTokens foreign;
    private final Sessions sessions;
    private final SecurityAudit audit;
    private final PendingLogins pending;

    OidcLogin(
            OidcSettings settings,
            ForeignTokens foreign,
            Sessions sessions,
            SecurityAudit audit,
            PendingLogins pending) {
        this.settings = settings;
        this.foreign = foreign;
        this.sessions = sessions;
        this.audit = audit;
        this.pending = pending;
    }

    void configure(OAuth2LoginConfigurer<HttpSecurity> login) {
        login.loginPage("/login")
                .clientRegistrationRepository(
                        new SupplierClientRegistrationRepository(
                                () -> new InMemoryClientRegistrationRepository(registration())))
                .authorizedClientRepository(new NoClients())
                .authorizationEndpoint(each -> each.authorizationRequestRepository(pending))
                .successHandler(this::welcome)
                .failureHandler((_, response, e) -> {
                    log.warn("A login by OpenID Connect failed: {}", e.getMessage());
                    response.sendRedirect("/login?error");
                });
    }

    private ClientRegistration registration() {
        return ClientRegistrations.fromIssuerLocation(Objects.requireNonNull(settings.issuer()))
                .registrationId(REGISTRATION)
                .clientId(Objects.requireNonNull(settings.clientId()))
                .clientSecret(settings.clientSecret() == null ? "" : settings.clientSecret())
                .scope(settings.scopes())
                .clientSettings(
                        ClientRegistration.ClientSettings.builder().requireProofKey(true).build())
                .build();
    }

    private void welcome(
            HttpServletRequest request, HttpServletResponse response, Authentication known)
            throws IOException {
        Caller caller =
                known.getPrincipal() instanceof OidcUser user
                        ? foreign.caller(user.getClaims())
                        : null;
        if (caller == null || caller.grants().isEmpty()) {
            log.warn(
                    "{} logged in at {} and has no role here; stillwater.security.oidc.roles gives"
                            + " one",
                    caller == null ? "Somebody without a name" : caller.name(),
                    settings.issuer());
            response.sendRedirect("/login?error");
            return;
        }
        LoginPage.begin(request, response, sessions.begin(Kind.BROWSER, caller));
        audit.loggedIn(caller.name(), request.getRemoteAddr(), "OpenID Connect");
        response.sendRedirect("/");
    }

    /** The engine asks the provider nothing later on, so it keeps no tokens of it. */
    private static final class NoClients implements OAuth2AuthorizedClientRepository {

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as Spring declares it
        public <T extends OAuth2AuthorizedClient> @Nullable T loadAuthorizedClient(
                String registration, Authentication known, HttpServletRequest request) {
            return null;
        }

        @Override
        public void saveAuthorizedClient(
                OAuth2AuthorizedClient client,
                Authentication known,
                HttpServletRequest request,
                HttpServletResponse response) {}

        @Override
        public void removeAuthorizedClient(
                String registration,
                Authentication known,
                HttpServletRequest request,
                HttpServletResponse response) {}
    }
}
