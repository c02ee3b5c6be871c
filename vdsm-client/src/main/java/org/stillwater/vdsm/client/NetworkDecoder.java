package org.stillwater.vdsm.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.vdsm.wire.NetworkField;

/**
 * Decodes one network or interface of a host's capabilities (protocol page §3.4.1, §3.4.2). For one
 * object and one thread.
 */
final class NetworkDecoder {

    private final HostReader reader;

    private @Nullable String address;
    private @Nullable String netmask;
    private List<String> ipv4Addresses = List.of();
    private List<String> ipv6Addresses = List.of();
    private @Nullable Boolean ipv6Autoconf;
    private @Nullable String gateway;
    private @Nullable String ipv6Gateway;
    private @Nullable Integer mtu;
    private @Nullable Boolean ipv4DefaultRoute;
    private @Nullable Boolean dhcpv4;
    private @Nullable Boolean dhcpv6;
    private @Nullable String iface;
    private @Nullable String unbridged;
    private @Nullable Boolean bridged;
    private @Nullable String switchType;
    private @Nullable String southbound;
    private @Nullable Integer vlanId;
    private List<String> ports = List.of();
    private @Nullable Boolean stp;
    private @Nullable String qos;
    private @Nullable String mac;
    private @Nullable String permanentMac;
    private @Nullable Integer speed;
    private @Nullable Integer aggregator;
    private @Nullable String partnerMac;
    private List<String> slaves = List.of();
    private @Nullable String activeSlave;
    private Map<String, String> options = Map.of();

    private NetworkDecoder(HostReader reader) {
        this.reader = reader;
        reader.members(this::member);
    }

    private void member(String name) {
        switch (name) {
            case NetworkField.ADDR -> address = reader.textOrNone();
            case NetworkField.NETMASK -> netmask = reader.textOrNone();
            case NetworkField.IPV4_ADDRS -> ipv4Addresses = reader.texts();
            case NetworkField.IPV6_ADDRS -> ipv6Addresses = reader.texts();
            case NetworkField.IPV6_AUTOCONF -> ipv6Autoconf = reader.truth();
            case NetworkField.GATEWAY -> gateway = reader.textOrNone();
            case NetworkField.IPV6_GATEWAY -> ipv6Gateway = reader.textOrNone();
            case NetworkField.MTU -> mtu = reader.integer();
            case NetworkField.IPV4_DEFAULT_ROUTE -> ipv4DefaultRoute = reader.truth();
            case NetworkField.DHCPV4 -> dhcpv4 = reader.truth();
            case NetworkField.DHCPV6 -> dhcpv6 = reader.truth();
            case NetworkField.IFACE -> iface = reader.textOrNone();
            case NetworkField.INTERFACE -> unbridged = reader.textOrNone();
            case NetworkField.BRIDGED -> bridged = reader.truth();
            case NetworkField.SWITCH -> switchType = reader.textOrNone();
            case NetworkField.SOUTHBOUND -> southbound = reader.textOrNone();
            case NetworkField.VLAN_ID -> vlanId = reader.integer();
            case NetworkField.PORTS -> ports = reader.texts();
            case NetworkField.STP -> stp = onOrOff(reader.text());
            case NetworkField.HOST_QOS, NetworkField.QOS -> qos = reader.json();
            case NetworkField.HWADDR -> mac = reader.textOrNone();
            case NetworkField.PERM_HWADDR -> permanentMac = reader.textOrNone();
            case NetworkField.SPEED -> speed = reader.integer();
            case NetworkField.AD_AGGREGATOR_ID -> aggregator = reader.integer();
            case NetworkField.AD_PARTNER_MAC -> partnerMac = reader.textOrNone();
            case NetworkField.SLAVES -> slaves = reader.texts();
            case NetworkField.ACTIVE_SLAVE -> activeSlave = reader.textOrNone();
            case NetworkField.OPTS -> options = reader.map(reader::textOrJson);
            default -> reader.skip();
        }
    }

    /** {@code on}, {@code off}, or a truth in any other form. */
    private static @Nullable Boolean onOrOff(@Nullable String text) {
        return text == null ? null : (Boolean) (text.equals("on") || text.equals("true"));
    }

    private HostNetworks.Ip ip() {
        return new HostNetworks.Ip(
                address,
                netmask,
                ipv4Addresses,
                ipv6Addresses,
                ipv6Autoconf,
                gateway,
                ipv6Gateway,
                mtu,
                ipv4DefaultRoute,
                dhcpv4,
                dhcpv6);
    }

    /** Null, counted, for what is no object. */
    private static @Nullable NetworkDecoder read(HostReader reader) {
        if (!reader.isObject()) {
            reader.skipMisfit();
            return null;
        }
        return new NetworkDecoder(reader);
    }

    static HostNetworks.@Nullable Network network(HostReader reader) {
        NetworkDecoder read = read(reader);
        return read == null
                ? null
                : new HostNetworks.Network(
                        read.ip(),
                        read.iface == null ? read.unbridged : read.iface,
                        read.bridged,
                        read.switchType,
                        read.southbound,
                        read.vlanId,
                        read.ports,
                        read.stp,
                        read.qos);
    }

    static HostNetworks.@Nullable Nic nic(HostReader reader) {
        NetworkDecoder read = read(reader);
        return read == null
                ? null
                : new HostNetworks.Nic(
                        read.ip(),
                        read.mac,
                        read.permanentMac,
                        read.speed,
                        read.aggregator,
                        read.qos);
    }

    static HostNetworks.@Nullable Bond bond(HostReader reader) {
        NetworkDecoder read = read(reader);
        return read == null
                ? null
                : new HostNetworks.Bond(
                        read.ip(),
                        read.mac,
                        read.slaves,
                        read.activeSlave,
                        read.options,
                        read.aggregator,
                        read.partnerMac,
                        read.switchType,
                        read.speed,
                        read.qos);
    }

    static HostNetworks.@Nullable Vlan vlan(HostReader reader) {
        NetworkDecoder read = read(reader);
        return read == null ? null : new HostNetworks.Vlan(read.ip(), read.iface, read.vlanId);
    }

    static HostNetworks.@Nullable Bridge bridge(HostReader reader) {
        NetworkDecoder read = read(reader);
        return read == null ? null : new HostNetworks.Bridge(read.ip(), read.ports, read.stp);
    }
}
