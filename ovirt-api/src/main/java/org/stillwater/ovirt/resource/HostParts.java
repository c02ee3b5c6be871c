package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.NumaNodeStatistics;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.HostNic;
import org.stillwater.ovirt.model.Ip;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Mac;
import org.stillwater.ovirt.model.Property;
import org.stillwater.ovirt.model.Reference;
import org.stillwater.ovirt.resource.Resource.At;

/** Collections of hosts: interfaces and NUMA nodes (chapter 3.4). */
final class HostParts {

    private static final long BITS_PER_MEGABIT = 1_000_000;

    private HostParts() {}

    /**
     * An interface of a host: card, bond or VLAN.
     *
     * @param host host of the card
     * @param name its name
     * @param ip its addresses
     * @param mac its MAC address, null if unknown
     * @param speed MBit/s, null if unknown
     * @param vlan its tag, null for none
     * @param base the interface beneath a VLAN, null for none
     * @param bond parts of a bond, null if it is no bond
     * @param network name of the network that it carries, null for none
     * @param bridged whether VMs may use that
     * @param usage its traffic, null if unknown
     */
    record Card(
            HostView host,
            String name,
            HostNetworks.Ip ip,
            @Nullable String mac,
            @Nullable Integer speed,
            @Nullable Integer vlan,
            @Nullable String base,
            HostNetworks.@Nullable Bond bond,
            @Nullable String network,
            boolean bridged,
            @Nullable HostNicUsage usage) {

        String id() {
            return id(host, name);
        }

        static String id(HostView host, String name) {
            return Uuids.of("host_nic", host.state().definition().id().toString(), name);
        }
    }

    /**
     * Fence agent that switches a host's power.
     *
     * @param host host with this agent
     * @param id identity
     * @param order which of them is tried when, from 1 on
     * @param agent the agent
     */
    record Switch(HostView host, String id, int order, FenceAgent agent) {}

    /** Only an administrator of everything sees the devices that switch hosts. */
    static List<Switch> switches(Scope scope, HostView host) {
        if (scope.filtered()) {
            return List.of();
        }
        HostId id = host.state().definition().id();
        List<FenceAgent> agents = scope.fleet().fenceAgents(id);
        List<Switch> switches = new ArrayList<>(agents.size());
        for (int i = 0; i < agents.size(); i++) {
            switches.add(
                    new Switch(host, FenceAgentIdentity.of(id, agents, i), i + 1, agents.get(i)));
        }
        return switches;
    }

    static Object told(Scope scope, At<HostView, Switch> at) {
        FenceAgent agent = at.item().agent();
        return new org.stillwater.ovirt.model.FenceAgent(
                at.item().id(),
                at.href(),
                agent.address(),
                agent.options().isEmpty()
                        ? null
                        : Listing.of(
                                "option",
                                agent.options().entrySet().stream()
                                        .map(each -> new Property(each.getKey(), each.getValue()))
                                        .toList()),
                at.item().order(),
                agent.port(),
                agent.type(),
                agent.user(),
                scope.reference(Kind.HOST, at.item().host().state().definition().id().toString()));
    }

    static List<Card> cards(HostView host) {
        Map<String, Card> cards = new TreeMap<>();
        Map<String, HostNicUsage> usage = host.usage().nics();
        HostCapabilities capabilities = host.state().capabilities();
        if (capabilities == null) {
            usage.forEach((name, each) -> cards.put(name, unexplained(host, name, each)));
            return List.copyOf(cards.values());
        }
        HostNetworks networks = capabilities.network();
        Map<String, String> carried = new HashMap<>();
        networks.networks()
                .forEach((name, network) -> {
                    String beneath =
                            network.southbound() != null ? network.southbound() : network.iface();
                    if (beneath != null) {
                        carried.put(beneath, name);
                    }
                });
        networks.nics()
                .forEach((name, nic) ->
                        cards.put(
                                name,
                                new Card(
                                        host,
                                        name,
                                        nic.ip(),
                                        nic.mac(),
                                        nic.speedMegabitsPerSecond(),
                                        null,
                                        null,
                                        null,
                                        carried.get(name),
                                        bridged(networks, carried.get(name)),
                                        usage.get(name))));
        networks.bonds()
                .forEach((name, bond) ->
                        cards.put(
                                name,
                                new Card(
                                        host,
                                        name,
                                        bond.ip(),
                                        bond.mac(),
                                        bond.speedMegabitsPerSecond(),
                                        null,
                                        null,
                                        bond,
                                        carried.get(name),
                                        bridged(networks, carried.get(name)),
                                        usage.get(name))));
        networks.vlans()
                .forEach((name, vlan) ->
                        cards.put(
                                name,
                                new Card(
                                        host,
                                        name,
                                        vlan.ip(),
                                        macOf(networks, vlan.parent()),
                                        null,
                                        vlan.vlanId(),
                                        vlan.parent(),
                                        null,
                                        carried.get(name),
                                        bridged(networks, carried.get(name)),
                                        usage.get(name))));
        return List.copyOf(cards.values());
    }

    private static Card unexplained(HostView host, String name, HostNicUsage usage) {
        return new Card(
                host, name, HostNetworks.Ip.NONE, null, null, null, null, null, null, false, usage);
    }

    private static @Nullable String macOf(HostNetworks networks, @Nullable String name) {
        if (name == null) {
            return null;
        }
        HostNetworks.Nic nic = networks.nics().get(name);
        HostNetworks.Bond bond = networks.bonds().get(name);
        return nic != null ? nic.mac() : bond != null ? bond.mac() : null;
    }

    private static boolean bridged(HostNetworks networks, @Nullable String network) {
        HostNetworks.Network found = network == null ? null : networks.networks().get(network);
        return found != null && Boolean.TRUE.equals(found.bridged());
    }

    /** Interfaces. */
    static final class Nics extends Resource<HostView, Card> {
        Nics() {
            super(Kind.HOST_NIC);
        }

        @Override
        List<Card> list(Scope scope, HostView parent) {
            return cards(parent);
        }

        @Override
        String id(Card item) {
            return item.id();
        }

        @Override
        boolean isLive() {
            return true;
        }

        @Override
        HostNic tell(Scope scope, At<HostView, Card> at) {
            Card card = at.item();
            HostNetworks.Bond bond = card.bond();
            HostNicUsage usage = card.usage();
            Integer speed =
                    usage != null && usage.speedMegabitsPerSecond() != null
                            ? usage.speedMegabitsPerSecond()
                            : card.speed();
            DataCentreId home =
                    scope.surroundings().dataCentre(card.host().state().definition().cluster());
            UnmanagedObjects.Net net = scope.surroundings().exactNetwork(home, card.network());
            return new HostNic(
                    card.id(),
                    at.href(),
                    card.name(),
                    null,
                    scope.links(this, at),
                    bond == null || bond.aggregator() == null ? null : bond.aggregator().toString(),
                    card.base(),
                    bond == null ? null : bonding(at, bond),
                    card.bridged(),
                    bootProtocol(card.ip()),
                    null,
                    ipv4(card.ip()),
                    ipv6(card.ip()),
                    card.mac() == null ? null : new Mac(card.mac()),
                    card.ip().mtu(),
                    speed == null ? null : speed * BITS_PER_MEGABIT,
                    usage == null || usage.up() == null ? null : usage.up() ? "up" : "down",
                    card.vlan() == null ? null : new HostNic.Vlan(card.vlan()),
                    scope.reference(Kind.HOST, at.parent().state().definition().id().toString()),
                    net == null ? null : scope.reference(Kind.NETWORK, net.id()),
                    scope.inlined(this, at));
        }

        private static HostNic.Bonding bonding(At<HostView, Card> at, HostNetworks.Bond bond) {
            String prefix = at.parentHref() + "/nics/";
            List<Entity> slaves =
                    bond.slaves().stream()
                            .map(name -> Card.id(at.parent(), name))
                            .<Entity>map(id -> new Reference(id, prefix + id))
                            .toList();
            List<Property> options = new ArrayList<>();
            bond.options().forEach((name, value) -> options.add(new Property(name, value)));
            String active = bond.activeSlave();
            String activeId =
                    active == null || active.isBlank() ? null : Card.id(at.parent(), active);
            return new HostNic.Bonding(
                    activeId == null ? null : new Reference(activeId, prefix + activeId),
                    bond.partnerMac() == null ? null : new Mac(bond.partnerMac()),
                    options.isEmpty() ? null : Listing.of("option", options),
                    Listing.of("host_nic", slaves));
        }

        private static String bootProtocol(HostNetworks.Ip ip) {
            return Boolean.TRUE.equals(ip.dhcpv4())
                    ? "dhcp"
                    : ip.address() == null || ip.address().isBlank() ? "none" : "static";
        }

        private static @Nullable Ip ipv4(HostNetworks.Ip ip) {
            return ip.address() == null || ip.address().isBlank()
                    ? null
                    : new Ip(ip.address(), ip.gateway(), ip.netmask(), "v4");
        }

        private static @Nullable Ip ipv6(HostNetworks.Ip ip) {
            if (ip.ipv6Addresses().isEmpty()) {
                return null;
            }
            String[] parts = ip.ipv6Addresses().getFirst().split("/", 2);
            return new Ip(parts[0], ip.ipv6Gateway(), parts.length > 1 ? parts[1] : null, "v6");
        }
    }

    /** The eight of an interface of a host. */
    static List<Reading> readings(Scope scope, Card card) {
        HostNicUsage usage = card.usage();
        List<Reading> readings = new ArrayList<>(8);
        Integer speed = usage == null ? null : usage.speedMegabitsPerSecond();
        VmStatisticsReadings.rates(
                readings,
                speed == null ? 0 : speed,
                usage == null ? null : usage.receiveRatePercent(),
                usage == null ? null : usage.sendRatePercent());
        readings.add(
                new Reading(
                        Measure.DATA_RX, Numbers.of(usage == null ? null : usage.receivedBytes())));
        readings.add(
                new Reading(Measure.DATA_TX, Numbers.of(usage == null ? null : usage.sentBytes())));
        readings.add(
                new Reading(
                        Measure.ERRORS_RX,
                        Numbers.of(usage == null ? null : usage.receiveDropped())));
        readings.add(
                new Reading(
                        Measure.ERRORS_TX, Numbers.of(usage == null ? null : usage.sendDropped())));
        return readings;
    }

    /** A NUMA node of a host. */
    record Node(HostView host, HostNumaNode node) {
        String id() {
            return Uuids.of(
                    "host_numa_node",
                    host.state().definition().id().toString(),
                    String.valueOf(node.index()));
        }
    }

    static List<Node> nodes(HostView host) {
        HostCapabilities capabilities = host.state().capabilities();
        return capabilities == null
                ? List.of()
                : capabilities.numaNodes().stream().map(node -> new Node(host, node)).toList();
    }

    /** NUMA nodes. */
    static final class Nodes extends Resource<HostView, Node> {
        Nodes() {
            super(Kind.HOST_NUMA_NODE);
        }

        @Override
        List<Node> list(Scope scope, HostView parent) {
            return nodes(parent);
        }

        @Override
        String id(Node item) {
            return item.id();
        }

        @Override
        org.stillwater.ovirt.model.HostNumaNode tell(Scope scope, At<HostView, Node> at) {
            HostNumaNode node = at.item().node();
            return new org.stillwater.ovirt.model.HostNumaNode(
                    at.item().id(),
                    at.href(),
                    scope.links(this, at),
                    new org.stillwater.ovirt.model.HostNumaNode.NodeCpu(
                            Listing.of(
                                    "core",
                                    node.cpus().stream()
                                            .map(org.stillwater.ovirt.model.HostNumaNode.Core::new)
                                            .toList())),
                    node.index(),
                    node.memoryMebibytes(),
                    node.distances().isEmpty()
                            ? null
                            : node.distances().stream()
                                    .map(String::valueOf)
                                    .collect(Collectors.joining(" ")),
                    scope.reference(Kind.HOST, at.parent().state().definition().id().toString()),
                    scope.inlined(this, at));
        }
    }

    /** The six of a NUMA node. */
    static List<Reading> readings(Scope scope, Node node) {
        HostStatistics statistics = node.host().statistics();
        NumaNodeStatistics numbers = null;
        if (statistics != null) {
            for (NumaNodeStatistics each : statistics.numaNodes()) {
                if (each.index() == node.node().index()) {
                    numbers = each;
                }
            }
        }
        Long total = node.node().memoryMebibytes();
        Long free = numbers == null ? null : numbers.memoryFreeMebibytes();
        Long used = total == null || free == null ? null : (Long) Math.max(0, total - free);
        return List.of(
                new Reading(Measure.MEMORY_TOTAL, bytes(total)),
                new Reading(Measure.MEMORY_USED, bytes(used)),
                new Reading(Measure.MEMORY_FREE, bytes(free)),
                new Reading(
                        Measure.CPU_USER,
                        Numbers.of(numbers == null ? null : numbers.cpuUserPercent())),
                new Reading(
                        Measure.CPU_SYSTEM,
                        Numbers.of(numbers == null ? null : numbers.cpuSystemPercent())),
                new Reading(
                        Measure.CPU_IDLE,
                        Numbers.of(numbers == null ? null : numbers.cpuIdlePercent())));
    }

    private static Listing<org.stillwater.ovirt.model.Statistic.Value> bytes(
            @Nullable Long mebibytes) {
        return Numbers.of(mebibytes == null ? null : (Long) (mebibytes * VmResource.MEBIBYTE));
    }
}
