package org.stillwater.core.analysis.host;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;

/**
 * Which interfaces of a host should carry its cluster's required networks and do not (monitoring
 * specification §3.3, "NIC down").
 *
 * <p>As with {@link ClusterFitness}, unknown is not down: an interface that the host does not
 * report, or a network that it does not have, does not count. {@link ClusterFitness} covers missing
 * networks.
 */
public final class RequiredInterfaces {

    private RequiredInterfaces() {}

    /**
     * Names of the cards and bonds beneath required networks that are not up. For a VLAN the
     * interface beneath counts; a bond is down when it reports so, or when all of its cards are
     * down.
     */
    public static Set<String> down(
            HostCapabilities capabilities, HostStatistics statistics, Cluster cluster) {
        HostNetworks host = capabilities.network();
        Set<String> down = new TreeSet<>();
        for (ClusterNetwork network : cluster.requirements().networks()) {
            HostNetworks.Network there = host.networks().get(network.name());
            String base = there == null || !network.required() ? null : base(there, host);
            if (base != null && isDown(base, host, statistics)) {
                down.add(base);
            }
        }
        return down;
    }

    /** The card or bond beneath a network; null if it is not known. */
    private static @Nullable String base(HostNetworks.Network network, HostNetworks host) {
        String beneath = network.southbound() == null ? network.iface() : network.southbound();
        HostNetworks.Vlan vlan = beneath == null ? null : host.vlans().get(beneath);
        return vlan == null ? beneath : vlan.parent();
    }

    private static boolean isDown(String base, HostNetworks host, HostStatistics statistics) {
        if (saysDown(base, statistics)) {
            return true;
        }
        HostNetworks.Bond bond = host.bonds().get(base);
        List<String> cards = bond == null ? List.of() : bond.slaves();
        return !cards.isEmpty() && cards.stream().allMatch(card -> saysDown(card, statistics));
    }

    private static boolean saysDown(String name, HostStatistics statistics) {
        HostStatistics.Nic nic = statistics.nics().get(name);
        return nic != null && Boolean.FALSE.equals(nic.up());
    }
}
