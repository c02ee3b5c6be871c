package org.stillwater.server.metrics;

import static org.stillwater.server.metrics.Exposition.Kind.COUNTER;
import static org.stillwater.server.metrics.Exposition.Kind.GAUGE;

import java.io.IOException;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;

/** Families of hosts and their interfaces. A value that a host did not report is NaN. */
class HostFamilyGroup extends FamilyGroup<ScrapedHost> {

    HostFamilyGroup(String prefix, Labels<ScrapedHost> labels) {
        super(prefix, labels, ScrapedHost::current);
    }

    /** A number that the host's processors have. */
    final void cpu(String name, String help, ToDoubleFunction<HostCapabilities.Cpu> value) {
        gauge(
                name,
                help,
                host -> {
                    HostCapabilities capabilities = host.view().state().capabilities();
                    return capabilities == null
                            ? Double.NaN
                            : value.applyAsDouble(capabilities.cpu());
                });
    }

    /** A current number of the host's statistics. */
    final void statistic(String name, String help, ToDoubleFunction<HostStatistics> value) {
        current(
                name,
                help,
                host -> {
                    HostStatistics statistics = host.view().statistics();
                    return statistics == null ? Double.NaN : value.applyAsDouble(statistics);
                });
    }

    private void nic(
            String name, Exposition.Kind kind, String help, ToDoubleFunction<HostNicUsage> value) {
        parts(
                name,
                kind,
                help,
                host -> host.nics().size(),
                HostFamilyGroup::nicLabels,
                (host, nic) -> value.applyAsDouble(host.nics().get(nic).usage()));
    }

    final void nicCounter(String name, String help, ToDoubleFunction<HostNicUsage> value) {
        nic(name, COUNTER, help, value);
    }

    final void nicGauge(String name, String help, ToDoubleFunction<HostNicUsage> value) {
        nic(name, GAUGE, help, value);
    }

    private static Exposition nicLabels(Exposition sample, ScrapedHost host, int nic)
            throws IOException {
        ScrapedHost.Nic one = host.nics().get(nic);
        return sample.label(Label.NIC, one.name()).label(Label.MAC, one.mac());
    }

    /** A number that a host may not have reported: NaN instead of null. */
    static double number(@Nullable Number reported) {
        return reported == null ? Double.NaN : reported.doubleValue();
    }

    static double ratio(@Nullable Number percent) {
        return number(percent) * (1 / PERCENT);
    }

    static double bytes(@Nullable Number mebibytes) {
        return number(mebibytes) * MEBIBYTE;
    }

    /** Hertz of MHz, or bit/s of Mbit/s. */
    static double mega(@Nullable Number millions) {
        return number(millions) * MEGA;
    }
}
