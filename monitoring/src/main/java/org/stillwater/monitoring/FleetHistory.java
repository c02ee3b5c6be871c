package org.stillwater.monitoring;

import java.util.Collection;
import java.util.UUID;
import java.util.function.Supplier;
import org.stillwater.core.model.HistoryMetric;
import org.stillwater.core.model.HistoryMetric.Subject;
import org.stillwater.core.model.VmId;
import org.stillwater.monitoring.history.durable.HistorySource;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.vm.VmRegistry;

/** What history samples, as memory holds it: reading it delays neither a cycle nor a writer. */
final class FleetHistory implements HistorySource {

    private final VmRegistry registry;
    private final Supplier<? extends Collection<HostMonitor>> hosts;

    FleetHistory(VmRegistry registry, Supplier<? extends Collection<HostMonitor>> hosts) {
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
                            id.mostSignificantBits(), id.leastSignificantBits(), observed, values);
                });
    }

    @Override
    public void hosts(Visitor visitor) {
        double[] values = new double[HistoryMetric.of(Subject.HOST).size()];
        for (HostMonitor host : hosts.get()) {
            UUID id = host.id().value();
            long observed = host.numbers().history(values);
            visitor.look(
                    id.getMostSignificantBits(), id.getLeastSignificantBits(), observed, values);
        }
    }
}
