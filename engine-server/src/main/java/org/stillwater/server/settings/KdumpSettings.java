package org.stillwater.server.settings;

import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Listening to hosts that write a kernel dump, so that they are not fenced meanwhile.
 *
 * @param address the engine's own IP address for messages of fence_kdump; without it the engine
 *     does not listen. Messages are not authenticated: choose an address of the network of the
 *     hosts' management
 * @param port UDP port for messages of fence_kdump, as in fence_kdump_nodes of the hosts
 * @param first time without a message before fencing after which a host counts as one that writes
 *     no dump
 * @param quiet time without a message after which a dump is over
 * @param longest longest time for which a dump holds fencing back; less than
 *     stillwater.host-policy.reboot
 * @param retry pause between two attempts to listen, while the address cannot be bound
 */
@ConfigurationProperties("stillwater.fencing.kdump")
public record KdumpSettings(
        @Nullable String address,
        @DefaultValue("7410") int port,
        @DefaultValue("30s") Duration first,
        @DefaultValue("90s") Duration quiet,
        @DefaultValue("8m") Duration longest,
        @DefaultValue("30s") Duration retry) {

    public KdumpSettings {
        Checks.require(
                address == null || isLiteral(address),
                "fencing.kdump.address",
                "an IP address",
                String.valueOf(address));
        Checks.number("fencing.kdump.port", port, 1, 65_535);
        Checks.duration(
                "fencing.kdump.first", first, Duration.ofSeconds(1), Duration.ofMinutes(10));
        Checks.duration(
                "fencing.kdump.quiet", quiet, Duration.ofSeconds(10), Duration.ofMinutes(10));
        Checks.duration("fencing.kdump.longest", longest, quiet, Duration.ofDays(1));
        Checks.duration("fencing.kdump.retry", retry, Duration.ofSeconds(1), Duration.ofHours(1));
    }

    private static boolean isLiteral(String address) {
        try {
            return !InetAddress.ofLiteral(address).getHostAddress().isEmpty();
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /**
     * A dump is over before a host that does not come back is watched again.
     *
     * @throws IllegalArgumentException if it need not be; the message names the setting to change
     */
    public void check(HostPolicySettings policy) {
        Checks.require(
                address == null || longest.compareTo(policy.reboot()) < 0,
                "fencing.kdump.longest",
                "less than stillwater.host-policy.reboot (%s), after which a host is watched again"
                        .formatted(Checks.text(policy.reboot())),
                Checks.text(longest));
    }
}
