package org.stillwater.monitoring.explain;

import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.host.Fleet;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.write.BatchWriter;

/**
 * Explains where the values of VMs and hosts come from. Thread-safe; it reads only memory, takes no
 * lock of a VM, and has no cost between requests.
 */
public final class Explainer {

    private final VmRegistry registry;
    private final Fleet fleet;
    private final BatchWriter writer;
    private final EngineClock clock;

    /** An explainer of this fleet. */
    public Explainer(VmRegistry registry, Fleet fleet, BatchWriter writer, EngineClock clock) {
        this.registry = registry;
        this.fleet = fleet;
        this.writer = writer;
        this.clock = clock;
    }

    /**
     * An explanation of all values of a VM or host.
     *
     * @param at the moment
     * @param groups the values by group
     */
    public record Explained(Instant at, List<GroupExplanation> groups) {
        public Explained {
            groups = List.copyOf(groups);
        }

        /** Whether any value in memory is older than it should be. */
        public boolean stale() {
            return groups.stream().anyMatch(GroupExplanation::stale);
        }
    }

    /**
     * Explains a VM; null if there is none.
     *
     * @param detailed hosts of which the reader may know why they are silent
     */
    public @Nullable Explained vm(VmId id, Predicate<HostId> detailed) {
        VmManager vm = registry.find(id);
        if (vm == null) {
            return null;
        }
        Moment moment = Moment.of(clock);
        return new Explained(
                moment.now(), new VmExplainer(fleet, writer, vm, moment, detailed).groups());
    }

    /** Explains a host; null if there is none. */
    public @Nullable Explained host(HostId id) {
        HostMonitor monitor = fleet.monitor(id);
        if (monitor == null) {
            return null;
        }
        Moment moment = Moment.of(clock);
        return new Explained(moment.now(), new HostExplainer(writer, monitor, moment).groups());
    }
}
