package org.stillwater.server.settings;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.stillwater.core.id.HostId;

/**
 * Relays: processes beside hosts that push the statistics of VMs. Commands go to the hosts directly
 * or through their relays; events and all else go directly.
 *
 * @param enabled whether the engine listens for relays
 * @param address IP address on which it listens
 * @param port TCP port on which it listens
 * @param key PEM file with the engine's key for relays, PKCS #8; engine.key.pem in the folder pki
 *     of the data folder if left out
 * @param certificate PEM file with the engine's certificate for relays; engine.pem there if left
 *     out
 * @param authorities PEM file with the authorities that relays are checked against; ca.pem there if
 *     left out
 * @param hosts the hosts of each relay, as NAME=UUID; the engine accepts no reports of a relay
 *     about another host, and its certificate carries NAME as common name
 * @param window messages of a relay that may be under way; more of its changes are sent together
 * @param mark how often relays get the engine's time; a poll of a relay counts as that much older
 *     at the most
 * @param mostCells values that the state of one host may have; of a larger one the engine asks the
 *     host itself
 * @param silentStreams streams of one relay that may be open without their first message; further
 *     ones are refused. Also the streams of one connection
 * @param helloTimeout longest wait for the first message of a stream
 * @param commands the way of commands to hosts that have a relay: {@code direct}, over the engine's
 *     own connection to the host, or {@code relay}. A command that a relay certainly did not send
 *     goes over the engine's own connection
 * @param calls most commands under way for all hosts of one relay; further ones use the engine's
 *     own connection
 * @param callsPerHost most commands under way for one host through its relay; further ones use the
 *     engine's own connection. The relay may permit fewer
 * @param callSize largest parameters of one command through a relay; larger ones use the engine's
 *     own connection. Eight times as much may be under way through one relay
 */
@ConfigurationProperties("stillwater.relay")
public record RelaySettings(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("127.0.0.1") String address,
        @DefaultValue("54331") int port,
        @Nullable Path key,
        @Nullable Path certificate,
        @Nullable Path authorities,
        @DefaultValue List<String> hosts,
        @DefaultValue("256") int window,
        @DefaultValue("250ms") Duration mark,
        @DefaultValue("1000000") int mostCells,
        @DefaultValue("16") int silentStreams,
        @DefaultValue("30s") Duration helloTimeout,
        @DefaultValue("direct") Commands commands,
        @DefaultValue("64") int calls,
        @DefaultValue("8") int callsPerHost,
        @DefaultValue("512KB") DataSize callSize) {

    public RelaySettings {
        hosts = List.copyOf(hosts);
        Checks.require(isLiteral(address), "relay.address", "an IP address", address);
        Checks.number("relay.port", port, 0, 65_535);
        boolean given = key != null;
        Checks.require(
                given == (certificate != null) && given == (authorities != null),
                "relay.key",
                "given together with stillwater.relay.certificate and stillwater.relay.authorities",
                "alone");
        Checks.number("relay.window", window, 1, 10_000);
        Checks.duration("relay.mark", mark, Duration.ofMillis(10), Duration.ofSeconds(5));
        Checks.number("relay.most-cells", mostCells, 1_000, 100_000_000);
        Checks.number("relay.silent-streams", silentStreams, 1, 1_000);
        Checks.duration(
                "relay.hello-timeout", helloTimeout, Duration.ofSeconds(1), Duration.ofMinutes(10));
        Checks.number("relay.calls-per-host", callsPerHost, 1, 1_000);
        Checks.number("relay.calls", calls, 1, 10_000);
        Checks.size(
                "relay.call-size", callSize, DataSize.ofKilobytes(16), DataSize.ofMegabytes(32));
        for (String each : hosts) {
            Checks.require(isOne(each), "relay.hosts", "entries NAME=UUID", each);
        }
    }

    /** The way of commands to hosts that have a relay. */
    public enum Commands {
        /** The engine's own connection to the host. */
        DIRECT,
        /** The stream of the host's relay, while the relay stands in for the host's polls. */
        RELAY
    }

    private static boolean isLiteral(String address) {
        try {
            return !InetAddress.ofLiteral(address).getHostAddress().isEmpty();
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static boolean isOne(String entry) {
        int equals = entry.lastIndexOf('=');
        if (equals < 1 || equals > 64) {
            return false;
        }
        try {
            HostId _ = HostId.parse(entry.substring(equals + 1));
            return true;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /** The hosts of each relay, by its name. */
    public Map<String, List<HostId>> hostsByRelay() {
        Map<String, List<HostId>> relays = new TreeMap<>();
        for (String each : hosts) {
            int equals = each.lastIndexOf('=');
            relays.computeIfAbsent(each.substring(0, equals), _ -> new ArrayList<>())
                    .add(HostId.parse(each.substring(equals + 1)));
        }
        return relays;
    }

    /**
     * Checks that each host is named once.
     *
     * @throws IllegalArgumentException if one is not
     */
    public void checkHosts() {
        Set<HostId> seen = new HashSet<>();
        hostsByRelay().values().stream()
                .flatMap(List::stream)
                .filter(each -> !seen.add(each))
                .findFirst()
                .ifPresent(each ->
                        Checks.require(
                                false,
                                "relay.hosts",
                                "a list that names each host once",
                                each.value() + " twice"));
    }
}
