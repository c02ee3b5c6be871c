package org.stillwater.monitoring;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.HostStore.StoredHost;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.Stores;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.monitoring.cluster.Clusters;
import org.stillwater.monitoring.host.HostServices;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.work.PendingWorkRegistry;

/** Reads the state of the fleet from the database when the engine starts. */
final class FleetRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(FleetRecovery.class);

    private final Stores stores;
    private final HostServices services;
    private final Clusters clusters;
    private final PendingWorkRegistry work;
    private final TagRegistry tags;

    FleetRecovery(
            Stores stores,
            HostServices services,
            Clusters clusters,
            PendingWorkRegistry work,
            TagRegistry tags) {
        this.stores = stores;
        this.services = services;
        this.clusters = clusters;
        this.work = work;
        this.tags = tags;
    }

    /**
     * Reads the database's data into memory.
     *
     * @return the hosts to watch, by id
     * @throws StoreUnavailable if the database cannot be read; may be called again
     */
    List<StoredHost> read() throws StoreUnavailable {
        clusters.recover();
        tags.recover();
        List<StoredHost> hosts = new ArrayList<>(stores.hosts().loadAll());
        services.caches().certificates().recover(stores.hosts().loadCertificates());
        hosts.removeIf(this::isOfUnknownCluster);
        stores.vms().loadAll(vm -> register(services, vm));
        stores.devices()
                .loadHashes((id, hash) -> {
                    VmManager vm = services.registry().find(id);
                    if (vm != null) {
                        vm.devices().saved(hash, 0);
                    }
                });
        stores.externalData()
                .loadHashes((id, kind, hash) -> {
                    VmManager vm = services.registry().find(id);
                    if (vm != null) {
                        vm.externalData().recovered(kind, hash);
                    }
                });
        work.recover();
        services.registry().all().forEach(this::queueMissedRestart);
        services.caches().jobs().recover(id -> services.registry().find(id) != null);
        services.audit().recover();
        hosts.sort(Comparator.comparing(host -> host.definition().id()));
        return hosts;
    }

    /**
     * Whether the cluster of a host could not be read. The meaning of the host's address depends on
     * the cluster, and so does the fence of a silent host: the engine neither connects to this host
     * nor judges it.
     */
    private boolean isOfUnknownCluster(StoredHost host) {
        ClusterId cluster = host.definition().cluster();
        if (clusters.cluster(cluster) != null) {
            return false;
        }
        LOG.warn(
                "host={} is not watched: its cluster {} cannot be read",
                host.definition().name(),
                cluster);
        return true;
    }

    /** Makes a VM known that is in the database: at start, or because a command added it. */
    static void register(HostServices services, StoredVm vm) {
        VmState state =
                new VmState(
                        vm.runtime(),
                        vm.placement(),
                        0,
                        services.clock().now(),
                        services.clock().nanoTime());
        services.registry().register(vm.id(), vm.definition(), state, services.feed()::vmAdded);
    }

    /**
     * Queues the restart of a highly available VM that is down with an error (monitoring
     * specification §5.3). If its last run was restarted before, the key of the work shows it.
     */
    private void queueMissedRestart(VmManager vm) {
        VmState state = vm.state();
        boolean failed =
                vm.definition().highlyAvailable()
                        && state.runtime().status() == VmStatus.DOWN
                        && state.runtime().exitStatus() == ExitStatus.ERROR;
        PendingWork restart =
                new PendingWork(
                        vm.id(),
                        WorkKind.HA_RESTART,
                        state.placement().run().generation(),
                        null,
                        "it was down with an error when the engine started");
        if (failed && !work.isOpen(restart.key())) {
            services.writer()
                    .changed(
                            vm.id(),
                            state.runtime(),
                            RuntimeFields.NONE,
                            state.placement(),
                            PlacementFields.NONE,
                            List.of(restart),
                            services.clock().nanoTime());
        }
    }
}
