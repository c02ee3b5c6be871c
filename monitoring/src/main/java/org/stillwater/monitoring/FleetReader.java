package org.stillwater.monitoring;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cadence.Pace;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.belief.BeliefLog;
import org.stillwater.monitoring.cluster.Clusters;
import org.stillwater.monitoring.explain.Explainer;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.monitoring.history.HistoryQueries;
import org.stillwater.monitoring.history.HistoryQuery;
import org.stillwater.monitoring.host.ContestedVm;
import org.stillwater.monitoring.host.EventDelay;
import org.stillwater.monitoring.host.HostBacklog;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostProvenance;
import org.stillwater.monitoring.host.HostServices;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.host.Stall;
import org.stillwater.monitoring.job.VmJobs;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmView;

/**
 * Reads the monitored fleet from memory: hosts, VMs, clusters, statistics and history. Any thread;
 * no method locks, waits for a cycle or reads the database, except {@link #history}.
 */
public final class FleetReader {

    private final HostServices services;
    private final Clusters clusters;
    private final HistoryQueries histories;
    private final FleetChanges changes;
    private final Explainer explainer;
    private final Attention attention;
    private final TagRegistry tags;

    FleetReader(
            HostServices services,
            Clusters clusters,
            HistoryQueries histories,
            FleetChanges changes,
            Attention attention,
            TagRegistry tags) {
        this.tags = tags;
        this.attention = attention;
        this.services = services;
        this.clusters = clusters;
        this.histories = histories;
        this.changes = changes;
        this.explainer =
                new Explainer(
                        services.registry(), services.fleet(), services.writer(), services.clock());
    }

    /**
     * The last transitions of a VM, the newest first; null if there is none. May read the database.
     */
    public BeliefLog.@Nullable Past beliefs(VmId id) {
        VmManager vm = services.registry().find(id);
        return vm == null ? null : services.beliefs().of(vm);
    }

    /** The last transition of a VM up to a time; null if there is no such VM. */
    public BeliefLog.@Nullable Past beliefs(VmId id, Instant at) {
        VmManager vm = services.registry().find(id);
        return vm == null ? null : services.beliefs().at(vm, at);
    }

    /** The last transitions of a host, the newest first; null if there is none. */
    public BeliefLog.@Nullable Past beliefs(HostId id) {
        HostMonitor monitor = services.fleet().monitor(id);
        return monitor == null ? null : services.beliefs().of(id, monitor.packedBeliefs());
    }

    /** The last transition of a host up to a time; null if there is no such host. */
    public BeliefLog.@Nullable Past beliefs(HostId id, Instant at) {
        HostMonitor monitor = services.fleet().monitor(id);
        return monitor == null ? null : services.beliefs().at(id, monitor.packedBeliefs(), at);
    }

    /** Where readers announce at which hosts they look. */
    public Attention attention() {
        return attention;
    }

    /** Explains where the values of VMs and hosts come from. */
    public Explainer explainer() {
        return explainer;
    }

    /** Revision of the newest change. */
    public long revision() {
        return services.feed().revision();
    }

    /**
     * Shows whether anything that readers see has changed; each of its numbers only grows. A reader
     * that takes it before it reads misses no change.
     */
    public Generation generation() {
        return new Generation(
                services.feed().revision(),
                services.feed().refreshes(),
                services.registry().definitions(),
                clusters.changes());
    }

    /** The changes of the fleet, in order. */
    public FleetChanges changes() {
        return changes;
    }

    /** Every host, by name. */
    public List<HostView> hosts() {
        return services.fleet().all().stream()
                .map(HostMonitor::view)
                .sorted(Comparator.comparing(view -> view.state().definition().name()))
                .toList();
    }

    /** Origin of the state of every host in memory, in no order. */
    public List<HostProvenance> provenances() {
        return services.fleet().all().stream().map(HostMonitor::provenance).toList();
    }

    /**
     * Hosts with reports waiting in their mailboxes, in no order. Cheap enough for each second of a
     * fleet of thousands, most of which have none.
     */
    public List<HostBacklog> backlogs() {
        List<HostBacklog> waiting = new ArrayList<>();
        for (HostMonitor host : services.fleet().all()) {
            Long oldest = host.oldestReportNanos();
            if (oldest != null) {
                waiting.add(new HostBacklog(host.id(), host.state().definition().name(), oldest));
            }
        }
        return waiting;
    }

    /** Present work of a host's thread with its stack; null if there is no such host. */
    public @Nullable Stall work(HostId host) {
        HostMonitor monitor = services.fleet().monitor(host);
        return monitor == null ? null : monitor.work();
    }

    /** The host with this identity, or null. */
    public @Nullable HostView host(HostId id) {
        HostMonitor monitor = services.fleet().monitor(id);
        return monitor == null ? null : monitor.view();
    }

    /** The interval of a host and the reason of it; null where intervals do not adapt. */
    public @Nullable Pace pace(HostId id) {
        HostMonitor monitor = services.fleet().monitor(id);
        return monitor == null ? null : monitor.pace();
    }

    /**
     * By how much longer than twice {@code stillwater.cycle.interval} the numbers of a host and its
     * VMs are not stale, ms: 0 unless intervals adapt and this host has a longer one.
     */
    public long slackMillis(@Nullable HostId id) {
        if (id == null || !services.cadence().isOn()) {
            return 0;
        }
        HostMonitor monitor = services.fleet().monitor(id);
        return monitor == null ? 0 : monitor.slack().toMillis();
    }

    /** The host with this name, or null. */
    public @Nullable HostView hostNamed(String name) {
        HostMonitor monitor = services.fleet().named(name);
        return monitor == null ? null : monitor.view();
    }

    /** The health of the monitoring of every host, by the host's name. */
    public List<HostHealth> hostHealth() {
        return services.fleet().all().stream()
                .map(HostMonitor::health)
                .sorted(Comparator.comparing(health -> health.definition().name()))
                .toList();
    }

    /** Time between two statistics cycles of a host. */
    public Duration cycle() {
        return services.settings().interval();
    }

    /** How late the events of a host arrive; none of a host that is not watched. */
    public EventDelay eventDelay(HostId host) {
        HostMonitor monitor = services.fleet().monitor(host);
        return monitor == null ? EventDelay.NONE : monitor.eventDelay();
    }

    /** The VMs of other hosts that a host reports as running, by id. */
    public List<ContestedVm> contested(HostId id) {
        HostMonitor monitor = services.fleet().monitor(id);
        return monitor == null ? List.of() : monitor.contested();
    }

    /** The hosts that report a VM for which another host is responsible. */
    public List<ContestedVm> contested(VmId id) {
        VmManager vm = services.registry().find(id);
        return vm == null ? List.of() : HostMonitor.contested(vm);
    }

    /** Every VM, in no order. */
    public Stream<VmView> vms() {
        return services.registry().all().map(VmManager::view);
    }

    /** The VM with this identity, or null. */
    public @Nullable VmView vm(VmId id) {
        VmManager vm = services.registry().find(id);
        return vm == null ? null : vm.view();
    }

    /** Whether a VM belongs to a pool that a hypervisor manages by itself. */
    public boolean isOfPool(VmId id) {
        VmView vm = vm(id);
        return vm != null && hypervisor(vm.definition().cluster()) == Hypervisor.XAPI;
    }

    /** Software that manages the hosts of a cluster; that of most for an unknown cluster. */
    public Hypervisor hypervisor(ClusterId id) {
        Cluster cluster = cluster(id);
        return cluster == null ? Hypervisor.VDSM : cluster.hypervisor();
    }

    /** Number of VMs. */
    public int vmCount() {
        return services.registry().size();
    }

    /** Number of VMs with one of these statuses, without a pass over the VMs. */
    public int vmCount(Set<VmStatus> statuses) {
        return services.registry().size(statuses);
    }

    /** Numbers of VMs by status, without a pass over the VMs. */
    public Map<VmStatus, Integer> vmsByStatus() {
        return services.registry().byStatus();
    }

    /** Every VM, in no order, for readers of many of them; must not be changed. */
    public List<? extends VmReading> readings() {
        return services.registry().readings();
    }

    /** The VMs that a host is responsible for, as of now. */
    public List<VmReading> readingsOn(HostId host) {
        List<VmReading> all = new ArrayList<>();
        services.registry().on(host).forEach(all::add);
        return all;
    }

    /** The VM with this identity for readers of many, or null. */
    public @Nullable VmReading reading(VmId id) {
        return services.registry().find(id);
    }

    /** A VM's statistics; null if the VM is unknown or no poll has brought statistics yet. */
    public @Nullable VmStatisticsView statistics(VmId id) {
        VmManager vm = services.registry().find(id);
        return vm == null ? null : vm.statistics().view();
    }

    /** The NUMA nodes of its host that hold a VM's memory; null if its host does not report it. */
    public @Nullable List<VmNumaNode> numa(VmId id) {
        return services.caches().numa().of(id);
    }

    /** Jobs on VMs, for readers and for commands that start jobs. */
    public VmJobs jobs() {
        return services.caches().jobs();
    }

    /** Every cluster and data centre, and the hosts of each. */
    public Clusters clusters() {
        return clusters;
    }

    /** Tags, and which VMs and hosts have them. */
    public TagRegistry tags() {
        return tags;
    }

    /** The cluster with this identity, or null. */
    public @Nullable Cluster cluster(ClusterId id) {
        return clusters.cluster(id);
    }

    /**
     * The compatibility version of a VM's cluster; null if the VM is unknown, or if its cluster
     * requires none.
     */
    public @Nullable CompatibilityVersion compatibilityVersion(VmId id) {
        VmManager vm = services.registry().find(id);
        Cluster cluster = vm == null ? null : clusters.cluster(vm.definition().cluster());
        return cluster == null ? null : cluster.requirements().version();
    }

    /**
     * History of a VM or host; empty for an unknown one. Blocks only if memory does not suffice.
     *
     * @throws HistoryQueries.Refused if the query exceeds a limit or is empty
     * @throws StoreUnavailable if memory has no data of the range and the database does not answer
     *     now
     */
    public HistoryAnswer history(HistoryQuery query)
            throws HistoryQueries.Refused, StoreUnavailable {
        return histories.answer(query);
    }
}
