package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Time limits of operations on VMs: an operation that takes longer has failed.
 *
 * @param mostHosts most hosts that a start or migration tries
 * @param start longest time until a started VM is up
 * @param shutdown longest time for a guest to shut down
 * @param stop longest time for a process to end after the call to its host
 * @param pause longest time for a VM to pause or go on
 * @param reboot longest time for a guest to restart
 * @param suspend longest time for writing a VM's memory
 * @param migration longest time for a migration
 * @param turn longest wait of a migration for hosts that accept no more of them
 * @param turnRetry pause before the next attempt after a host refused further migrations
 * @param busy for how long an order is repeated that a XAPI pool refused because another operation
 *     was under way, or because it takes no more now; zero: it fails at once
 * @param busyRetry pause before each repetition
 */
@ConfigurationProperties("stillwater.commands.patience")
public record PatienceSettings(
        @DefaultValue("3") int mostHosts,
        @DefaultValue("10m") Duration start,
        @DefaultValue("10m") Duration shutdown,
        @DefaultValue("2m") Duration stop,
        @DefaultValue("1m") Duration pause,
        @DefaultValue("10m") Duration reboot,
        @DefaultValue("30m") Duration suspend,
        @DefaultValue("6h") Duration migration,
        @DefaultValue("1h") Duration turn,
        @DefaultValue("5s") Duration turnRetry,
        @DefaultValue("30s") Duration busy,
        @DefaultValue("2s") Duration busyRetry) {

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(7);

    public PatienceSettings {
        Checks.number("commands.patience.most-hosts", mostHosts, 1, 100);
        Checks.duration("commands.patience.start", start, SHORTEST, LONGEST);
        Checks.duration("commands.patience.shutdown", shutdown, SHORTEST, LONGEST);
        Checks.duration("commands.patience.stop", stop, SHORTEST, LONGEST);
        Checks.duration("commands.patience.pause", pause, SHORTEST, LONGEST);
        Checks.duration("commands.patience.reboot", reboot, SHORTEST, LONGEST);
        Checks.duration("commands.patience.suspend", suspend, SHORTEST, LONGEST);
        Checks.duration("commands.patience.migration", migration, SHORTEST, LONGEST);
        Checks.duration("commands.patience.turn", turn, SHORTEST, LONGEST);
        Checks.duration("commands.patience.turn-retry", turnRetry, SHORTEST, turn);
        Checks.duration("commands.patience.busy", busy, Duration.ZERO, Duration.ofHours(1));
        Checks.duration("commands.patience.busy-retry", busyRetry, SHORTEST, Duration.ofMinutes(1));
    }
}
