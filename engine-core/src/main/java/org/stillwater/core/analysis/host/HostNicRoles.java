package org.stillwater.core.analysis.host;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.HostNetworks;

/**
 * Roles of a host's interfaces. Computed once per change of capabilities. Immutable.
 *
 * <p>The host's network usage counts cards and bonds: a VLAN's traffic is its parent's, a bond's is
 * that of its cards, and a bridge has no speed of its own. An interface is used if it carries a
 * network: the card or bond beneath the network, and the cards of such a bond.
 */
public final class HostNicRoles {

    /** No interfaces. */
    public static final HostNicRoles NONE = new HostNicRoles(Map.of());

    /**
     * Role of an interface.
     *
     * @param counted whether it counts for the host's usage
     * @param used whether a network needs it
     * @param bond the bond that it is part of, null for none
     */
    record Role(boolean counted, boolean used, @Nullable String bond) {}

    private static final Role NO_ROLE = new Role(false, false, null);

    private final Map<String, Role> roles;

    private HostNicRoles(Map<String, Role> roles) {
        this.roles = Map.copyOf(roles);
    }

    /** Roles by a host's report of its networks. */
    public static HostNicRoles of(HostNetworks networks) {
        Set<String> carriers = new HashSet<>();
        for (HostNetworks.Network network : networks.networks().values()) {
            String beneath = network.southbound() == null ? network.iface() : network.southbound();
            HostNetworks.Vlan vlan = beneath == null ? null : networks.vlans().get(beneath);
            String carrier = vlan == null ? beneath : vlan.parent();
            if (carrier != null) {
                carriers.add(carrier);
            }
        }
        Map<String, Role> roles = new HashMap<>();
        networks.bonds()
                .forEach((bond, members) -> {
                    roles.put(bond, new Role(true, carriers.contains(bond), null));
                    members.slaves()
                            .forEach(slave ->
                                    roles.put(
                                            slave, new Role(false, carriers.contains(bond), bond)));
                });
        networks.nics()
                .keySet()
                .forEach(card ->
                        roles.putIfAbsent(card, new Role(true, carriers.contains(card), null)));
        return new HostNicRoles(roles);
    }

    Role of(String nic) {
        return roles.getOrDefault(nic, NO_ROLE);
    }
}
