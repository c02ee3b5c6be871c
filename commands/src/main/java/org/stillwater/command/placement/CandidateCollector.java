package org.stillwater.command.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.OperationRegistry;
import org.stillwater.command.definition.Definitions;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.schedule.HostCandidate;
import org.stillwater.core.schedule.HostLoad;
import org.stillwater.core.schedule.HostOffer;
import org.stillwater.core.schedule.PlacementDecision;
import org.stillwater.core.schedule.PlacementRequest;
import org.stillwater.core.schedule.Scheduler;
import org.stillwater.core.schedule.SchedulingPolicy;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;

/**
 * Collects the candidates for the scheduler from memory: the hosts, and the resources promised to
 * their VMs and to VMs on the way. Used by the deciding thread only.
 */
public final class CandidateCollector {

    private final FleetReader fleet;
    private final VmCommandAccess vmAccess;
    private final Definitions definitions;
    private final OperationRegistry registry;
    private final SchedulingPolicy policy;
    private final Map<HostId, Offered> offers = new HashMap<>();

    /** Offer of a host, and the capabilities that it was read from. */
    private record Offered(HostCapabilities of, HostOffer offer) {}

    /**
     * An operation that needs a host.
     *
     * @param task the operation
     * @param specification how its VM is defined; that of a VM without devices if it is not known
     */
    public record Need(VmTask task, VmSpecification specification) {}

    public CandidateCollector(
            FleetReader fleet,
            VmCommandAccess vmAccess,
            Definitions definitions,
            OperationRegistry registry,
            SchedulingPolicy policy) {
        this.fleet = fleet;
        this.vmAccess = vmAccess;
        this.definitions = definitions;
        this.registry = registry;
        this.policy = policy;
    }

    /** One pass for all; VMs that are gone are left out. */
    public List<PlacementDecision> place(List<Need> needs) {
        List<PlacementRequest> requests = new ArrayList<>(needs.size());
        Set<VmId> wanted = new HashSet<>();
        Set<ClusterId> clusters = new HashSet<>();
        for (Need need : needs) {
            PlacementRequest request = request(need);
            if (request != null && wanted.add(request.vm())) {
                requests.add(request);
                clusters.add(request.cluster());
            }
        }
        List<AffinityGroup> groups = definitions.groupsOf(wanted);
        return Scheduler.place(requests, candidates(clusters, groups), groups, policy);
    }

    private @Nullable PlacementRequest request(Need need) {
        Operation operation = need.task().operation();
        VmId id = operation.vm();
        VmView vm = id == null ? null : fleet.vm(id);
        if (vm == null) {
            return null;
        }
        Cluster cluster = fleet.cluster(vm.definition().cluster());
        PlacementRequest request =
                PlacementRequest.of(
                                vm.id(),
                                definitions.asItRuns(vm),
                                cluster == null ? HostRequirements.NONE : cluster.requirements(),
                                need.specification())
                        .withPriority(definitions.priority(vm.id()));
        Set<HostId> excluded = new HashSet<>(operation.tried());
        HostId runOn = vm.state().placement().runOn();
        if (operation.kind() == OperationKind.MIGRATE && runOn != null) {
            request = request.leaving(runOn);
        } else if (runOn != null) {
            excluded.add(runOn); // its state there is unknown
        }
        HostId pinned =
                switch (operation.parameters()) {
                    case OperationParameters.Run run -> run.host();
                    case OperationParameters.Migrate migrate -> migrate.host();
                    default -> null;
                };
        request = request.excluding(excluded);
        return pinned == null ? request : request.pinnedTo(Set.of(pinned));
    }

    /** Resources promised to VMs on their way to a host. */
    private static final class Pending {
        long mebibytes;
        int cpus;
        int vms;
        final Set<VmId> members = new HashSet<>();
        final Set<VmId> counted = new HashSet<>();
    }

    private List<HostCandidate> candidates(Set<ClusterId> clusters, List<AffinityGroup> groups) {
        Set<VmId> grouped = new HashSet<>();
        groups.forEach(group -> grouped.addAll(group.members()));
        Map<HostId, Pending> pending = pending(grouped);
        Map<HostId, Pending> unlike = unlike();
        List<HostCandidate> candidates = new ArrayList<>();
        Set<HostId> present = new HashSet<>();
        for (HostView host : fleet.hosts()) {
            HostState state = host.state();
            HostId id = state.definition().id();
            present.add(id);
            if (!clusters.contains(state.definition().cluster())) {
                continue;
            }
            VmCommandAccess.Promised there = vmAccess.promised(id, grouped);
            Pending coming = pending.getOrDefault(id, new Pending());
            for (VmId launching : there.launching()) {
                add(launching, coming, grouped);
            }
            Pending more = unlike.getOrDefault(id, new Pending());
            Set<VmId> members = new HashSet<>(there.members());
            members.addAll(coming.members);
            Long free =
                    host.statistics() == null ? null : host.statistics().memory().freeMebibytes();
            candidates.add(
                    new HostCandidate(
                            id,
                            state.definition().name(),
                            state.status(),
                            state.definition().cluster(),
                            state.status() == HostStatus.PREPARING_FOR_MAINTENANCE,
                            offer(id, state.capabilities()),
                            new HostLoad(
                                    free,
                                    Math.max(0, there.mebibytes() + more.mebibytes),
                                    coming.mebibytes,
                                    Math.max(0, there.cpus() + more.cpus),
                                    coming.cpus,
                                    there.vms() + coming.vms,
                                    host.usage().cpuPercent()),
                            members));
        }
        offers.keySet().retainAll(present);
        return candidates;
    }

    /**
     * Difference between VMs' resources and their present definitions, because those were changed
     * since they began to run.
     */
    private Map<HostId, Pending> unlike() {
        Map<HostId, Pending> unlike = new HashMap<>();
        for (VmId id : definitions.changedInRun()) {
            VmView vm = fleet.vm(id);
            HostId host = vm == null ? null : vm.state().placement().runOn();
            if (vm == null || host == null || !vmAccess.countsOn(id, host)) {
                continue;
            }
            VmStatic runs = definitions.asItRuns(vm);
            VmStatic stored = vm.definition();
            Pending more = unlike.computeIfAbsent(host, _ -> new Pending());
            more.mebibytes +=
                    runs.memoryWithOverheadMebibytes() - stored.memoryWithOverheadMebibytes();
            more.cpus += runs.cpus() - stored.cpus();
        }
        return unlike;
    }

    /** VMs that have a host chosen but are not counted there yet. */
    private Map<HostId, Pending> pending(Set<VmId> grouped) {
        Map<HostId, Pending> pending = new HashMap<>();
        for (VmTask task : registry.open()) {
            Operation operation = task.operation();
            HostId target = operation.target();
            VmId id = operation.vm();
            if (target == null || id == null || !operation.kind().isPlaced()) {
                continue;
            }
            VmView vm = fleet.vm(id);
            if (vm == null || vmAccess.countsOn(id, target)) {
                continue;
            }
            add(id, pending.computeIfAbsent(target, _ -> new Pending()), grouped);
        }
        return pending;
    }

    /** Adds a VM, once. */
    private void add(VmId id, Pending coming, Set<VmId> grouped) {
        VmView vm = fleet.vm(id);
        if (vm == null || !coming.counted.add(id)) {
            return;
        }
        VmStatic definition = definitions.asItRuns(vm);
        coming.mebibytes += definition.memoryWithOverheadMebibytes();
        coming.cpus += definition.cpus();
        coming.vms++;
        if (grouped.contains(id)) {
            coming.members.add(id);
        }
    }

    private HostOffer offer(HostId id, @Nullable HostCapabilities capabilities) {
        if (capabilities == null) {
            return new HostOffer(0, 0, 0, Set.of(), Set.of(), Set.of());
        }
        Offered known = offers.get(id);
        if (known == null || !known.of().equals(capabilities)) {
            known = new Offered(capabilities, HostOffer.of(capabilities));
            offers.put(id, known);
        }
        return known.offer();
    }

    /** Whether a host of the VM's cluster may soon be up, of which it is not known yet. */
    public boolean mayComeUp(VmId id) {
        VmView vm = fleet.vm(id);
        return vm != null && vmAccess.anyHostComing(vm.definition().cluster());
    }
}
