package org.stillwater.server.xapi;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.xapi.host.PoolHost;
import org.stillwater.xapi.host.XapiPool;

/**
 * Makes the engine's inventory that of a pool: its cluster, its hosts with their service, its VMs
 * with their definitions, and the states of VMs without a reporting host. Doing it again changes
 * nothing. One thread at a time; blocks while the database is written.
 *
 * <p>A pool that is read for the first time costs one transaction for its cluster and one for its
 * hosts. Its VMs become known in pieces without any wait for the database: the pool keeps the truth
 * about them, so a row that is lost with this process is made again. The rows follow by the writer.
 * A VM that the database refuses is forgotten again and named; from then on it becomes known only
 * after its row.
 */
public final class PoolKeeping {

    private final FleetReader fleet;
    private final PoolClusters clusters;
    private final HostEnablement enablement;
    private final PoolTags tags;
    private final PoolRefusals refusals = new PoolRefusals();
    private final PoolHostKeeping hosts;
    private final PoolVmKeeping vms;

    /**
     * Keeps pools' clusters, hosts and VMs in this engine.
     *
     * @param mostTags different tags of one pool that are shown; 0 for none
     */
    public PoolKeeping(
            FleetReader fleet,
            HostAdministration administration,
            VmCommandAccess vms,
            VmStore store,
            DefinitionStore definitions,
            EngineClock clock,
            int mostTags) {
        this.fleet = fleet;
        this.clusters = new PoolClusters(fleet, administration);
        this.enablement = new HostEnablement(fleet, administration);
        this.tags = new PoolTags(fleet, mostTags);
        this.hosts = new PoolHostKeeping(fleet, administration, refusals);
        this.vms = new PoolVmKeeping(vms, store, definitions, refusals, clock);
    }

    /** Objects of pools that could not be taken over, each as a sentence. Any thread. */
    public List<String> refused() {
        return Stream.concat(refusals.sentences(), tags.leftOut().stream()).sorted().toList();
    }

    /**
     * Takes over the pool's changes.
     *
     * @throws StoreUnavailable if the database cannot be written now; nothing is lost then
     */
    public void keep(XapiPool pool) throws StoreUnavailable {
        ClusterId cluster = pool.cluster();
        if (cluster == null) {
            return;
        }
        vms.takeOutcomes();
        Set<VmId> touched = new HashSet<>(pool.takeTouched());
        touched.addAll(vms.hostless(pool));
        boolean done = false;
        try {
            boolean _ = clusters.ensure(cluster, pool.name(), pool.label());
            hosts.keep(pool, cluster);
            for (PoolHost host : pool.hosts()) {
                enablement.follow(pool, host);
            }
            if (!pool.isReady()) {
                fleet.vms()
                        .filter(vm -> vm.definition().cluster().equals(cluster))
                        .forEach(vm -> touched.add(vm.id()));
            }
            vms.keep(pool, cluster, touched);
            tags.keep(pool, cluster, touched);
            done = true;
        } finally {
            if (!done) {
                pool.touchAgain(touched);
            }
        }
        pool.ready();
    }

    /** A VM moves in its pool: the engine expects it on the other host. */
    public void moving(VmId vm, HostId from, HostId to) {
        vms.moving(vm, from, to);
    }

    /** Takes results of written rows. */
    void takeOutcomes() {
        vms.takeOutcomes();
    }

    /** Whether rows of VMs of a cluster are still to be written. */
    boolean isWriting(ClusterId cluster) {
        return vms.isWriting(cluster);
    }

    /** A pool is watched no longer, and its hosts and VMs are gone. */
    void forget(String pool) {
        refusals.forget(pool);
        tags.forget(pool);
        vms.forgetPool(pool);
    }
}
