package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How hosts are drained and fenced.
 *
 * @param fencingLimit longest that the power of one host may take to be off; less than
 *     stillwater.host-policy.reboot, after which the host is watched again
 * @param look how often hosts are looked at that are to be fenced or drained
 * @param drainPatience for how long a drain waits for VMs that cannot migrate at the moment
 * @param mostReasons VMs of which an operation's result says why they could not leave
 */
@ConfigurationProperties("stillwater.commands.hosts")
public record HostCommandSettings(
        @DefaultValue("8m") Duration fencingLimit,
        @DefaultValue("3s") Duration look,
        @DefaultValue("4m") Duration drainPatience,
        @DefaultValue("20") int mostReasons) {

    private static final Duration DAY = Duration.ofDays(1);

    public HostCommandSettings {
        Checks.duration("commands.hosts.fencing-limit", fencingLimit, Duration.ofSeconds(1), DAY);
        Checks.duration("commands.hosts.look", look, Duration.ofMillis(100), Duration.ofMinutes(5));
        Checks.duration("commands.hosts.drain-patience", drainPatience, Duration.ofSeconds(1), DAY);
        Checks.number("commands.hosts.most-reasons", mostReasons, 1, 1_000);
    }
}
