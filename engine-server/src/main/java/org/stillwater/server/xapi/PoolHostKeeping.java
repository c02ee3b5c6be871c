package org.stillwater.server.xapi;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.xapi.host.PoolHost;
import org.stillwater.xapi.host.XapiPool;

/**
 * Makes the engine's hosts of a pool those that the pool has. One thread at a time; blocks while
 * the database is written.
 */
final class PoolHostKeeping {

    /** Names that are tried for a host: its own, the same with the pool's, and its identity. */
    private static final int NAMES = 3;

    /** Prefix of the keys of refused hosts. */
    private static final String HOST = "host ";

    private final FleetReader fleet;
    private final HostAdministration administration;
    private final PoolRefusals refusals;

    /** Keeps hosts in this engine. */
    PoolHostKeeping(FleetReader fleet, HostAdministration administration, PoolRefusals refusals) {
        this.fleet = fleet;
        this.administration = administration;
        this.refusals = refusals;
    }

    /** Adds new hosts of the pool and follows changes of known ones. */
    void keep(XapiPool pool, ClusterId cluster) throws StoreUnavailable {
        List<PoolHost> fresh = new ArrayList<>();
        Set<String> present = new HashSet<>();
        for (PoolHost host : pool.hosts()) {
            present.add(HOST + host.id());
            if (host.address().isBlank()) {
                continue; // it is being added to the pool
            }
            HostView known = fleet.host(host.id());
            if (known == null) {
                fresh.add(host);
            } else {
                keepHost(pool, cluster, host, known.state().definition());
            }
        }
        addHosts(pool, cluster, fresh);
        refusals.keepOnly(pool, HOST, present);
    }

    private void keepHost(XapiPool pool, ClusterId cluster, PoolHost host, HostDefinition before)
            throws StoreUnavailable {
        String key = HOST + host.id();
        try {
            if (!before.address().equals(host.address())
                    || before.port() != pool.port()
                    || !before.cluster().equals(cluster)) {
                String refusal =
                        administration.updateHostOfPool(
                                new HostDefinition(
                                        before.id(),
                                        before.name(),
                                        host.address(),
                                        pool.port(),
                                        cluster,
                                        before.traits()));
                if (refusal != null) {
                    throw new IllegalArgumentException(refusal);
                }
            }
            refusals.clear(key);
        } catch (IllegalArgumentException e) { // its address is another host's, for instance
            refusals.refuse(key, pool, "host " + host.name(), String.valueOf(e.getMessage()));
        }
    }

    /** Adds all of them in one transaction, and each VM with a taken name in a separate one. */
    private void addHosts(XapiPool pool, ClusterId cluster, List<PoolHost> fresh)
            throws StoreUnavailable {
        List<PoolHost> left = fresh;
        for (int attempt = 0; attempt < NAMES && !left.isEmpty(); attempt++) {
            Map<HostId, HostDefinition> wanted = new LinkedHashMap<>();
            Map<HostId, String> reasons = new HashMap<>();
            Set<String> names = new HashSet<>();
            for (PoolHost host : left) {
                String name = shortened(name(pool, host, attempt));
                if (fleet.hostNamed(name) != null || !names.add(name)) {
                    continue;
                }
                try {
                    wanted.put(
                            host.id(),
                            new HostDefinition(
                                    host.id(), name, host.address(), pool.port(), cluster));
                } catch (IllegalArgumentException e) { // its address is too long, for instance
                    reasons.put(host.id(), String.valueOf(e.getMessage()));
                }
            }
            Set<HostId> added = Set.of();
            if (!wanted.isEmpty()) {
                HostStore.Additions outcome =
                        administration.addHosts(cluster, List.copyOf(wanted.values()));
                added = outcome.added();
                reasons.putAll(outcome.refused());
            }
            List<PoolHost> next = new ArrayList<>();
            for (PoolHost host : left) {
                String reason = reasons.get(host.id());
                if (added.contains(host.id())) {
                    refusals.clear(HOST + host.id());
                } else if (reason != null) {
                    refusals.refuse(HOST + host.id(), pool, "host " + host.name(), reason);
                } else {
                    next.add(host);
                }
            }
            left = next;
        }
        left.forEach(host ->
                refusals.refuse(
                        HOST + host.id(), pool, "host " + host.name(), "its names are taken"));
    }

    private static String name(XapiPool pool, PoolHost host, int attempt) {
        return switch (attempt) {
            case 0 -> host.name();
            case 1 -> host.name() + " of " + pool.name();
            default -> host.id().toString();
        };
    }

    /** A name that the database takes. */
    static String shortened(String name) {
        return name.length() > 255 ? name.substring(0, 255) : name;
    }
}
