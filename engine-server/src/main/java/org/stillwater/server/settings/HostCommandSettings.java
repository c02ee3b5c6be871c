package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How hosts are drained and fenced.
 *
 * @param fencingLimit longest that the power of one host may take to be off; less than
 *     stillwater.host-policy.reboot, after which the host is watched again
 * @param fencingAttempts how often a host that cannot be switched off is tried in one outage at the
 *     most
 * @param fencingRetry pause before the second attempt; twice as long before each further one
 * @param leaseWait how long a host must have been silent before it is fenced, where its cluster
 *     respects storage leases
 * @param look interval of the check for hosts to fence or drain
 * @param drainPatience for how long a drain waits for VMs that cannot migrate at the moment
 * @param mostReasons VMs for which an operation's result gives the reason why they could not leave
 */
@ConfigurationProperties("stillwater.commands.hosts")
public record HostCommandSettings(
        @DefaultValue("8m") Duration fencingLimit,
        @DefaultValue("3") int fencingAttempts,
        @DefaultValue("2m") Duration fencingRetry,
        @DefaultValue("90s") Duration leaseWait,
        @DefaultValue("3s") Duration look,
        @DefaultValue("4m") Duration drainPatience,
        @DefaultValue("20") int mostReasons) {

    private static final Duration DAY = Duration.ofDays(1);

    public HostCommandSettings {
        Checks.duration("commands.hosts.fencing-limit", fencingLimit, Duration.ofSeconds(1), DAY);
        Checks.number("commands.hosts.fencing-attempts", fencingAttempts, 1, 100);
        Checks.duration("commands.hosts.fencing-retry", fencingRetry, Duration.ofSeconds(1), DAY);
        Checks.duration("commands.hosts.lease-wait", leaseWait, Duration.ofMillis(1), DAY);
        Checks.duration("commands.hosts.look", look, Duration.ofMillis(100), Duration.ofMinutes(5));
        Checks.duration("commands.hosts.drain-patience", drainPatience, Duration.ofSeconds(1), DAY);
        Checks.number("commands.hosts.most-reasons", mostReasons, 1, 1_000);
    }

    /**
     * The time for fencing lies between what one agent may take and what a host may take to boot.
     *
     * @throws IllegalArgumentException if it does not; the message names the setting to change
     */
    public void checkFencing(HostPolicySettings policy, PowerFenceSettings power) {
        Checks.require(
                fencingLimit.compareTo(policy.reboot()) < 0,
                "commands.hosts.fencing-limit",
                "less than stillwater.host-policy.reboot (%s), after which a host is watched again"
                        .formatted(Checks.text(policy.reboot())),
                Checks.text(fencingLimit));
        Checks.require(
                fencingLimit.compareTo(power.longest()) >= 0,
                "commands.hosts.fencing-limit",
                "at least %s, which one fence agent may take (stillwater.fencing.power.*)"
                        .formatted(Checks.text(power.longest())),
                Checks.text(fencingLimit));
    }
}
