package org.stillwater.monitoring;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.Samples;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.cadence.CadenceControl;
import org.stillwater.monitoring.history.durable.HistorySource;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;

/** Values in memory that history samples; a read delays neither a cycle nor a writer. */
final class FleetHistory implements HistorySource {

    private final VmRegistry registry;
    private final WatchedHosts hosts;
    private final CadenceControl cadence;

    FleetHistory(VmRegistry registry, WatchedHosts hosts, CadenceControl cadence) {
        this.cadence = cadence;
        this.registry = registry;
        this.hosts = hosts;
    }

    @Override
    public int vmCount() {
        return registry.size();
    }

    @Override
    public void vms(Visitor visitor) {
        double[] values = new double[HistoryMetric.of(Subject.VM).size()];
        registry.all()
                .forEach(vm -> {
                    VmId id = vm.id();
                    long observed = vm.statistics().history(values);
                    visitor.look(
                            id.mostSignificantBits(),
                            id.leastSignificantBits(),
                            observed + slack(vm.state().placement().runOn(), observed),
                            values);
                });
    }

    @Override
    public void hosts(Visitor visitor) {
        double[] values = new double[HistoryMetric.of(Subject.HOST).size()];
        for (HostMonitor host : hosts.all()) {
            UUID id = host.id().value();
            long observed = host.numbers().history(values);
            visitor.look(
                    id.getMostSignificantBits(),
                    id.getLeastSignificantBits(),
                    observed + slack(host.id(), observed),
                    values);
        }
    }

    /**
     * The numbers of a host with a long interval count for longer, as if they had been observed
     * later.
     */
    private long slack(@Nullable HostId id, long observed) {
        HostMonitor host =
                id == null || observed == 0 || !cadence.isOn() ? null : hosts.monitor(id);
        return host == null ? 0 : host.slack().toMillis();
    }

    /** The samples in memory of one VM or host; null if there are none. */
    @Nullable Samples recent(Subject subject, UUID id) {
        return switch (subject) {
            case VM -> {
                VmManager vm = registry.find(VmId.of(id));
                yield vm == null ? null : vm.statistics().recent();
            }
            case HOST -> {
                HostMonitor host = hosts.monitor(new HostId(id));
                yield host == null ? null : host.numbers().recent();
            }
        };
    }
}
