package org.stillwater.server.xapi;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.server.xapi.EngineInventory.Removal;

/**
 * Removes the hosts and VMs of pools that are watched no longer, in pieces of {@value #PIECE} VMs.
 * Doing it again changes nothing. One thread at a time; blocks while the database is written.
 */
final class PoolRemover {

    private static final Logger log = LoggerFactory.getLogger(PoolRemover.class);

    /** VMs that one step removes. */
    static final int PIECE = 200;

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final PoolKeeping keeping;
    private final FleetReader fleet;
    private final HostAdministration administration;
    private final VmCommandAccess vms;
    private final DefinitionStore definitions;

    /** What is left to do. */
    enum Step {
        /** The next piece. */
        MORE,
        /** Nothing until rows of the pool are written. */
        WAITS,
        /** Nothing. */
        DONE
    }

    PoolRemover(
            PoolKeeping keeping,
            FleetReader fleet,
            HostAdministration administration,
            VmCommandAccess vms,
            DefinitionStore definitions) {
        this.keeping = keeping;
        this.fleet = fleet;
        this.administration = administration;
        this.vms = vms;
        this.definitions = definitions;
    }

    /**
     * Removes the next piece.
     *
     * @throws StoreUnavailable if the database cannot be written now; what was removed stays so
     * @throws IllegalStateException if a host cannot be removed, with the reason
     */
    Step step(Removal removal) throws StoreUnavailable, InterruptedException {
        ClusterId cluster = removal.cluster();
        keeping.takeOutcomes();
        if (keeping.isWriting(cluster)) {
            return Step.WAITS; // a row that is written later would stay without its VM
        }
        List<VmId> piece =
                fleet.vms()
                        .filter(vm -> vm.definition().cluster().equals(cluster))
                        .map(vm -> vm.id())
                        .limit(PIECE)
                        .toList();
        for (VmId vm : piece) {
            boolean _ = definitions.remove(vm);
            boolean _ = vms.forget(vm);
        }
        if (!piece.isEmpty()) {
            return Step.MORE;
        }
        for (HostId host : fleet.clusters().hosts(cluster)) {
            remove(host);
        }
        keeping.forget(removal.pool());
        log.info("pool={} hosts and VMs removed", removal.pool());
        return Step.DONE;
    }

    private void remove(HostId host) throws StoreUnavailable, InterruptedException {
        OrderAnswer answer;
        try {
            answer = administration.removeHostOfPool(host, PATIENCE);
        } catch (TimeoutException e) {
            throw new IllegalStateException("the monitor of host " + host + " is busy", e);
        }
        if (answer instanceof OrderAnswer.Refused refused) {
            throw new IllegalStateException(
                    "host %s is not removed: %s".formatted(host, refused.why()));
        }
    }
}
