package org.stillwater.vdsm.wire;

/** Members of networks and interfaces in {@code Host.getCapabilities} (§3.4.1, §3.4.2). */
public final class NetworkField {
    public static final String ADDR = "addr";
    public static final String NETMASK = "netmask";
    public static final String IPV4_ADDRS = "ipv4addrs";
    public static final String IPV6_ADDRS = "ipv6addrs";
    public static final String IPV6_AUTOCONF = "ipv6autoconf";
    public static final String GATEWAY = "gateway";
    public static final String IPV6_GATEWAY = "ipv6gateway";
    public static final String MTU = "mtu";
    public static final String IPV4_DEFAULT_ROUTE = "ipv4defaultroute";
    public static final String DHCPV4 = "dhcpv4";
    public static final String DHCPV6 = "dhcpv6";
    public static final String IFACE = "iface";
    public static final String INTERFACE = "interface";
    public static final String BRIDGED = "bridged";
    public static final String SWITCH = "switch";
    public static final String SOUTHBOUND = "southbound";
    public static final String VLAN_ID = "vlanid";
    public static final String PORTS = "ports";
    public static final String STP = "stp";
    public static final String HOST_QOS = "hostQos";
    public static final String QOS = "qos";
    public static final String HWADDR = "hwaddr";
    public static final String PERM_HWADDR = "permhwaddr";
    public static final String SPEED = "speed";
    public static final String AD_AGGREGATOR_ID = "ad_aggregator_id";
    public static final String AD_PARTNER_MAC = "ad_partner_mac";
    public static final String SLAVES = "slaves";
    public static final String ACTIVE_SLAVE = "active_slave";
    public static final String OPTS = "opts";

    private NetworkField() {}
}
