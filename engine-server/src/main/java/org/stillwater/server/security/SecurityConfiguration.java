package org.stillwater.server.security;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.firewall.HttpFirewall;
import org.stillwater.server.settings.SecuritySettings;

/** What stands in front of every request, in order. */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
class SecurityConfiguration {

    /** Nobody is authenticated by Spring's own ways; so it makes no user and no password. */
    @Bean
    AuthenticationManager authenticationManager() {
        return authentication -> {
            throw new AuthenticationException("not a way to log in here") {};
        };
    }

    /** Requests are counted and timed once, by the web layer. */
    @Bean
    SecurityObservationSettings noObservations() {
        return SecurityObservationSettings.noObservations();
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
            Refusals refusals,
            SecuritySettings settings) {
        RequestAttributeSecurityContextRepository contexts =
                new RequestAttributeSecurityContextRepository();
        return http.securityContext(each -> each.securityContextRepository(contexts))
                .sessionManagement(
                        each -> each.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .requestCache(AbstractHttpConfigurer::disable)
                .anonymous(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .csrf(AbstractHttpConfigurer::disable)
                .exceptionHandling(each ->
                        each.authenticationEntryPoint(refusals).accessDeniedHandler(refusals))
                .addFilterBefore(
                        new Identification(
                                anonymous,
                                accounts,
                                logins,
                                sessions,
                                foreign,
                                settings.csrfProtection(),
                                contexts),
                        AuthorizationFilter.class)
                .authorizeHttpRequests(each ->
                        each.dispatcherTypeMatchers(
                                        jakarta.servlet.DispatcherType.ERROR,
                                        jakarta.servlet.DispatcherType.ASYNC,
                                        jakarta.servlet.DispatcherType.FORWARD)
                                .permitAll()
                                .anyRequest()
                                .access(new AccessRules()))
                .build();
    }
}
