package org.stillwater.monitoring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.cluster.Clusters;

/**
 * Ensures that the hosts of the settings are watched. One thread at a time; blocks while the
 * database is written.
 */
final class SettingsHosts {

    private static final Logger LOG = LoggerFactory.getLogger(SettingsHosts.class);

    /** Hosts that one transaction adds at most. */
    static final int HOSTS_AT_ONCE = 500;

    private final HostAdministration administration;
    private final WatchedHosts hosts;
    private final Clusters clusters;
    private volatile List<String> refusedHosts = List.of();

    /** Hosts of the settings that are ensured by this administration. */
    SettingsHosts(HostAdministration administration, WatchedHosts hosts, Clusters clusters) {
        this.administration = administration;
        this.hosts = hosts;
        this.clusters = clusters;
    }

    /**
     * Applies {@link HostAdministration#ensureHost} to each of them; new hosts are added in
     * batches. A host with the address and port of another host, or one that the database refuses,
     * is not changed, logged and named; it is tried again while others change their addresses, so
     * that the order of the settings does not matter.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    void ensure(List<HostDefinition> wanted) throws StoreUnavailable {
        List<HostDefinition> left = wanted;
        Map<HostDefinition, String> refused;
        int before;
        do {
            before = left.size();
            refused = ensureOnce(left);
            left = List.copyOf(refused.keySet());
        } while (!left.isEmpty() && left.size() < before);
        List<String> sentences = new ArrayList<>();
        refused.forEach((host, why) ->
                sentences.add(
                        "host %s of the settings is refused: %s".formatted(host.name(), why)));
        sentences.forEach(LOG::warn);
        refusedHosts = List.copyOf(sentences);
    }

    /** Goes over the hosts of the settings once; returns why some are refused, in their order. */
    private Map<HostDefinition, String> ensureOnce(List<HostDefinition> wanted)
            throws StoreUnavailable {
        Map<HostDefinition, String> refused = new LinkedHashMap<>();
        Map<ClusterId, Map<HostId, HostDefinition>> fresh = new LinkedHashMap<>();
        Set<String> freshNames = new HashSet<>();
        List<HostDefinition> again = new ArrayList<>();
        for (HostDefinition host : wanted) {
            if (hosts.named(host.name()) != null) {
                ensure(host, refused);
            } else if (!freshNames.add(host.name())
                    || fresh.computeIfAbsent(host.cluster(), _ -> new LinkedHashMap<>())
                                    .putIfAbsent(host.id(), host)
                            != null) {
                again.add(host); // its name or identity occurs twice
            }
        }
        for (Map.Entry<ClusterId, Map<HostId, HostDefinition>> each : fresh.entrySet()) {
            List<HostDefinition> all = List.copyOf(each.getValue().values());
            for (int from = 0; from < all.size(); from += HOSTS_AT_ONCE) {
                int to = Math.min(from + HOSTS_AT_ONCE, all.size());
                addOfSettings(each.getKey(), all.subList(from, to), refused);
            }
        }
        for (HostDefinition host : again) {
            ensure(host, refused);
        }
        return refused;
    }

    private void addOfSettings(
            ClusterId cluster, List<HostDefinition> some, Map<HostDefinition, String> refused)
            throws StoreUnavailable {
        if (clusters.cluster(cluster) == null) {
            some.forEach(host -> refused.put(host, "its cluster " + cluster + " was not read"));
            return;
        }
        HostStore.Additions additions = administration.addHosts(cluster, some);
        for (HostDefinition host : some) {
            String why = additions.refused().get(host.id());
            if (why != null) {
                refused.put(host, why);
            } else if (!additions.added().contains(host.id())) {
                ensure(host, refused); // its name or identity was taken meanwhile
            }
        }
    }

    private void ensure(HostDefinition host, Map<HostDefinition, String> refused)
            throws StoreUnavailable {
        try {
            HostDefinition _ = administration.ensureHost(host);
        } catch (HostAddressInUse | HostAdministration.NotRecovered e) {
            refused.put(host, String.valueOf(e.getMessage()));
        }
    }

    /** Hosts with the address and port of another host, each as a sentence. Any thread. */
    List<String> refused() {
        return refusedHosts;
    }
}
