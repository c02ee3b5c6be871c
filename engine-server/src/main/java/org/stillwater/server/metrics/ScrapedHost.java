package org.stillwater.server.metrics;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostStatistics.HugePages;
import org.stillwater.monitoring.host.HostView;

/**
 * A host as one scrape sees it.
 *
 * @param view everything known of it
 * @param cluster name of its cluster
 * @param current whether its statistics are known and not stale, also of a host that is drained or
 *     non-operational, which the engine polls; a host without has no series of them
 * @param nics its interfaces
 */
record ScrapedHost(HostView view, String cluster, boolean current, List<Nic> nics) {

    /** An interface; its MAC address is null if the host did not report it. */
    record Nic(String name, @Nullable String mac, HostNicUsage usage) {}

    static ScrapedHost of(HostView view, String cluster, long nowMillis, long staleMillis) {
        Instant at = view.statisticsAt();
        return new ScrapedHost(
                view,
                cluster,
                view.state().status().isInContact()
                        && at != null
                        && nowMillis - at.toEpochMilli() <= staleMillis,
                view.usage().nics().entrySet().stream()
                        .map(nic ->
                                new Nic(
                                        nic.getKey(),
                                        mac(view.state().capabilities(), nic.getKey()),
                                        nic.getValue()))
                        .toList());
    }

    private static @Nullable String mac(@Nullable HostCapabilities capabilities, String name) {
        if (capabilities == null) {
            return null;
        }
        HostNetworks.Nic nic = capabilities.network().nics().get(name);
        if (nic != null) {
            return nic.mac();
        }
        HostNetworks.Bond bond = capabilities.network().bonds().get(name);
        return bond == null ? null : bond.mac();
    }

    HostStatus status() {
        return view.state().status();
    }

    /** When its statistics arrived, ms since the epoch; 0 without any. */
    long statisticsMillis() {
        Instant at = view.statisticsAt();
        return at == null ? 0 : at.toEpochMilli();
    }

    /** Physical memory in bytes, NaN if the host did not report it. */
    double physicalBytes() {
        HostCapabilities capabilities = view.state().capabilities();
        return capabilities == null
                ? Double.NaN
                : HostFamilyGroup.bytes(capabilities.memory().physicalMebibytes());
    }

    /** Static huge pages by size in KiB; empty without statistics. */
    Map<String, HugePages> hugePages() {
        HostStatistics statistics = view.statistics();
        return statistics == null ? Map.of() : statistics.memory().hugePages();
    }
}
