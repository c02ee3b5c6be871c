package org.stillwater.server.xapi;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.cluster.Saving;

/** Adds the clusters that pools are. Blocks while the database is written. Thread-safe. */
final class PoolClusters {

    private static final Logger log = LoggerFactory.getLogger(PoolClusters.class);

    private final FleetReader fleet;
    private final HostAdministration administration;

    PoolClusters(FleetReader fleet, HostAdministration administration) {
        this.fleet = fleet;
        this.administration = administration;
    }

    /**
     * Adds the cluster of a pool if it is not there.
     *
     * @param pool name of the pool in this engine
     * @param label its name in XAPI
     * @return whether it was added
     * @throws StoreUnavailable if the database cannot be written now
     * @throws IllegalStateException if it cannot be added, with the reason
     */
    boolean ensure(ClusterId id, String pool, String label) throws StoreUnavailable {
        if (fleet.cluster(id) != null) {
            return false;
        }
        for (String name : List.of(pool, pool + " " + id)) {
            Saving saving =
                    administration.addCluster(
                            new Cluster(
                                    id,
                                    DataCentreId.DEFAULT,
                                    PoolHostKeeping.shortened(name),
                                    label,
                                    HostRequirements.NONE,
                                    MigrateOnError.NONE,
                                    new FencingPolicy(false, null, false),
                                    MemoryThresholds.DEFAULT,
                                    Hypervisor.XAPI));
            if (saving == Saving.SAVED) {
                log.info("pool={} is the cluster {}", pool, id);
                return true;
            }
            if (saving != Saving.NAME_TAKEN) {
                throw new IllegalStateException(
                        "the cluster of pool " + pool + " is not added: " + saving);
            }
        }
        throw new IllegalStateException("the names of pool " + pool + " are taken");
    }
}
