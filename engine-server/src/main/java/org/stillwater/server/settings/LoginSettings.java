package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of logins by name and password. Failed logins slow further ones and never lock a name out.
 *
 * @param failuresPerClient failed logins with one name from one address, or from one browser that
 *     the user has logged in with, after which further ones from there have to wait
 * @param failuresPerUser failed logins with one name from all addresses that the user has not
 *     logged in from, after which further ones from such addresses have to wait; counted once for
 *     addresses that failed before and once for others
 * @param failuresPerAddress failed logins with any names from one address after which further ones
 *     from there have to wait
 * @param firstPause how long the first login waits that has to wait; the next ones wait twice as
 *     long each. Logins of one address with different names wait this long each
 * @param longestPause the longest pause between two logins with one name
 * @param forgottenAfter after how long without a failed login failures are forgotten
 * @param knownFor how long an address or a browser is known that the user has logged in from
 * @param atOnce passwords that are checked at the same time; each takes a processor and 19 MiB for
 *     tens of milliseconds. One of them is kept for addresses and browsers that are known, where
 *     there are two or more
 * @param patience how long a login waits for its turn and for others that are being checked; one
 *     that would wait longer is refused with 429
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
