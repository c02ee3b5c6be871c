package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of logins by name and password.
 *
 * @param failuresPerUser failed logins in a row with one name after which it is locked out, whether
 *     there is such a user or not
 * @param lockedFor how long a name is locked out
 * @param failuresPerAddress failed logins from one address within the time of a lock-out after
 *     which logins from there are refused for as long
 * @param atOnce passwords that are checked at the same time; each takes a processor and 19 MiB for
 *     tens of milliseconds
 * @param patience how long a login waits for others that are being checked
 */
@ConfigurationProperties("stillwater.security.login")
public record LoginSettings(
        @DefaultValue("10") int failuresPerUser,
        @DefaultValue("5m") Duration lockedFor,
        @DefaultValue("50") int failuresPerAddress,
        @DefaultValue("2") int atOnce,
        @DefaultValue("5s") Duration patience) {

    public LoginSettings {
        Checks.number("security.login.failures-per-user", failuresPerUser, 1, 1_000);
        Checks.duration(
                "security.login.locked-for", lockedFor, Duration.ofSeconds(1), Duration.ofDays(1));
        Checks.number("security.login.failures-per-address", failuresPerAddress, 1, 1_000_000);
        Checks.number("security.login.at-once", atOnce, 1, 64);
        Checks.duration("security.login.patience", patience, Duration.ZERO, Duration.ofMinutes(1));
    }
}
