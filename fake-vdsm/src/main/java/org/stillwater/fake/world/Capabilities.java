package org.stillwater.fake.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.stillwater.fake.net.JsonBody;

/**
 * Writes a host's properties: {@code getCapabilities} (§3.4) and {@code getHardwareInfo} (§3.6).
 * Requests are rare, so it is built as a tree. Stateless; the caller holds the monitor of the host.
 */
final class Capabilities {

    private static final List<Object> NO_ADDRESSES = List.of();
    private static final List<String> MACHINES =
            List.of(
                    "pc",
                    "pc-i440fx-rhel7.6.0",
                    "q35",
                    "pc-q35-rhel8.6.0",
                    "pc-q35-rhel9.0.0",
                    "pc-q35-rhel9.2.0",
                    "pc-q35-rhel9.4.0",
                    "pc-q35-rhel9.6.0",
                    "pc-q35-rhel9.8.0");
    private static final String FLAGS =
            "fpu,vme,de,pse,tsc,msr,pae,mce,cx8,apic,sep,mtrr,pge,mca,cmov,pat,pse36,clflush,mmx,"
                    + "fxsr,sse,sse2,ss,ht,syscall,nx,rdtscp,lm,constant_tsc,vmx,aes,avx,avx2,"
                    + "avx512f,spec_ctrl,ssbd,md_clear,model_Westmere,model_SandyBridge,"
                    + "model_Haswell-noTSX,model_Skylake-Server,model_Cascadelake-Server";

    /** The machine that a name without a release stands for. */
    static String machine(String type) {
        return switch (type) {
            case "q35" -> MACHINES.getLast();
            case "pc" -> "pc-i440fx-rhel7.6.0";
            default -> type;
        };
    }

    private final FakeHost host;
    private final Map<String, Object> all = new LinkedHashMap<>();

    private Capabilities(FakeHost host) {
        this.host = host;
    }

    static JsonBody of(FakeHost host) {
        Capabilities capabilities = new Capabilities(host);
        capabilities.processors();
        capabilities.release();
        capabilities.network();
        capabilities.system();
        capabilities.memory();
        capabilities.features();
        return new JsonOut(16_384).value(capabilities.all).body();
    }

    /** The network part alone, for {@code Host.getNetworkCapabilities}. */
    static JsonBody network(FakeHost host) {
        Capabilities capabilities = new Capabilities(host);
        capabilities.network();
        capabilities.netConfigDirty();
        return new JsonOut(8192).value(capabilities.all).body();
    }

    static JsonBody hardware(FakeHost host) {
        return new JsonOut(300)
                .value(
                        tree(
                                "systemManufacturer",
                                "Example Systems",
                                "systemProductName",
                                "ES-2200",
                                "systemVersion",
                                "1.0",
                                "systemSerialNumber",
                                "ES22%06d".formatted(host.number),
                                "systemUUID",
                                host.uuid,
                                "systemFamily",
                                "Rack"))
                .body();
    }

    private void processors() {
        int threads = HostReport.CPUS;
        put("kvmEnabled", "true");
        put("cpuCores", Integer.toString(threads / 2));
        put("cpuThreads", Integer.toString(threads));
        put("cpuSockets", "2");
        put(
                "onlineCpus",
                String.join(",", IntStream.range(0, threads).mapToObj(Integer::toString).toList()));
        List<Object> topology = new ArrayList<>();
        for (int cpu = 0; cpu < threads; cpu++) {
            int node = cpu * HostReport.NUMA_NODES / threads;
            topology.add(
                    tree(
                            "cpu_id",
                            cpu,
                            "numa_cell_id",
                            node,
                            "socket_id",
                            node,
                            "die_id",
                            0,
                            "core_id",
                            cpu / 2 % 4));
        }
        put("cpuTopology", topology);
        put("cpuSpeed", "2100.000");
        put("cpuModel", "Intel(R) Xeon(R) Silver 4208 CPU @ 2.10GHz");
        put("cpuFlags", FLAGS);
        put("vdsmToCpusAffinity", List.of(1));
    }

    private void release() {
        Profile profile = host.profile();
        put("version_name", "Snow Man");
        put("software_version", host.softwareVersion());
        put("software_revision", "1");
        put("supportedENGINEs", profile.supportedEngines());
        put("clusterLevels", profile.clusterLevels());
    }

    private void network() {
        String address = host.displayAddress();
        String gateway = address.substring(0, address.lastIndexOf('.')) + ".1";
        List<Object> taps = new ArrayList<>();
        taps.add("bond0.100");
        List<Object> managementTaps = new ArrayList<>();
        managementTaps.add("bond0");
        for (Domain domain : host.domains()) {
            if (!domain.isDown()) {
                var nics = domain.machine.nics; // one list, even if the machine changes meanwhile
                for (int i = 0; i < nics.size(); i++) {
                    boolean management = nics.get(i).network().equals("ovirtmgmt");
                    (management ? managementTaps : taps).add("vnet" + domain.tap(i));
                }
            }
        }
        Map<String, Object> management = layer3(address, gateway);
        Map<String, Object> bare = layer3("", "");
        put(
                "networks",
                tree(
                        "ovirtmgmt",
                        joined(
                                tree(
                                        "ports",
                                        managementTaps,
                                        "stp",
                                        "off",
                                        "bridged",
                                        true,
                                        "iface",
                                        "ovirtmgmt",
                                        "switch",
                                        "legacy",
                                        "southbound",
                                        "bond0"),
                                management),
                        "vmnet100",
                        joined(
                                tree(
                                        "ports",
                                        taps,
                                        "stp",
                                        "off",
                                        "bridged",
                                        true,
                                        "iface",
                                        "vmnet100",
                                        "switch",
                                        "legacy",
                                        "southbound",
                                        "bond0.100",
                                        "vlanid",
                                        100),
                                bare)));
        put(
                "bondings",
                tree(
                        "bond0",
                        joined(
                                tree(
                                        "hwaddr",
                                        mac(0),
                                        "slaves",
                                        List.of("ens1f0", "ens1f1"),
                                        "active_slave",
                                        "",
                                        "opts",
                                        tree("mode", "4", "miimon", "100", "xmit_hash_policy", "2"),
                                        "ad_aggregator_id",
                                        "1",
                                        "ad_partner_mac",
                                        "00:1c:73:aa:bb:cc",
                                        "switch",
                                        "legacy"),
                                bare)));
        put(
                "bridges",
                tree(
                        "ovirtmgmt", bridge(managementTaps, management),
                        "vmnet100", bridge(taps, bare)));
        put("nics", tree("ens1f0", nic(0, bare), "ens1f1", nic(1, bare)));
        put("vlans", tree("bond0.100", joined(tree("iface", "bond0", "vlanid", 100), bare)));
        put("nameservers", List.of("10.20.0.2"));
        put("supportsIPv6", true);
    }

    private Map<String, Object> bridge(List<Object> ports, Map<String, Object> layer3) {
        Map<String, Object> bridge = tree("ports", ports, "stp", "off");
        if (!host.profile().atLeast(Profile.V4_40)) {
            bridge.put("opts", tree("multicast_snooping", "1"));
        }
        return joined(bridge, layer3);
    }

    private Map<String, Object> nic(int port, Map<String, Object> layer3) {
        return joined(
                tree(
                        "hwaddr",
                        mac(0),
                        "permhwaddr",
                        mac(port),
                        "speed",
                        host.isLinkUp(HostReport.CARDS.get(port)) ? 10_000 : 0,
                        "ad_aggregator_id",
                        "1"),
                layer3);
    }

    private String mac(int port) {
        return "3c:ec:ef:%02x:%02x:%02x"
                .formatted(host.number >> 8 & 255, host.number & 255, 0x30 + port);
    }

    private static Map<String, Object> layer3(String address, String gateway) {
        boolean configured = !address.isEmpty();
        return tree(
                "addr",
                address,
                "ipv4addrs",
                configured ? List.of(address + "/24") : NO_ADDRESSES,
                "ipv6addrs",
                NO_ADDRESSES,
                "ipv6autoconf",
                false,
                "gateway",
                gateway,
                "ipv6gateway",
                "::",
                "mtu",
                "1500",
                "netmask",
                configured ? "255.255.255.0" : "",
                "ipv4defaultroute",
                configured,
                "dhcpv4",
                false,
                "dhcpv6",
                false);
    }

    private void system() {
        if (host.profile().atLeast(Profile.V4_40)) {
            put("ovnConfigured", true);
        }
        put(
                "hooks",
                tree(
                        "before_vm_start",
                        tree(
                                "50_hostedengine",
                                tree(
                                        "checksum",
                                        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))));
        put(
                "operatingSystem",
                tree(
                        "release",
                        "1.el9",
                        "version",
                        "9.4",
                        "name",
                        "RHEL",
                        "pretty_name",
                        "CentOS Stream 9"));
        put("uuid", host.uuid);
        put(
                "packages2",
                tree(
                        "kernel", release("5.14.0", "503.el9.x86_64"),
                        "libvirt", release("11.9.0", "1.el9"),
                        "mom", release("0.6.4", "1.el9"),
                        "qemu-img", release("10.1.0", "4.el9"),
                        "qemu-kvm", release("10.1.0", "4.el9"),
                        "vdsm", release(host.softwareVersion(), "1.el9"),
                        "openvswitch", release("3.3.1", "1.el9"),
                        "nmstate", release("2.2.39", "1.el9"),
                        "lvm2", release("2.03.28", "3.el9"),
                        "ovirt-hosted-engine-ha", release("2.5.1", "1.el9")));
        put("realtimeKernel", false);
        put(
                "kernelArgs",
                "BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.14.0-503.el9.x86_64 root=/dev/mapper/onn-root ro"
                        + " crashkernel=1G-4G:192M rhgb quiet");
        put("nestedVirtualization", false);
        put("emulatedMachines", MACHINES);
        String initiator = "iqn.1994-05.com.example:" + host.name;
        put("ISCSIInitiatorName", initiator);
        put(
                "HBAInventory",
                tree("iSCSI", List.of(tree("InitiatorName", initiator)), "FC", List.of()));
        put("vmTypes", List.of("kvm"));
    }

    private void memory() {
        int total = host.installedMemoryMib();
        put("memSize", Integer.toString(total));
        put("reservedMem", "321");
        put("guestOverhead", Integer.toString(HostReport.GUEST_OVERHEAD_MIB));
        put("rngSources", List.of("hwrng", "random"));
        Map<String, Object> nodes = new LinkedHashMap<>();
        int perNode = HostReport.CPUS / HostReport.NUMA_NODES;
        for (int node = 0; node < HostReport.NUMA_NODES; node++) {
            long nodeMib = total / HostReport.NUMA_NODES;
            nodes.put(
                    Integer.toString(node),
                    tree(
                            "totalMemory",
                            Long.toString(nodeMib),
                            "hugepages",
                            tree(
                                    "4", tree("totalPages", Long.toString(nodeMib * 256)),
                                    "2048", tree("totalPages", "0"),
                                    "1048576", tree("totalPages", "0")),
                            "cpus",
                            IntStream.range(node * perNode, (node + 1) * perNode)
                                    .boxed()
                                    .toList()));
        }
        put("numaNodes", nodes);
        put("numaNodeDistance", tree("0", List.of(10, 21), "1", List.of(21, 10)));
        put("autoNumaBalancing", 1);
    }

    private void features() {
        boolean since440 = host.profile().atLeast(Profile.V4_40);
        boolean since450 = host.profile().atLeast(Profile.V4_50);
        put("selinux", tree("mode", "1"));
        put("liveSnapshot", "true");
        put("liveMerge", "true");
        put("kdumpStatus", host.isKdumpEnabled() ? 1 : 0);
        if (since450) {
            put("deferred_preallocation", true);
        }
        put("hostdevPassthrough", "false");
        put("additionalFeatures", List.of("libgfapi_supported"));
        put("hostedEngineDeployed", false);
        put("hugepages", List.of(2048, 1_048_576));
        put(
                "kernelFeatures",
                tree(
                        "SPECTRE_V1",
                        "Mitigation: usercopy/swapgs barriers and __user pointer sanitization",
                        "SPECTRE_V2",
                        "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional",
                        "MELTDOWN",
                        "Not affected"));
        if (since440) {
            put("vncEncrypted", true);
            put("backupEnabled", true);
            put("coldBackupEnabled", since450);
            put("clearBitmapsEnabled", since450);
            put("fipsEnabled", false);
            put("boot_uuid", host.bootUuid().toString());
            put("tscFrequency", "2095074000");
            put("tscScaling", true);
        }
        put("domain_versions", since440 ? List.of(0, 2, 3, 4, 5) : List.of(0, 2, 3, 4));
        if (host.profile().atLeast(Profile.V4_30)) {
            put(
                    "supported_block_size",
                    tree(
                            "FCP", List.of(512),
                            "GLUSTERFS", List.of(0, 512, 4096),
                            "ISCSI", List.of(512),
                            "LOCALFS", List.of(0, 512, 4096),
                            "NFS", List.of(512),
                            "POSIXFS", List.of(512)));
        }
        if (since450) {
            for (String feature :
                    List.of(
                            "cd_change_pdiv",
                            "refresh_disk_supported",
                            "replicate_extend",
                            "measure_subchain",
                            "measure_active",
                            "mailbox_events",
                            "zerocopy_migrations",
                            "qemu_image_info_bitmaps")) {
                put(feature, true);
            }
        }
        netConfigDirty();
        put("lastClientIface", "ovirtmgmt");
    }

    /** Whether the running network differs from the one that survives a reboot: never, here. */
    private void netConfigDirty() {
        put("netConfigDirty", "False");
    }

    private void put(String name, Object value) {
        all.put(name, value);
    }

    private static Map<String, Object> release(String version, String release) {
        return tree("version", version, "release", release);
    }

    private static Map<String, Object> joined(
            Map<String, Object> first, Map<String, Object> second) {
        Map<String, Object> both = new LinkedHashMap<>(first);
        both.putAll(second);
        return both;
    }

    private static Map<String, Object> tree(Object... namesAndValues) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            members.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return members;
    }
}
