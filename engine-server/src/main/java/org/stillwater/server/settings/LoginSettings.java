package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of logins by name and password. Failed logins slow further ones and never lock a name out.
 *
 * @param failuresPerClient failed logins with one name from one address, or from one browser of an
 *     earlier successful login, after which further ones from there have to wait
 * @param failuresPerUser failed logins with one name from all addresses that the user has not
 *     logged in from, after which further ones from such addresses have to wait; counted once for
 *     addresses that failed before and once for others
 * @param failuresPerAddress failed logins with any names from one address after which further ones
 *     from there have to wait
 * @param firstPause wait of the first delayed login; each further one waits twice as long. Logins
 *     of one address with different names wait this long each
 * @param longestPause the longest pause between two logins with one name
 * @param forgottenAfter time without a failed login after which failures are forgotten
 * @param knownFor time for which an address or a browser of a successful login is known
 * @param atOnce passwords that are checked at the same time; each takes a processor and 19 MiB for
 *     tens of milliseconds. One of two or more is reserved for known addresses and browsers
 * @param patience longest wait of a login for its turn and for others in progress; a login that
 *     would wait longer is refused with 429
 * @param waiting logins that wait or are checked at the same time; more are refused with 429. Known
 *     addresses and browsers are counted apart from unknown ones, up to this number each
 */
@ConfigurationProperties("stillwater.security.login")
public record LoginSettings(
        @DefaultValue("5") int failuresPerClient,
        @DefaultValue("20") int failuresPerUser,
        @DefaultValue("50") int failuresPerAddress,
        @DefaultValue("250ms") Duration firstPause,
        @DefaultValue("3s") Duration longestPause,
        @DefaultValue("15m") Duration forgottenAfter,
        @DefaultValue("30d") Duration knownFor,
        @DefaultValue("2") int atOnce,
        @DefaultValue("5s") Duration patience,
        @DefaultValue("500") int waiting) {

    public LoginSettings {
        Checks.number("security.login.failures-per-client", failuresPerClient, 1, 1_000);
        Checks.number("security.login.failures-per-user", failuresPerUser, 1, 1_000_000);
        Checks.number("security.login.failures-per-address", failuresPerAddress, 1, 1_000_000);
        Checks.duration(
                "security.login.longest-pause",
                longestPause,
                Duration.ofMillis(1),
                Duration.ofMinutes(1));
        Checks.duration(
                "security.login.first-pause", firstPause, Duration.ofMillis(1), longestPause);
        Checks.duration(
                "security.login.forgotten-after",
                forgottenAfter,
                Duration.ofSeconds(1),
                Duration.ofDays(1));
        Checks.duration(
                "security.login.known-for", knownFor, Duration.ofMinutes(1), Duration.ofDays(366));
        Checks.number("security.login.at-once", atOnce, 1, 64);
        Checks.duration("security.login.patience", patience, longestPause, Duration.ofMinutes(1));
        Checks.number("security.login.waiting", waiting, 1, 100_000);
    }
}
