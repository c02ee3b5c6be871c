package org.stillwater.server.security;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.ProviderNotFoundException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.HeadersConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.jwt.JwtDecoderFactory;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.http.RequestPath;
import org.stillwater.server.settings.AdmissionSettings;
import org.stillwater.server.settings.HttpSettings;
import org.stillwater.server.settings.OidcSettings;
import org.stillwater.server.settings.SecuritySettings;
import org.stillwater.server.settings.StreamSettings;

/** Filters in front of every request, in order. */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
class SecurityConfiguration {

    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    /** Spring's own users are not used; so it makes none, and no password. */
    @Bean
    AuthenticationManager authenticationManager() {
        return authentication -> {
            throw new ProviderNotFoundException("not a way to log in here");
        };
    }

    /** Requests are counted and timed once, by the web layer. */
    @Bean
    SecurityObservationSettings noObservations() {
        return SecurityObservationSettings.noObservations();
    }

    /** How identity tokens of an OpenID Connect provider are checked. */
    @Bean
    JwtDecoderFactory<ClientRegistration> identities(OidcSettings oidc) {
        return OidcLogin.identities(oidc);
    }

    @Bean
    HttpFirewall httpFirewall() {
        return new PathFirewall();
    }

    @Bean
    SecurityFilterChain everything(
            HttpSecurity http,
            Anonymous anonymous,
            Accounts accounts,
            Logins logins,
            Sessions sessions,
            ForeignTokens foreign,
            GrantRevisions outlooks,
            SecurityAudit audit,
            PendingLogins pending,
            Refusals refusals,
            SecuritySettings settings,
            AdmissionSettings admission,
            OidcSettings oidc,
            HttpSettings web,
            StreamSettings streams,
            RefusalLog refused,
            EngineClock clock) {
        RequestAttributeSecurityContextRepository contexts =
                new RequestAttributeSecurityContextRepository();
        OriginGuard origins =
                new OriginGuard(web.allowedOrigins(), streams.allowedOrigins(), refused);
        if (origins.isOpen()) {
            http.cors(each -> each.configurationSource(origins::sharing));
        }
        http.securityContext(each -> each.securityContextRepository(contexts))
                .sessionManagement(
                        each -> each.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .requestCache(AbstractHttpConfigurer::disable)
                .anonymous(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .csrf(each ->
                        each.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse())
                                .csrfTokenRequestHandler(new PageTokens())
                                .requireCsrfProtectionMatcher(SecurityConfiguration::byBrowser))
                .headers(SecurityConfiguration::headers)
                .exceptionHandling(each ->
                        each.authenticationEntryPoint(refusals).accessDeniedHandler(refusals))
                .addFilterAfter(
                        new HostGuard(web.allowedHosts(), anonymous.isLocal(), refused),
                        HeaderWriterFilter.class)
                .addFilterAfter(origins, HostGuard.class)
                .addFilterBefore(
                        new Identification(
                                anonymous,
                                accounts,
                                new CallerFinder(
                                        accounts,
                                        logins,
                                        sessions,
                                        foreign,
                                        settings.csrfProtection()),
                                outlooks,
                                contexts),
                        AuthorizationFilter.class)
                .addFilterBefore(new Admission(admission, audit, clock), AuthorizationFilter.class)
                .authorizeHttpRequests(each ->
                        each.dispatcherTypeMatchers(
                                        DispatcherType.ERROR,
                                        DispatcherType.ASYNC,
                                        DispatcherType.FORWARD)
                                .permitAll()
                                .anyRequest()
                                .access(new AccessRules()));
        if (oidc.enabled()) {
            OidcLogin login = new OidcLogin(oidc, foreign, sessions, audit, pending, clock);
            http.oauth2Login(login::configure);
        }
        return http.build();
    }

    /**
     * Whether a request changes something in the name of the user of a browser's cookie: a page of
     * another site could have made the browser send it. That is so on every interface. A header
     * {@code Authorization} or {@code Prefer} is nothing that such a page can add.
     */
    private static boolean byBrowser(HttpServletRequest request) {
        String method = request.getMethod();
        String path = RequestPath.of(request);
        return !READING.contains(method)
                && (path.equals("/login")
                        || path.equals("/logout")
                        || (request.getHeader("Authorization") == null
                                && Identification.cookie(request, Identification.BROWSER_COOKIE)
                                        != null
                                && !CallerFinder.hasApiSession(request)
                                && AccessRules.need(method, path) != AccessRequirement.NOTHING));
    }

    /**
     * Pages use nothing of other sites, are shown in no frame, and reveal their address to no other
     * site. The engine itself may learn it: with {@code no-referrer} a browser sends {@code Origin:
     * null} with the page's own forms (Fetch, "append a request Origin header"), which {@link
     * OriginGuard} refuses without TLS, because {@code Sec-Fetch-Site} is missing then.
     */
    private static void headers(HeadersConfigurer<HttpSecurity> headers) {
        headers.cacheControl(HeadersConfigurer.CacheControlConfig::disable)
                .addHeaderWriter(new PrivateAnswers())
                .addHeaderWriter(new ContentSecurityPolicy())
                .referrerPolicy(
                        each -> each.policy(ReferrerPolicyHeaderWriter.ReferrerPolicy.SAME_ORIGIN))
                .httpStrictTransportSecurity(
                        each -> each.includeSubDomains(false).maxAgeInSeconds(31_536_000));
    }
}
