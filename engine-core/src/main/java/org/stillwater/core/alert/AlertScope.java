package org.stillwater.core.alert;

import java.util.Collections;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which objects a rule watches. An object must match each set that is not empty.
 *
 * @param clusters ids of clusters
 * @param tags names of tags, of which an object has one at least
 * @param vms ids of VMs
 * @param hosts ids of hosts; VMs are watched while they run there
 * @param storageDomains ids of storage domains; disks are watched while they are there
 */
public record AlertScope(
        Set<UUID> clusters,
        Set<String> tags,
        Set<UUID> vms,
        Set<UUID> hosts,
        Set<UUID> storageDomains) {

    /** Everything. */
    public static final AlertScope ALL = new AlertScope(Set.of(), Set.of(), Set.of(), Set.of());

    private static final int MOST = 1_000;

    public AlertScope {
        clusters = Set.copyOf(clusters);
        tags = Set.copyOf(tags);
        vms = Set.copyOf(vms);
        hosts = Set.copyOf(hosts);
        storageDomains = Set.copyOf(storageDomains);
        if (clusters.size() > MOST
                || tags.size() > MOST
                || vms.size() > MOST
                || hosts.size() > MOST
                || storageDomains.size() > MOST) {
            throw new IllegalArgumentException("scope has at most " + MOST + " names of a kind");
        }
    }

    /** A scope of any storage domain. */
    public AlertScope(Set<UUID> clusters, Set<String> tags, Set<UUID> vms, Set<UUID> hosts) {
        this(clusters, tags, vms, hosts, Set.of());
    }

    /** Whether everything is watched. */
    public boolean isAll() {
        return clusters.isEmpty()
                && tags.isEmpty()
                && vms.isEmpty()
                && hosts.isEmpty()
                && storageDomains.isEmpty();
    }

    /** Whether objects on a storage domain are watched; null where it is not known. */
    public boolean coversDomain(@Nullable UUID domain) {
        return matches(storageDomains, domain);
    }

    /** Whether an object is watched, on any storage domain; null where it has or knows none. */
    public boolean covers(
            @Nullable UUID cluster, @Nullable UUID vm, @Nullable UUID host, Set<String> itsTags) {
        return matches(clusters, cluster)
                && matches(vms, vm)
                && matches(hosts, host)
                && (tags.isEmpty() || !Collections.disjoint(tags, itsTags));
    }

    private static boolean matches(Set<UUID> wanted, @Nullable UUID id) {
        return wanted.isEmpty() || (id != null && wanted.contains(id));
    }
}
