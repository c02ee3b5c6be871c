package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.oauth2.client.OAuth2LoginConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenValidator;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.userinfo.DefaultOAuth2UserService;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestRedirectFilter;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.converter.ClaimTypeConverter;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtDecoderFactory;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.stillwater.core.access.Caller;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.security.Sessions.Kind;
import org.stillwater.server.settings.OidcSettings;

/**
 * Logins of users by an OpenID Connect provider: the code flow with PKCE, after which the browser
 * has a session like after any other login. The engine requests the provider's addresses at the
 * first login. Thread-safe.
 */
final class OidcLogin {

    private static final Logger log = LoggerFactory.getLogger(OidcLogin.class);

    /**
     * A login can fail without any credentials: the log has one line in this time, and the audit
     * log one failed login of each network.
     */
    private static final Duration QUIET = Duration.ofMinutes(1);

    private static final int MOST_NETWORKS = 10_000;

    /**
     * The end of a login. The browser comes from the provider's site, and would not send a strict
     * cookie to the target of a redirection; to the target of this page it does.
     */
    private static final byte[] ARRIVED =
            """
            <!doctype html>
            <html lang="en">
            <head>
              <meta charset="utf-8">
              <meta http-equiv="refresh" content="0; url=/">
              <title>Logged in – Stillwater</title>
            </head>
            <body><p>You are logged in. <a href="/">Go on</a>.</p></body>
            </html>
            """
                    .getBytes(StandardCharsets.UTF_8);

    private final OidcSettings settings;
    private final ForeignTokens foreign;
    private final Sessions sessions;
    private final SecurityAudit audit;
    private final PendingLogins pending;
    private final ThrottledLog warnings;

    /** Networks with a failed login that was audited within the quiet time. */
    private final Cache<String, Boolean> audited;

    OidcLogin(
            OidcSettings settings,
            ForeignTokens foreign,
            Sessions sessions,
            SecurityAudit audit,
            PendingLogins pending,
            EngineClock clock) {
        this.warnings = new ThrottledLog(log, clock, QUIET, "OpenID Connect");
        this.audited =
                Caffeine.newBuilder()
                        .maximumSize(MOST_NETWORKS)
                        .expireAfterWrite(QUIET)
                        .ticker(clock::nanoTime)
                        .build();
        this.settings = settings;
        this.foreign = foreign;
        this.sessions = sessions;
        this.audit = audit;
        this.pending = pending;
    }

    void configure(OAuth2LoginConfigurer<HttpSecurity> login) {
        RestTemplate people = new RestTemplate(ForeignTokens.requests(settings));
        people.setErrorHandler(new OAuth2ErrorResponseErrorHandler());
        DefaultOAuth2UserService byToken = new DefaultOAuth2UserService();
        byToken.setRestOperations(people);
        OidcUserService users = new OidcUserService();
        users.setOauth2UserService(byToken);
        login.loginPage("/login")
                .clientRegistrationRepository(new ProviderRegistration(settings))
                .authorizedClientRepository(new NoClients())
                .authorizationEndpoint(each -> each.authorizationRequestRepository(pending))
                .tokenEndpoint(each -> each.accessTokenResponseClient(tokens()))
                .userInfoEndpoint(each -> each.oidcUserService(users))
                .successHandler(this::welcome)
                .failureHandler(this::refuse)
                .withObjectPostProcessor(
                        new ObjectPostProcessor<OAuth2AuthorizationRequestRedirectFilter>() {
                            @Override
                            public <O extends OAuth2AuthorizationRequestRedirectFilter>
                                    O postProcess(O filter) {
                                filter.setAuthenticationFailureHandler(OidcLogin.this::unreachable);
                                return filter;
                            }
                        });
    }

    private RestClientAuthorizationCodeTokenResponseClient tokens() {
        RestClientAuthorizationCodeTokenResponseClient tokens =
                new RestClientAuthorizationCodeTokenResponseClient();
        tokens.setRestClient(
                RestClient.builder()
                        .requestFactory(ForeignTokens.requests(settings))
                        .configureMessageConverters(converters ->
                                converters
                                        .addCustomConverter(new FormHttpMessageConverter())
                                        .addCustomConverter(
                                                new OAuth2AccessTokenResponseHttpMessageConverter()))
                        .defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
                        .build());
        return tokens;
    }

    /**
     * Checks the identity that the provider asserts: by any algorithm of its keys, and for this
     * engine. The address of the keys is that of the registration: another request for it could
     * fail after the provider accepted the login, and not as a refusal.
     */
    static JwtDecoderFactory<ClientRegistration> identities(OidcSettings settings) {
        AtomicReference<@Nullable JwtDecoder> made = new AtomicReference<>();
        return registration -> {
            JwtDecoder known = made.get();
            if (known != null) {
                return known;
            }
            String keys = registration.getProviderDetails().getJwkSetUri();
            if (keys == null || keys.isBlank()) {
                throw new OAuth2AuthenticationException(
                        new OAuth2Error("no_keys", "The provider names no jwks_uri.", null));
            }
            NimbusJwtDecoder decoder =
                    ForeignTokens.decoder(
                            new RestTemplate(ForeignTokens.requests(settings)),
                            NimbusJwtDecoder.withJwkSetUri(keys));
            decoder.setJwtValidator(
                    JwtValidators.createDefaultWithValidators(
                            List.of(new OidcIdTokenValidator(registration))));
            decoder.setClaimSetConverter(
                    new ClaimTypeConverter(
                            OidcIdTokenDecoderFactory.createDefaultClaimTypeConverters()));
            made.set(decoder);
            return decoder;
        };
    }

    private void welcome(
            HttpServletRequest request, HttpServletResponse response, Authentication known)
            throws IOException {
        Caller caller =
                known.getPrincipal() instanceof OidcUser user
                        ? foreign.caller(user.getClaims())
                        : null;
        if (caller == null || caller.grants().isEmpty()) {
            String name = caller == null ? "a caller without a name" : caller.name();
            log.warn(
                    "{} logged in at {} and has no role here; stillwater.security.oidc.roles gives"
                            + " one",
                    name,
                    settings.issuer());
            audit.failed(name, ClientAddress.of(request));
            response.sendRedirect("/login?error=role");
            return;
        }
        String secret =
                sessions.begin(
                        Kind.BROWSER, caller, settings.sessionLongest(), ClientAddress.of(request));
        if (secret == null) {
            response.sendRedirect("/login?error=sessions");
            return;
        }
        LoginPage.begin(request, response, secret);
        audit.loggedIn(caller.name(), ClientAddress.of(request), "OpenID Connect");
        response.setStatus(HttpServletResponse.SC_OK);
        response.setContentType(MediaType.TEXT_HTML_VALUE + ";charset=UTF-8");
        response.setContentLength(ARRIVED.length);
        response.getOutputStream().write(ARRIVED);
    }

    /** The answer reports only the failure: the reason is for the log. */
    void refuse(HttpServletRequest request, HttpServletResponse response, AuthenticationException e)
            throws IOException {
        String code =
                e instanceof OAuth2AuthenticationException told
                        ? told.getError().getErrorCode()
                        : "";
        warnings.about(
                "a login failed",
                "from %s: %s %s"
                        .formatted(
                                ClientAddress.of(request),
                                code.replaceAll("\\p{Cntrl}+", " "),
                                ForeignTokens.reason(e)));
        if (audited.asMap().putIfAbsent(ClientAddress.network(request), true) == null) {
            audit.failed("a user of " + settings.issuer(), ClientAddress.of(request));
        }
        response.sendRedirect("/login?error=refused");
    }

    private void unreachable(
            HttpServletRequest request, HttpServletResponse response, AuthenticationException e)
            throws IOException {
        warnings.about(
                "no login is possible",
                "%s does not answer as a provider does: %s"
                        .formatted(settings.issuer(), ForeignTokens.reason(e)));
        response.sendRedirect("/login?error=provider");
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
