package org.stillwater.server.api.rows;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.EnumNames;
import org.stillwater.server.api.web.Ids;

/** Resolves the hosts, clusters and hypervisors that a filter names. */
public final class FilterReferences {

    private static final Map<String, Hypervisor> HYPERVISORS =
            EnumNames.of(Hypervisor.values(), Hypervisor::label);

    private FilterReferences() {}

    /**
     * The hosts that a filter names by id or name.
     *
     * @throws ApiException 404 for a host that does not exist; a host that the caller may not see
     *     is answered in the same words
     */
    public static Set<HostId> hosts(FleetReader fleet, Caller caller, String text) {
        Set<HostId> wanted = new HashSet<>();
        for (String word : FilterText.words(text)) {
            HostView host = host(fleet, word);
            if (host == null || !caller.has(Role.READER, host.state().definition().cluster())) {
                throw ApiException.notFound("There is no host " + Ids.shortened(word) + ".");
            }
            wanted.add(host.state().definition().id());
        }
        return wanted;
    }

    private static @Nullable HostView host(FleetReader fleet, String word) {
        HostView named = fleet.hostNamed(word);
        return named == null && Ids.isId(word) ? fleet.host(Ids.host(word)) : named;
    }

    /**
     * The clusters that a filter names by id or name.
     *
     * @throws ApiException 404 for a cluster that does not exist; a cluster that the caller may not
     *     see is answered in the same words
     */
    public static Set<ClusterId> clusters(FleetReader fleet, Caller caller, String text) {
        Set<ClusterId> wanted = new HashSet<>();
        for (String word : FilterText.words(text)) {
            wanted.add(
                    fleet.clusters().clusters().stream()
                            .filter(cluster -> isNamed(cluster, word))
                            .map(Cluster::id)
                            .filter(id -> caller.has(Role.READER, id))
                            .findFirst()
                            .orElseThrow(() ->
                                    ApiException.notFound(
                                            "There is no cluster " + Ids.shortened(word) + ".")));
        }
        return wanted;
    }

    /**
     * The hypervisors that a filter names.
     *
     * @throws ApiException 400 for another word
     */
    public static Set<Hypervisor> hypervisors(String text) {
        Set<Hypervisor> wanted = EnumSet.noneOf(Hypervisor.class);
        for (String word : FilterText.words(text)) {
            wanted.add(FilterText.word(HYPERVISORS, "hypervisor", word));
        }
        return wanted;
    }

    private static boolean isNamed(Cluster cluster, String word) {
        return word.equals(cluster.name()) || word.equalsIgnoreCase(cluster.id().toString());
    }
}
