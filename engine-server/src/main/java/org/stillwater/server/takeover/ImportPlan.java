package org.stillwater.server.takeover;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.stillwater.core.access.User;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.DefinitionStore.Definition;

/**
 * Objects that this engine takes over from another one, with the identities that they have there.
 * Its lists do not change after its creation.
 *
 * @param product name and version of the other engine
 * @param dataCentres data centres
 * @param clusters clusters
 * @param hosts hosts
 * @param agents fence agents of hosts, without passwords: no engine reveals them
 * @param vms VMs, by identity
 * @param groups affinity groups
 * @param pools pools with their VMs
 * @param tags tags, each after the one above it
 * @param taggedVms VMs of each tag
 * @param taggedHosts hosts of each tag
 * @param users users with their grants, without passwords
 * @param losses data that is not taken over
 */
public record ImportPlan(
        String product,
        List<DataCentre> dataCentres,
        List<Cluster> clusters,
        List<HostDefinition> hosts,
        Map<HostId, List<FenceAgent>> agents,
        Map<VmId, Definition> vms,
        List<AffinityGroup> groups,
        List<VmPool> pools,
        List<Tag> tags,
        Map<UUID, Set<VmId>> taggedVms,
        Map<UUID, Set<HostId>> taggedHosts,
        List<User> users,
        List<Loss> losses) {

    /** Numbers of objects taken over, one a line. */
    public String summary() {
        return """
        data centres    %d
        clusters        %d
        hosts           %d, %d of them with fence agents
        VMs             %d
        affinity groups %d
        pools           %d
        tags            %d
        users           %d
        """
                .formatted(
                        dataCentres.size(),
                        clusters.size(),
                        hosts.size(),
                        agents.size(),
                        vms.size(),
                        groups.size(),
                        pools.size(),
                        tags.size(),
                        users.size());
    }
}
