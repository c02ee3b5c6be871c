package org.stillwater.ovirt.fleet;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.audit.AuditReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.VmView;

/** The fleet as monitoring and commands know it. Thread-safe. */
public final class EngineFleet implements Fleet, AutoCloseable {

    private static final Comparator<VmView> BY_NAME =
            Comparator.comparing((VmView vm) -> vm.definition().name()).thenComparing(VmView::id);

    private final FleetReader fleet;
    private final AuditReader events;
    private final @Nullable CommandEngine commands;
    private final @Nullable PoolKeeper keeper;
    private final Specifications specifications;
    private final TagRegistry tags;
    private final EngineClock clock;
    private final AtomicLong steps = new AtomicLong();
    private final Consumer<Operation> follower;
    private volatile Order order = new Order(-1, List.of());

    /** Identities by name, as of a number of changes of definitions. */
    private record Order(long definitions, List<VmId> ids) {}

    /**
     * The fleet of one engine.
     *
     * @param commands null where the engine only watches
     * @param keeper null where the engine only watches
     */
    public EngineFleet(
            FleetReader fleet,
            AuditReader events,
            @Nullable CommandEngine commands,
            @Nullable PoolKeeper keeper,
            Specifications specifications,
            TagRegistry tags,
            EngineClock clock) {
        this.fleet = fleet;
        this.events = events;
        this.commands = commands;
        this.keeper = keeper;
        this.specifications = specifications;
        this.tags = tags;
        this.clock = clock;
        this.follower =
                operation -> {
                    steps.incrementAndGet();
                    specifications.accept(operation);
                };
        if (commands != null) {
            commands.follow(follower);
        }
    }

    @Override
    public void close() {
        if (commands != null) {
            commands.unfollow(follower);
        }
        specifications.close();
    }

    @Override
    public Instant now() {
        return clock.now();
    }

    @Override
    public Generation generation() {
        var seen = fleet.generation();
        return new Generation(
                seen.revision(),
                seen.statistics(),
                seen.definitions() + specifications.changes() + tags.changes(),
                seen.clusters(),
                steps.get(),
                pooled());
    }

    /** Pools are replaced as a whole, so other objects mean other contents. */
    private long pooled() {
        long digest = 0;
        if (keeper != null) {
            for (VmPool pool : keeper.pools()) {
                digest += System.identityHashCode(pool) * 0x9E3779B97F4A7C15L;
            }
        }
        return digest;
    }

    @Override
    public List<VmId> vms() {
        Order known = order;
        long definitions = fleet.generation().definitions();
        if (known.definitions() != definitions) {
            known = new Order(definitions, fleet.vms().sorted(BY_NAME).map(VmView::id).toList());
            order = known;
        }
        return known.ids();
    }

    @Override
    public @Nullable VmView vm(VmId id) {
        return fleet.vm(id);
    }

    @Override
    public @Nullable VmStatisticsView statistics(VmId id) {
        return fleet.statistics(id);
    }

    @Override
    public @Nullable VmSpecification specification(VmId id) {
        return specifications.of(id);
    }

    @Override
    public @Nullable RunDefinition running(VmView vm) {
        return commands == null ? null : commands.definitions().running(vm.id(), vm.state());
    }

    @Override
    public Instant created(VmId id) {
        return specifications.created(id);
    }

    @Override
    public int priority(VmId id) {
        return commands == null ? 0 : commands.definitions().priority(id);
    }

    @Override
    public @Nullable UUID lease(VmId id) {
        return specifications.lease(id);
    }

    @Override
    public List<VmNumaNode> numa(VmId id) {
        return Objects.requireNonNullElse(fleet.numa(id), List.<VmNumaNode>of());
    }

    @Override
    public List<HostView> hosts() {
        return fleet.hosts();
    }

    @Override
    public @Nullable HostView host(HostId id) {
        return fleet.host(id);
    }

    @Override
    public List<FenceAgent> fenceAgents(HostId id) {
        return specifications.agents().of(id);
    }

    @Override
    public List<Cluster> clusters() {
        return fleet.clusters().clusters();
    }

    @Override
    public @Nullable Cluster cluster(ClusterId id) {
        return fleet.cluster(id);
    }

    @Override
    public List<DataCentre> dataCentres() {
        return fleet.clusters().dataCentres();
    }

    @Override
    public List<AuditEntry> events() {
        return events.recent();
    }

    @Override
    public List<Operation> operations() {
        return commands == null ? List.of() : commands.operations(_ -> true);
    }

    @Override
    public @Nullable Operation operation(UUID id) {
        return commands == null ? null : commands.operation(id);
    }

    @Override
    public List<VmPool> pools() {
        return keeper == null
                ? List.of()
                : keeper.pools().stream().sorted(Comparator.comparing(VmPool::name)).toList();
    }

    @Override
    public @Nullable VmPool poolOf(VmId id) {
        return keeper == null ? null : keeper.poolOf(id);
    }

    @Override
    public TagRegistry tags() {
        return tags;
    }

    @Override
    public List<AffinityGroup> affinityGroups() {
        return commands == null
                ? List.of()
                : commands.definitions().groups().stream()
                        .sorted(Comparator.comparing(AffinityGroup::name))
                        .toList();
    }
}
