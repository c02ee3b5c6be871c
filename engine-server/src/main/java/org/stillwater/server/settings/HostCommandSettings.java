package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Drains and fencing of hosts.
 *
 * @param fencingLimit longest time until the power of one host is off; less than
 *     stillwater.host-policy.reboot, after which the host is watched again
 * @param fencingAttempts most attempts in one outage to switch a host off
 * @param fencingRetry pause before the second attempt; twice as long before each further one
 * @param leaseWait time without contact before a host is fenced, where its cluster respects storage
 *     leases
 * @param look interval of the check for hosts to fence or drain
 * @param drainPatience longest wait of a drain for VMs that cannot migrate at the moment
 * @param mostReasons VMs for which an operation's result gives the reason why they stayed
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
     * Checks that the time for fencing lies between the time of one agent and the boot time of a
     * host.
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
