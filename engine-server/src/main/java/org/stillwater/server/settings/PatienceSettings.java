package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How patient operations on VMs are: one that takes longer has failed.
 *
 * @param mostHosts on how many hosts a start or migration is tried
 * @param start how long a VM may take until it is up
 * @param shutdown how long a guest may take to shut down
 * @param stop how long a process may take to end after the call to its host
 * @param pause how long a VM may take to pause or go on
 * @param reboot how long a guest may take to restart
 * @param suspend how long a VM's memory may take to be written
 * @param migration how long a migration may take
 * @param turn how long a migration may wait while hosts take no more of them
 * @param turnRetry pause before the next attempt after a host refused further migrations
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
        @DefaultValue("5s") Duration turnRetry) {

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
    }
}
