package org.stillwater.core.report;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Wire;

/**
 * A host's networks and interfaces (protocol specification §3.4.1, §3.4.2), each by name. Null or
 * empty stands for "not reported".
 *
 * @param networks logical networks that are attached
 * @param nics network cards
 * @param bonds bonds of network cards
 * @param vlans VLAN interfaces
 * @param bridges bridges
 * @param nameServers addresses of DNS servers
 * @param ovnConfigured whether the host takes part in software-defined networks
 * @param configurationDirty whether the configuration in force is not the saved one
 * @param engineInterface interface through which the engine is connected
 * @param openstackBindingHostIds names of the host for external network providers, by kind
 */
public record HostNetworks(
        Map<String, Network> networks,
        Map<String, Nic> nics,
        Map<String, Bond> bonds,
        Map<String, Vlan> vlans,
        Map<String, Bridge> bridges,
        List<String> nameServers,
        @Nullable Boolean ovnConfigured,
        @Nullable Boolean configurationDirty,
        @Nullable String engineInterface,
        Map<String, String> openstackBindingHostIds) {

    public HostNetworks {
        networks = Sorted.copyOf(networks);
        nics = Sorted.copyOf(nics);
        bonds = Sorted.copyOf(bonds);
        vlans = Sorted.copyOf(vlans);
        bridges = Sorted.copyOf(bridges);
        nameServers = List.copyOf(nameServers);
        openstackBindingHostIds = Sorted.copyOf(openstackBindingHostIds);
    }

    /** Names of all interfaces: cards, bonds, VLANs and bridges. */
    public Set<String> interfaces() {
        Set<String> names = new HashSet<>(nics.keySet());
        names.addAll(bonds.keySet());
        names.addAll(vlans.keySet());
        names.addAll(bridges.keySet());
        return names;
    }

    /** The bond that a network card is part of, null for none. */
    public @Nullable String bondOf(String nic) {
        for (Map.Entry<String, Bond> bond : bonds.entrySet()) {
            if (bond.getValue().slaves().contains(nic)) {
                return bond.getKey();
            }
        }
        return null;
    }

    /**
     * Addresses of an interface or network.
     *
     * @param address IPv4 address, null for none
     * @param netmask of the IPv4 address
     * @param ipv4Addresses with prefix length
     * @param ipv6Addresses with prefix length
     * @param ipv6Autoconf whether IPv6 configures itself
     * @param gateway IPv4 gateway, null for none
     * @param ipv6Gateway {@code ::} for none
     * @param mtu bytes
     * @param ipv4DefaultRoute whether the IPv4 default route goes here
     * @param dhcpv4 whether DHCP gives the IPv4 address
     * @param dhcpv6 whether DHCP gives the IPv6 address
     */
    public record Ip(
            @Wire("addr") @Nullable String address,
            @Wire("netmask") @Nullable String netmask,
            @Wire("ipv4addrs") List<String> ipv4Addresses,
            @Wire("ipv6addrs") List<String> ipv6Addresses,
            @Wire("ipv6autoconf") @Nullable Boolean ipv6Autoconf,
            @Wire("gateway") @Nullable String gateway,
            @Wire("ipv6gateway") @Nullable String ipv6Gateway,
            @Wire(value = "mtu", unit = "B") @Nullable Integer mtu,
            @Wire("ipv4defaultroute") @Nullable Boolean ipv4DefaultRoute,
            @Wire("dhcpv4") @Nullable Boolean dhcpv4,
            @Wire("dhcpv6") @Nullable Boolean dhcpv6) {

        /** Nothing reported. */
        public static final Ip NONE =
                new Ip(null, null, List.of(), List.of(), null, null, null, null, null, null, null);

        public Ip {
            ipv4Addresses = List.copyOf(ipv4Addresses);
            ipv6Addresses = List.copyOf(ipv6Addresses);
        }
    }

    /**
     * A logical network that is attached to the host.
     *
     * @param ip addresses
     * @param iface interface that carries it: its bridge, or the interface itself
     * @param bridged whether VMs may use it
     * @param switchType {@code legacy} or {@code ovs}
     * @param southbound interface beneath it: card, bond or VLAN; null for none
     * @param vlanId VLAN tag, null for none
     * @param ports ports of its bridge; empty when it has none
     * @param stp whether its bridge speaks the spanning-tree protocol; null when it has none
     * @param hostQos quality-of-service limits of the host, as JSON text
     */
    public record Network(
            @Wire("(the addresses above)") Ip ip,
            @Wire({"iface", "interface"}) @Nullable String iface,
            @Wire("bridged") @Nullable Boolean bridged,
            @Wire("switch") @Nullable String switchType,
            @Wire("southbound") @Nullable String southbound,
            @Wire("vlanid") @Nullable Integer vlanId,
            @Wire("ports") List<String> ports,
            @Wire(value = "stp", form = Wire.Form.ON_OFF) @Nullable Boolean stp,
            @Wire(value = "hostQos", unit = "JSON text", form = Wire.Form.JSON)
                    @Nullable String hostQos) {

        public Network {
            ports = List.copyOf(ports);
        }
    }

    /**
     * A network card.
     *
     * @param ip addresses
     * @param mac current MAC address
     * @param permanentMac MAC address of the hardware; reported for members of bonds only
     * @param speedMegabitsPerSecond speed of the link, 0 while it is down
     * @param aggregator number of its link aggregation group, null for none
     * @param qos quality-of-service limits, as JSON text
     */
    public record Nic(
            @Wire("(the addresses above)") Ip ip,
            @Wire("hwaddr") @Nullable String mac,
            @Wire("permhwaddr") @Nullable String permanentMac,
            @Wire(value = "speed", unit = "Mbit/s") @Nullable Integer speedMegabitsPerSecond,
            @Wire("ad_aggregator_id") @Nullable Integer aggregator,
            @Wire(value = "qos", unit = "JSON text", form = Wire.Form.JSON) @Nullable String qos) {}

    /**
     * Several network cards used as one.
     *
     * @param ip addresses
     * @param mac MAC address
     * @param slaves its network cards
     * @param activeSlave the card in use, null where all are
     * @param options mode and the like
     * @param aggregator number of its link aggregation group, null for none
     * @param partnerMac MAC address of the switch at the other end, null for none
     * @param switchType {@code legacy} or {@code ovs}
     * @param speedMegabitsPerSecond speed of the link; rarely reported
     * @param qos quality-of-service limits, as JSON text
     */
    public record Bond(
            @Wire("(the addresses above)") Ip ip,
            @Wire("hwaddr") @Nullable String mac,
            @Wire("slaves") List<String> slaves,
            @Wire("active_slave") @Nullable String activeSlave,
            @Wire("opts") Map<String, String> options,
            @Wire("ad_aggregator_id") @Nullable Integer aggregator,
            @Wire("ad_partner_mac") @Nullable String partnerMac,
            @Wire("switch") @Nullable String switchType,
            @Wire(value = "speed", unit = "Mbit/s") @Nullable Integer speedMegabitsPerSecond,
            @Wire(value = "qos", unit = "JSON text", form = Wire.Form.JSON) @Nullable String qos) {

        public Bond {
            slaves = List.copyOf(slaves);
            options = Sorted.copyOf(options);
        }
    }

    /**
     * A VLAN interface.
     *
     * @param ip addresses
     * @param parent card or bond beneath it
     * @param vlanId its tag
     */
    public record Vlan(
            @Wire("(the addresses above)") Ip ip,
            @Wire("iface") @Nullable String parent,
            @Wire("vlanid") @Nullable Integer vlanId) {}

    /**
     * A bridge.
     *
     * @param ip addresses
     * @param ports its ports, interfaces of VMs included
     * @param stp whether it speaks the spanning-tree protocol
     */
    public record Bridge(
            @Wire("(the addresses above)") Ip ip,
            @Wire("ports") List<String> ports,
            @Wire(value = "stp", form = Wire.Form.ON_OFF) @Nullable Boolean stp) {

        public Bridge {
            ports = List.copyOf(ports);
        }
    }
}
