package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostNetworks.Ip;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;

class RequiredInterfacesTest {

    private static final Cluster CLUSTER =
            Cluster.DEFAULT.with(
                    new HostRequirements(
                            null,
                            null,
                            null,
                            List.of(),
                            null,
                            Set.of(),
                            Set.of(),
                            null,
                            false,
                            true,
                            List.of(
                                    new ClusterNetwork("management", true, true),
                                    new ClusterNetwork("storage", true, false),
                                    new ClusterNetwork("guests", false, true))));

    /** Management on a VLAN of a bond of two cards, storage on a card, guests on another. */
    private static HostValues host() {
        return new HostValues()
                .put(
                        HostField.NETWORKS,
                        Map.of(
                                "management", network("management", "bond0.100"),
                                "storage", network("ens2", null),
                                "guests", network("guests", "ens3"),
                                "private", network("private", "ens4")))
                .put(
                        HostField.VLANS,
                        Map.of("bond0.100", new HostNetworks.Vlan(Ip.NONE, "bond0", 100)))
                .put(HostField.BONDS, Map.of("bond0", bond("ens0", "ens1")));
    }

    private static HostNetworks.Network network(String iface, @Nullable String southbound) {
        return new HostNetworks.Network(
                Ip.NONE, iface, southbound != null, null, southbound, null, List.of(), null, null);
    }

    private static HostNetworks.Bond bond(String... cards) {
        return new HostNetworks.Bond(
                Ip.NONE, null, List.of(cards), null, Map.of(), null, null, null, null, null);
    }

    private static Set<String> down(HostValues host, @Nullable Object... namesAndStates) {
        Map<String, HostStatistics.Nic> nics = new HashMap<>();
        for (int i = 0; i < namesAndStates.length; i += 2) {
            nics.put(
                    String.valueOf(namesAndStates[i]),
                    new HostStatistics.Nic(
                            (Boolean) namesAndStates[i + 1], null, null, null, null, null, null));
        }
        return RequiredInterfaces.down(
                host.capabilities(),
                new HostValues().put(HostField.INTERFACES, nics).statistics(),
                CLUSTER);
    }

    @Test
    void interfacesThatAreUpAreNotNamed() {
        assertThat(down(host(), "bond0", true, "ens0", true, "ens1", true, "ens2", true)).isEmpty();
    }

    @Test
    void onlyRequiredNetworksCount() {
        assertThat(down(host(), "ens2", false, "ens3", false, "ens4", false))
                .containsExactly("ens2");
    }

    @Test
    void aBondIsDownByItsReportOrWithAllItsCards() {
        assertThat(down(host(), "bond0", false)).containsExactly("bond0");
        assertThat(down(host(), "bond0", true, "ens0", false, "ens1", false))
                .containsExactly("bond0");
        assertThat(down(host(), "bond0", true, "ens0", false, "ens1", true)).isEmpty();
    }

    @Test
    void unknownIsNotDown() {
        assertThat(down(host())).isEmpty();
        assertThat(down(host(), "ens2", null, "bond0", null, "ens0", false, "ens1", null))
                .isEmpty();
        assertThat(down(new HostValues(), "ens2", false)).isEmpty();
        assertThat(down(host().put(HostField.VLANS, Map.of("bond0.100", orphan())), "bond0", false))
                .as("what the VLAN lies on is not said")
                .isEmpty();
    }

    private static HostNetworks.Vlan orphan() {
        return new HostNetworks.Vlan(Ip.NONE, null, 100);
    }
}
