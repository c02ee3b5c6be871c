package org.stillwater.ovirt.fleet;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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
import org.stillwater.core.store.DefinitionStore.Definition;
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

    private final FleetReader fleet;
    private final AuditReader events;
    private final CommandReader commands;
    private final Specifications specifications;
    private final TagRegistry tags;
    private final EngineClock clock;
    private final AtomicLong steps = new AtomicLong();
    private final Consumer<Operation> follower;
    private final BiConsumer<VmId, Definition> definitions;
    private final VmNameOrder order;

    /** The fleet of one engine. */
    public EngineFleet(
            FleetReader fleet,
            AuditReader events,
            CommandReader commands,
            Specifications specifications,
            TagRegistry tags,
            EngineClock clock) {
        this.fleet = fleet;
        this.order = new VmNameOrder(fleet);
        this.events = events;
        this.commands = commands;
        this.specifications = specifications;
        this.tags = tags;
        this.clock = clock;
        this.follower = _ -> steps.incrementAndGet();
        this.definitions = specifications::recorded;
        commands.follow(follower);
        commands.followDefinitions(definitions);
    }

    @Override
    public void close() {
        commands.unfollow(follower);
        commands.unfollowDefinitions(definitions);
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
                commands.poolChanges(),
                commands.affinityChanges());
    }

    @Override
    public List<VmId> vms() {
        return order.ids();
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
        return commands.running(vm);
    }

    @Override
    public Instant created(VmId id) {
        return specifications.created(id);
    }

    @Override
    public int priority(VmId id) {
        return commands.priority(id);
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
        return commands.operations();
    }

    @Override
    public @Nullable Operation operation(UUID id) {
        return commands.operation(id);
    }

    @Override
    public List<VmPool> pools() {
        return commands.pools();
    }

    @Override
    public @Nullable VmPool poolOf(VmId id) {
        return commands.poolOf(id);
    }

    @Override
    public TagRegistry tags() {
        return tags;
    }

    @Override
    public List<AffinityGroup> affinityGroups() {
        return commands.affinityGroups();
    }
}
