package org.stillwater.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Pools of XenServer and XCP-ng hosts, watched through XAPI.
 *
 * @param pools pools to watch from the start; hosts and VMs of a pool that is no longer listed are
 *     kept and shown as not reached
 * @param sync reading of a pool as a whole: by events (one reply, of one moment) or by records (one
 *     reply for each class, side by side)
 * @param hold time for which a pool holds a call for events without an event
 * @param patience longest wait for the reply of a pool beyond {@code hold}; generous, because a
 *     pool may delay its callers
 * @param connectTimeout longest wait for a connection to a host of a pool
 * @param callTimeout longest wait for any other reply of a pool to begin
 * @param metricsTimeout longest wait for the metrics of a host; a host that is silent for longer
 *     counts as one that does not answer. Less than stillwater.cycle.poll-deadline
 * @param metricsStandstill time without a new row of a host's metrics, of which it makes one each
 *     five seconds, after which its last one no longer counts as its present numbers
 * @param reconnectAtLeast first pause before a lost pool is tried again; doubles with every failure
 *     in a row
 * @param reconnectAtMost longest such pause
 * @param refetchPause least time between two refetches of a class of objects whose number differs
 *     from the pool's
 * @param passwordPause time after a refused password in which it is not tried again
 * @param mostTags different tags of one pool that its hosts and VMs have here; 0: none
 */
@ConfigurationProperties("stillwater.xapi")
public record XapiSettings(
        @DefaultValue List<Pool> pools,
        @DefaultValue("events") Sync sync,
        @DefaultValue("30s") Duration hold,
        @DefaultValue("2m") Duration patience,
        @DefaultValue("3s") Duration connectTimeout,
        @DefaultValue("1m") Duration callTimeout,
        @DefaultValue("5s") Duration metricsTimeout,
        @DefaultValue("2m") Duration metricsStandstill,
        @DefaultValue("200ms") Duration reconnectAtLeast,
        @DefaultValue("5s") Duration reconnectAtMost,
        @DefaultValue("10s") Duration refetchPause,
        @DefaultValue("5s") Duration passwordPause,
        @DefaultValue("1000") int mostTags) {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MOST_POOLS = 1_000;
    private static final int MOST_TAGS = 100_000;

    public XapiSettings {
        pools = List.copyOf(pools);
        Checks.number("xapi.pools", pools.size(), 0, MOST_POOLS);
        Set<String> names = new HashSet<>();
        for (Pool pool : pools) {
            Checks.require(
                    names.add(pool.name()), "xapi.pools", "pools of different names", pool.name());
        }
        Checks.duration("xapi.hold", hold, Duration.ofSeconds(1), LONGEST);
        Checks.duration("xapi.patience", patience, Duration.ofSeconds(1), LONGEST);
        Checks.duration("xapi.connect-timeout", connectTimeout, SHORTEST, LONGEST);
        Checks.duration("xapi.call-timeout", callTimeout, SHORTEST, LONGEST);
        Checks.duration("xapi.metrics-timeout", metricsTimeout, SHORTEST, LONGEST);
        Checks.duration(
                "xapi.metrics-standstill", metricsStandstill, Duration.ofSeconds(10), LONGEST);
        Checks.duration("xapi.reconnect-at-least", reconnectAtLeast, SHORTEST, LONGEST);
        Checks.duration("xapi.reconnect-at-most", reconnectAtMost, reconnectAtLeast, LONGEST);
        Checks.duration("xapi.refetch-pause", refetchPause, Duration.ZERO, LONGEST);
        Checks.duration("xapi.password-pause", passwordPause, Duration.ZERO, LONGEST);
        Checks.number("xapi.most-tags", mostTags, 0, MOST_TAGS);
    }

    /** The way of reading a pool as a whole. */
    public enum Sync {
        /** One call for events from the beginning. */
        EVENTS,
        /** One call for the records of each class. */
        RECORDS
    }

    /** The encoding of calls and replies. */
    public enum Encoding {
        /** JSON-RPC, of servers since 2017. */
        JSON_RPC,
        /** JSON inside XML-RPC, of servers until 2017. */
        JSON_IN_XML,
        /** XML-RPC, of all servers. */
        XML_RPC
    }

    /**
     * One pool.
     *
     * @param name name in this engine, unique, 1 to 255 characters
     * @param addresses DNS names or IP addresses of hosts of the pool, one at least; the others are
     *     learnt from the pool
     * @param port port of XAPI on all hosts
     * @param tls whether hosts are reached by TLS; false only for tests and measurements
     * @param trust PEM file with the authorities that sign the hosts' certificates; without it each
     *     host is held to the certificate that it showed first
     * @param user user of the pool; read-only is enough to watch
     * @param password the user's password; better given in the environment
     * @param uuid identity of the pool that must answer; without it, that of the pool that answers
     *     first
     * @param encodings encodings to try at each login, best first
     */
    public record Pool(
            String name,
            List<String> addresses,
            @DefaultValue("443") int port,
            @DefaultValue("true") boolean tls,
            @Nullable Path trust,
            @DefaultValue("root") String user,
            @DefaultValue("") String password,
            @Nullable String uuid,
            @DefaultValue({"json-rpc", "json-in-xml", "xml-rpc"}) List<Encoding> encodings) {

        private static final int LARGEST_PORT = 65_535;
        private static final int LONGEST_NAME = 255;

        @SuppressWarnings("NullAway") // binding hands over null for a value that is missing
        public Pool {
            Checks.require(
                    name != null && !name.isBlank() && name.length() <= LONGEST_NAME,
                    "xapi.pools[].name",
                    "1 to 255 characters",
                    name == null ? "missing" : "\"" + name + "\"");
            Checks.require(
                    addresses != null
                            && !addresses.isEmpty()
                            && addresses.stream().noneMatch(String::isBlank),
                    "xapi.pools[].addresses",
                    "one address or more",
                    String.valueOf(addresses));
            addresses = List.copyOf(addresses);
            encodings = List.copyOf(encodings);
            Checks.number("xapi.pools[].port", port, 1, LARGEST_PORT);
            Checks.require(
                    trust == null || tls, "xapi.pools[].trust", "none without tls", trust + "");
            Checks.require(!user.isBlank(), "xapi.pools[].user", "a name", "\"" + user + "\"");
            Checks.require(!encodings.isEmpty(), "xapi.pools[].encodings", "one or more", "none");
            Checks.require(uuid == null || isUuid(uuid), "xapi.pools[].uuid", "a UUID", uuid + "");
        }

        private static boolean isUuid(String text) {
            try {
                return !java.util.UUID.fromString(text).toString().isEmpty();
            } catch (IllegalArgumentException _) {
                return false;
            }
        }

        @Override
        public String toString() {
            return "Pool[" + name + " at " + addresses + ":" + port + "]";
        }
    }
}
