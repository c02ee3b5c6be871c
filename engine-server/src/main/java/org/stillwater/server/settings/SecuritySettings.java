package org.stillwater.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.stillwater.core.access.Role;

/**
 * Access to the engine.
 *
 * @param anonymousRole role of requests without credentials: none, reader, operator, administrator
 *     or scraper; for demonstrations and tests. Refused unless the engine listens on a loopback
 *     address
 * @param anonymousOnAnyAddress lets requests without credentials have a role although the engine
 *     can be reached from elsewhere
 * @param sessionIdle lifetime of an unused session or token of a login
 * @param maxSessions most sessions and tokens of logins at a time, of all users; a login beyond it
 *     ends the user's own one that was used longest ago, or is refused where the user has none
 * @param sessionsPerUser most sessions and tokens of logins of one user; a login beyond it ends the
 *     one that was used longest ago
 * @param sessionsWithoutGrant the same for a user without grants
 * @param sessionsPerAddress most sessions and tokens of logins that began from one address (of
 *     IPv6, one /64 network); a login beyond it ends the user's own one from there that was used
 *     longest ago, or is refused where the user has none
 * @param credentialsKept how long a password that was checked is not checked again; checking takes
 *     tens of milliseconds by intent
 * @param csrfProtection whether clients of oVirt's interface may require the session's id in a
 *     header of each request of their session
 * @param initialPassword password of admin@internal where there are no users yet; if it is left out
 *     one is generated, written to a file, and must be changed at its first use
 * @param initialPasswordFile the file that a generated first password is written to, readable by
 *     its owner only; {@code first-password} in the data folder if it is left out
 * @param ssoPasswordInQuery whether oVirt's token endpoint takes passwords and tokens from the
 *     query of the address, as some old clients send them; proxies and browsers keep addresses in
 *     logs
 */
@ConfigurationProperties("stillwater.security")
public record SecuritySettings(
        @DefaultValue(NONE) String anonymousRole,
        @DefaultValue("false") boolean anonymousOnAnyAddress,
        @DefaultValue("30m") Duration sessionIdle,
        @DefaultValue("10000") int maxSessions,
        @DefaultValue("200") int sessionsPerUser,
        @DefaultValue("5") int sessionsWithoutGrant,
        @DefaultValue("2000") int sessionsPerAddress,
        @DefaultValue("5m") Duration credentialsKept,
        @DefaultValue("false") boolean csrfProtection,
        @Nullable String initialPassword,
        @Nullable Path initialPasswordFile,
        @DefaultValue("false") boolean ssoPasswordInQuery) {

    private static final String NONE = "none";

    /** The shortest password that is taken, in characters. */
    public static final int SHORTEST_PASSWORD = 8;

    /** The longest password that is taken, in characters. */
    public static final int LONGEST_PASSWORD = 256;

    public SecuritySettings {
        Checks.require(
                anonymousRole.equals(NONE) || role(anonymousRole) != null,
                "security.anonymous-role",
                Stream.concat(Stream.of(NONE), Arrays.stream(Role.values()).map(Role::label))
                        .collect(Collectors.joining(", ")),
                anonymousRole);
        Checks.duration(
                "security.session-idle", sessionIdle, Duration.ofMinutes(1), Duration.ofDays(7));
        Checks.number("security.max-sessions", maxSessions, 1, 1_000_000);
        Checks.number("security.sessions-per-user", sessionsPerUser, 1, 1_000_000);
        Checks.number("security.sessions-without-grant", sessionsWithoutGrant, 1, 1_000_000);
        Checks.number("security.sessions-per-address", sessionsPerAddress, 1, 1_000_000);
        Checks.duration(
                "security.credentials-kept", credentialsKept, Duration.ZERO, Duration.ofHours(1));
        Checks.require(
                initialPassword == null
                        || (initialPassword.length() >= SHORTEST_PASSWORD
                                && initialPassword.length() <= LONGEST_PASSWORD),
                "security.initial-password",
                SHORTEST_PASSWORD + " to " + LONGEST_PASSWORD + " characters",
                "what is given");
    }

    /** The role of requests without credentials, null for none. */
    public @Nullable Role anonymous() {
        return role(anonymousRole);
    }

    private static @Nullable Role role(String label) {
        for (Role role : Role.values()) {
            if (role.label().equals(label)) {
                return role;
            }
        }
        return null;
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "SecuritySettings[anonymousRole=" + anonymousRole + "]";
    }
}
