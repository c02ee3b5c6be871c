package org.stillwater.server.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.stillwater.core.access.Role;

/**
 * Logins by an OpenID Connect provider; off unless an issuer is named.
 *
 * @param issuer address of the provider, under which its configuration is found
 * @param clientId the engine's name at the provider
 * @param clientSecret the engine's password at the provider
 * @param audience audience of programs' tokens; the client id if left out
 * @param nameClaim the claim that names the user
 * @param roles the role that a value of the claim gives, on everything:
 *     stillwater.security.oidc.roles.vm-admins=administrator
 * @param rolesClaim the claim that lists the user's groups; dots lead into objects
 * @param profile the part of such a user's name after the @
 * @param scopes requested scopes
 * @param sessionLongest longest time of a login, used or not; then the user logs in again at the
 *     provider, so that former members lose access
 * @param timeout longest time for the provider to connect, and to answer
 */
@ConfigurationProperties("stillwater.security.oidc")
public record OidcSettings(
        @Nullable String issuer,
        @Nullable String clientId,
        @Nullable String clientSecret,
        @Nullable String audience,
        @DefaultValue("preferred_username") String nameClaim,
        @DefaultValue("roles") String rolesClaim,
        @DefaultValue Map<String, String> roles,
        @DefaultValue("oidc") String profile,
        @DefaultValue({"openid", "profile"}) List<String> scopes,
        @DefaultValue("12h") Duration sessionLongest,
        @DefaultValue("10s") Duration timeout) {

    public OidcSettings {
        roles = Map.copyOf(roles);
        scopes = List.copyOf(scopes);
        Checks.duration(
                "security.oidc.session-longest",
                sessionLongest,
                Duration.ofMinutes(1),
                Duration.ofDays(30));
        Checks.duration(
                "security.oidc.timeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(1));
        if (issuer != null) {
            Checks.require(
                    issuer.startsWith("https://") || issuer.startsWith("http://"),
                    "security.oidc.issuer",
                    "an address",
                    issuer);
            Checks.require(
                    clientId != null && !clientId.isBlank(),
                    "security.oidc.client-id",
                    "given with an issuer",
                    "left out");
            Checks.require(
                    scopes.contains("openid"),
                    "security.oidc.scopes",
                    "a list with openid in it",
                    String.join(",", scopes));
        }
        Checks.require(
                !profile.isBlank() && !profile.contains("@") && !profile.equals("internal"),
                "security.oidc.profile",
                "a word without @, and not internal",
                profile);
        roles.forEach((value, role) ->
                Checks.require(
                        Role.ofLabel(role) != null,
                        "security.oidc.roles." + value,
                        "administrator, operator, reader or scraper",
                        role));
    }

    /** Whether a provider is named. */
    public boolean enabled() {
        return issuer != null;
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "OidcSettings[issuer=" + issuer + ", clientId=" + clientId + "]";
    }
}
