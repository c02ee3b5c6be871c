package org.stillwater.core.report;

import org.stillwater.core.model.HostNumaNode;

/**
 * The members of what {@link HostField} calls a structure: the same table, one level down. What
 * holds for the row of the structure holds for its members.
 *
 * <p>Source: protocol specification §3.4.1, §3.4.2, §3.5.1, §3.5.3.
 */
public enum HostPartField {
    PLACE_CPU(Whole.PLACE, "cpu_id", "", "cpu"),
    PLACE_NUMA_NODE(Whole.PLACE, "numa_cell_id", "", "numaNode"),
    PLACE_SOCKET(Whole.PLACE, "socket_id", "", "socket"),
    PLACE_DIE(Whole.PLACE, "die_id", "", "die"),
    PLACE_CORE(Whole.PLACE, "core_id", "", "core"),
    IP_ADDRESS(Whole.IP, "addr", "", "address"),
    IP_NETMASK(Whole.IP, "netmask", "", "netmask"),
    IP_IPV4(Whole.IP, "ipv4addrs", "", "ipv4Addresses"),
    IP_IPV6(Whole.IP, "ipv6addrs", "", "ipv6Addresses"),
    IP_AUTOCONF(Whole.IP, "ipv6autoconf", "", "ipv6Autoconf"),
    IP_GATEWAY(Whole.IP, "gateway", "", "gateway"),
    IP_IPV6_GATEWAY(Whole.IP, "ipv6gateway", "", "ipv6Gateway"),
    IP_MTU(Whole.IP, "mtu", "B", "mtu"),
    IP_DEFAULT_ROUTE(Whole.IP, "ipv4defaultroute", "", "ipv4DefaultRoute"),
    IP_DHCPV4(Whole.IP, "dhcpv4", "", "dhcpv4"),
    IP_DHCPV6(Whole.IP, "dhcpv6", "", "dhcpv6"),
    NETWORK_IP(Whole.NETWORK, "(the addresses above)", "", "ip"),
    NETWORK_IFACE(Whole.NETWORK, "iface, else interface", "", "iface"),
    NETWORK_BRIDGED(Whole.NETWORK, "bridged", "", "bridged"),
    NETWORK_SWITCH(Whole.NETWORK, "switch", "", "switchType"),
    NETWORK_SOUTHBOUND(Whole.NETWORK, "southbound", "", "southbound"),
    NETWORK_VLAN_ID(Whole.NETWORK, "vlanid", "", "vlanId"),
    NETWORK_PORTS(Whole.NETWORK, "ports", "", "ports"),
    NETWORK_STP(Whole.NETWORK, "stp", "", "stp"),
    NETWORK_QOS(Whole.NETWORK, "hostQos", "JSON text", "hostQos"),
    CARD_IP(Whole.CARD, "(the addresses above)", "", "ip"),
    CARD_MAC(Whole.CARD, "hwaddr", "", "mac"),
    CARD_PERMANENT_MAC(Whole.CARD, "permhwaddr", "", "permanentMac"),
    CARD_SPEED(Whole.CARD, "speed", "Mbit/s", "speedMegabitsPerSecond"),
    CARD_AGGREGATOR(Whole.CARD, "ad_aggregator_id", "", "aggregator"),
    CARD_QOS(Whole.CARD, "qos", "JSON text", "qos"),
    BOND_IP(Whole.BOND, "(the addresses above)", "", "ip"),
    BOND_MAC(Whole.BOND, "hwaddr", "", "mac"),
    BOND_SLAVES(Whole.BOND, "slaves", "", "slaves"),
    BOND_ACTIVE_SLAVE(Whole.BOND, "active_slave", "", "activeSlave"),
    BOND_OPTIONS(Whole.BOND, "opts", "", "options"),
    BOND_AGGREGATOR(Whole.BOND, "ad_aggregator_id", "", "aggregator"),
    BOND_PARTNER_MAC(Whole.BOND, "ad_partner_mac", "", "partnerMac"),
    BOND_SWITCH(Whole.BOND, "switch", "", "switchType"),
    BOND_SPEED(Whole.BOND, "speed", "Mbit/s", "speedMegabitsPerSecond"),
    BOND_QOS(Whole.BOND, "qos", "JSON text", "qos"),
    VLAN_IP(Whole.VLAN, "(the addresses above)", "", "ip"),
    VLAN_PARENT(Whole.VLAN, "iface", "", "parent"),
    VLAN_ID(Whole.VLAN, "vlanid", "", "vlanId"),
    BRIDGE_IP(Whole.BRIDGE, "(the addresses above)", "", "ip"),
    BRIDGE_PORTS(Whole.BRIDGE, "ports", "", "ports"),
    BRIDGE_STP(Whole.BRIDGE, "stp", "", "stp"),
    ADAPTERS_ISCSI(Whole.ADAPTERS, "iSCSI.*.InitiatorName", "", "iscsiInitiators"),
    ADAPTERS_FIBRE_CHANNEL(Whole.ADAPTERS, "FC", "", "fibreChannel"),
    FIBRE_CHANNEL_PORT_NAME(Whole.FIBRE_CHANNEL, "wwpn", "", "portName"),
    FIBRE_CHANNEL_NODE_NAME(Whole.FIBRE_CHANNEL, "wwnn", "", "nodeName"),
    FIBRE_CHANNEL_MODEL(Whole.FIBRE_CHANNEL, "model", "", "model"),
    NUMA_INDEX(Whole.NUMA, "(its key)", "", "index"),
    NUMA_MEMORY(Whole.NUMA, "totalMemory", "MiB", "memoryMebibytes"),
    NUMA_CPUS(Whole.NUMA, "cpus", "", "cpus"),
    NUMA_DISTANCES(Whole.NUMA, "(numaNodeDistance)", "", "distances"),
    NUMA_PAGES(Whole.NUMA, "hugepages.*.totalPages", "pages", "pages"),
    CORE_CPU(Whole.CORE, "(its key)", "", "cpu"),
    CORE_NUMA_NODE(Whole.CORE, "nodeIndex", "", "numaNode"),
    CORE_USER(Whole.CORE, "cpuUser", "%", "userPercent"),
    CORE_SYSTEM(Whole.CORE, "cpuSys", "%", "systemPercent"),
    CORE_IDLE(Whole.CORE, "cpuIdle", "%", "idlePercent"),
    NUMA_NUMBERS_INDEX(Whole.NUMA_NUMBERS, "(its key)", "", "index"),
    NUMA_NUMBERS_FREE(Whole.NUMA_NUMBERS, "memFree", "MiB", "memoryFreeMebibytes"),
    NUMA_NUMBERS_USED(Whole.NUMA_NUMBERS, "memPercent", "%", "memoryUsedPercent"),
    NUMA_NUMBERS_USER(Whole.NUMA_NUMBERS, "(mean of its processors)", "%", "cpuUserPercent"),
    NUMA_NUMBERS_SYSTEM(Whole.NUMA_NUMBERS, "(mean of its processors)", "%", "cpuSystemPercent"),
    NUMA_NUMBERS_IDLE(Whole.NUMA_NUMBERS, "(mean of its processors)", "%", "cpuIdlePercent"),
    NUMA_NUMBERS_USAGE(Whole.NUMA_NUMBERS, "(user and system together)", "%", "cpuUsagePercent"),
    NUMA_NUMBERS_FREE_PAGES(Whole.NUMA_NUMBERS, "hugepages.*.freePages", "pages", "freePages"),
    PAGES_TOTAL(Whole.PAGES, "nr_hugepages", "pages", "total"),
    PAGES_FREE(Whole.PAGES, "free_hugepages", "pages", "free"),
    PAGES_FREE_FOR_VMS(Whole.PAGES, "vm.free_hugepages", "pages", "freeForVms"),
    INTERFACE_UP(Whole.INTERFACE, "state", "", "up"),
    INTERFACE_SPEED(Whole.INTERFACE, "speed", "Mbit/s", "speedMegabitsPerSecond"),
    INTERFACE_RECEIVED(Whole.INTERFACE, "rx", "B", "receivedBytes"),
    INTERFACE_SENT(Whole.INTERFACE, "tx", "B", "sentBytes"),
    INTERFACE_RECEIVE_DROPPED(Whole.INTERFACE, "rxDropped", "packets", "receiveDropped"),
    INTERFACE_SEND_DROPPED(Whole.INTERFACE, "txDropped", "packets", "sendDropped"),
    INTERFACE_SAMPLE_TIME(Whole.INTERFACE, "sampleTime", "s since epoch", "sampleTimeSeconds"),
    DOMAIN_CODE(Whole.DOMAIN, "code", "", "code"),
    DOMAIN_LAST_CHECK(Whole.DOMAIN, "lastCheck", "s", "lastCheckSeconds"),
    DOMAIN_DELAY(Whole.DOMAIN, "delay", "s", "delaySeconds"),
    DOMAIN_VALID(Whole.DOMAIN, "valid", "", "valid"),
    DOMAIN_VERSION(Whole.DOMAIN, "version", "", "version"),
    DOMAIN_ACQUIRED(Whole.DOMAIN, "acquired", "", "acquired"),
    DOMAIN_ACTUAL(Whole.DOMAIN, "actual", "", "actual"),
    PATHS_VALID(Whole.PATHS, "valid_paths", "paths", "validPaths"),
    PATHS_FAILED(Whole.PATHS, "failed_paths", "", "failedPaths"),
    V2V_STATUS(Whole.V2V, "status", "", "status"),
    V2V_DESCRIPTION(Whole.V2V, "description", "", "description"),
    V2V_PROGRESS(Whole.V2V, "progress", "%", "progressPercent");

    /** What the members belong to. */
    public enum Whole {
        PLACE("a processor", "cpuTopology.*", HostCapabilities.Cpu.Place.class),
        IP(
                "addresses",
                "networks.*, nics.*, bondings.*, vlans.*, bridges.*",
                HostNetworks.Ip.class),
        NETWORK("a network", "networks.*", HostNetworks.Network.class),
        CARD("a network card", "nics.*", HostNetworks.Nic.class),
        BOND("a bond", "bondings.*", HostNetworks.Bond.class),
        VLAN("a VLAN interface", "vlans.*", HostNetworks.Vlan.class),
        BRIDGE("a bridge", "bridges.*", HostNetworks.Bridge.class),
        ADAPTERS("host bus adapters", "HBAInventory", HostCapabilities.Adapters.class),
        FIBRE_CHANNEL(
                "a Fibre Channel port",
                "HBAInventory.FC.*",
                HostCapabilities.FibreChannelPort.class),
        NUMA("a NUMA node", "numaNodes.*", HostNumaNode.class),
        CORE("a processor's numbers", "cpuStatistics.*", HostStatistics.Core.class),
        NUMA_NUMBERS("a NUMA node's numbers", "numaNodeMemFree.*", NumaNodeStatistics.class),
        PAGES("huge pages of a size", "hugepages.*", HostStatistics.HugePages.class),
        INTERFACE("an interface's numbers", "network.*", HostStatistics.Nic.class),
        DOMAIN("a storage domain", "storageDomains.*", HostStatistics.StorageDomain.class),
        PATHS("paths to a LUN", "multipathHealth.*", HostStatistics.Multipath.class),
        V2V("a conversion", "v2vJobs.*", HostStatistics.V2vJob.class);

        private final String title;
        private final String wire;
        private final Class<? extends Record> type;

        Whole(String title, String wire, Class<? extends Record> type) {
            this.title = title;
            this.wire = wire;
            this.type = type;
        }

        /** What it is, for people. */
        public String title() {
            return title;
        }

        /** Where it stands in the answer; {@code *} is any key or element. */
        public String wire() {
            return wire;
        }

        /** What holds it. */
        public Class<? extends Record> type() {
            return type;
        }
    }

    private final Whole whole;
    private final String wire;
    private final String unit;
    private final String member;

    HostPartField(Whole whole, String wire, String unit, String member) {
        this.whole = whole;
        this.wire = wire;
        this.unit = unit;
        this.member = member;
    }

    /** What it is a part of. */
    public Whole whole() {
        return whole;
    }

    /** Where it stands in the whole; in brackets where it comes from elsewhere. */
    public String wire() {
        return wire;
    }

    /** Unit of the value, empty for none. */
    public String unit() {
        return unit;
    }

    /** Component of the whole's record. */
    public String member() {
        return member;
    }
}
