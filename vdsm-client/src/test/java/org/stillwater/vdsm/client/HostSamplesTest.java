package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.NumaNodeStatistics;
import org.stillwater.core.report.ReportedText;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.jsonrpc.JsonRpcError;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.stomp.FrameBody;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** The recorded messages that are not about VMs, with the exact values they hold. */
class HostSamplesTest {
    private static final VmId WEB = VmId.parse("0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01");

    private final List<Integer> misfits = new ArrayList<>();
    private final HostDecoder decoder = new HostDecoder(4_096, misfits::add, _ -> {});

    @FunctionalInterface
    private interface Reader<T> {
        T read(JsonParser parser) throws MalformedEnvelope;
    }

    private static <T> T decode(String json, Reader<T> reader) throws MalformedEnvelope {
        try (Envelope envelope = Envelope.open(FrameBody.utf8(json))) {
            T value = reader.read(envelope.payload());
            envelope.finish();
            return value;
        }
    }

    private static final Map<Integer, Long> PAGES = Map.of(4, 16777216L, 2048, 0L, 1048576, 0L);

    private static final String DATA_CENTRE_MAC = "3c:ec:ef:10:20:30";

    @Test
    void everyProcessorOfABigHostIsOnline() throws MalformedEnvelope {
        String online =
                IntStream.range(0, 384).mapToObj(String::valueOf).collect(Collectors.joining(","));
        assertThat(online(online)).isEqualTo(IntStream.range(0, 384).boxed().toList());
        int most = ReportedText.HOST_LIST.mostEntries();
        assertThat(online("1,".repeat(2 * most))).hasSize(most);
    }

    private List<Integer> online(String joined) throws MalformedEnvelope {
        String json = "{\"onlineCpus\": \"" + joined + "\"}";
        try (JsonParser p = Json.FACTORY.createParser(ObjectReadContext.empty(), json)) {
            p.nextToken();
            return decoder.capabilities(p).cpu().online();
        }
    }

    @Test
    void capabilities() throws IOException {
        HostCapabilities c = decode(Decoded.sample("host_getCapabilities"), decoder::capabilities);
        assertThat(misfits).as("values of the wrong kind").isEmpty();
        assertThat(c.cpu().topology())
                .hasSize(16)
                .startsWith(new HostCapabilities.Cpu.Place(0, 0, 0, 0, 0))
                .endsWith(new HostCapabilities.Cpu.Place(15, 1, 1, 0, 3));
        assertThat(c.cpu())
                .isEqualTo(
                        new HostCapabilities.Cpu(
                                "Intel(R) Xeon(R) Silver 4208 CPU @ 2.10GHz",
                                "fpu,vme,de,pse,tsc,msr,pae,mce,cx8,apic,sep,mtrr,pge,mca,cmov,pat,pse36,"
                                    + "clflush,mmx,fxsr,sse,sse2,ss,ht,syscall,nx,rdtscp,lm,constant_tsc,vmx,"
                                    + "aes,avx,avx2,avx512f,spec_ctrl,ssbd,md_clear,model_Westmere,"
                                    + "model_SandyBridge,model_Haswell-noTSX,model_Skylake-Server,"
                                    + "model_Cascadelake-Server",
                                2,
                                8,
                                16,
                                2100.0,
                                IntStream.range(0, 16).boxed().toList(),
                                c.cpu().topology(),
                                List.of(1),
                                2_095_074_000L,
                                true));
        assertThat(c.memory()).isEqualTo(new HostCapabilities.Memory(131072L, 321L, 65L, 1));
        assertThat(c.software())
                .isEqualTo(
                        new HostCapabilities.Software(
                                "Snow Man",
                                "4.50.7",
                                "31",
                                new HostCapabilities.OperatingSystem(
                                        "RHEL", "9.4", "1.el9", "CentOS Stream 9"),
                                "BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.14.0-503.el9.x86_64"
                                        + " root=/dev/mapper/onn-root ro crashkernel=1G-4G:192M"
                                        + " rhgb quiet",
                                new HostCapabilities.Packages(
                                        "4.50.7-31.el9",
                                        "5.14.0-503.el9.x86_64",
                                        "10.10.0-7.el9",
                                        "9.1.0-15.el9",
                                        null,
                                        null,
                                        null,
                                        null,
                                        "3.3.1-1.el9",
                                        "2.2.39-1.el9")));
        assertThat(c.compatibility())
                .isEqualTo(
                        new HostCapabilities.Compatibility(
                                List.of("4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "4.8"),
                                List.of("4.2", "4.3", "4.4", "4.5"),
                                List.of(
                                        "pc",
                                        "pc-i440fx-rhel7.6.0",
                                        "q35",
                                        "pc-q35-rhel8.6.0",
                                        "pc-q35-rhel9.0.0",
                                        "pc-q35-rhel9.4.0"),
                                List.of("hwrng", "random"),
                                List.of("libgfapi_supported"),
                                List.of(0, 2, 3, 4, 5),
                                Map.of(
                                        "FCP", List.of(512),
                                        "GLUSTERFS", List.of(0, 512, 4096),
                                        "ISCSI", List.of(512),
                                        "LOCALFS", List.of(0, 512, 4096),
                                        "NFS", List.of(512),
                                        "POSIXFS", List.of(512))));
        assertThat(c.features())
                .isEqualTo(
                        new HostCapabilities.Features(
                                true, true, true, false, true, true, true, true, false));
        assertThat(c.security())
                .isEqualTo(
                        new HostCapabilities.Security(
                                1,
                                false,
                                true,
                                Map.of(
                                        "SPECTRE_V1",
                                        "Mitigation: usercopy/swapgs barriers and __user pointer"
                                                + " sanitization",
                                        "SPECTRE_V2",
                                        "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional",
                                        "MELTDOWN",
                                        "Not affected")));
        assertThat(c.storage())
                .isEqualTo(
                        new HostCapabilities.Storage(
                                "iqn.1994-05.com.example:host1",
                                new HostCapabilities.Adapters(
                                        List.of("iqn.1994-05.com.example:host1"), List.of()),
                                Map.of()));
        assertThat(c.hooks())
                .isEqualTo(
                        Map.of(
                                "before_vm_start",
                                Map.of(
                                        "50_hostedengine",
                                        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")));
        assertThat(c.hardwareUuid()).isEqualTo("4c4c4544-0043-3510-8052-b4c04f4e3132");
        assertThat(c.bootUuid()).isEqualTo("7a1d3c55-6b70-4b7e-a7f4-0c6a2f9b1d33");
        assertThat(c.kdumpStatus()).isZero();
        assertThat(c.numaNodes())
                .containsExactly(
                        new HostNumaNode(
                                0, 65536L, List.of(0, 1, 2, 3, 4, 5, 6, 7), List.of(10, 21), PAGES),
                        new HostNumaNode(
                                1,
                                65536L,
                                List.of(8, 9, 10, 11, 12, 13, 14, 15),
                                List.of(21, 10),
                                PAGES));
    }

    @Test
    void networksAndInterfaces() throws IOException {
        HostNetworks network =
                decode(Decoded.sample("host_getCapabilities"), decoder::capabilities).network();
        HostNetworks.Ip bare = ip(null, null, List.of(), null, false);
        HostNetworks.Ip management =
                ip("10.20.0.11", "255.255.255.0", List.of("10.20.0.11/24"), "10.20.0.1", true);
        assertThat(network)
                .isEqualTo(
                        new HostNetworks(
                                Map.of(
                                        "ovirtmgmt",
                                        new HostNetworks.Network(
                                                management,
                                                "ovirtmgmt",
                                                true,
                                                "legacy",
                                                "bond0",
                                                null,
                                                List.of("bond0"),
                                                false,
                                                null),
                                        "vmnet100",
                                        new HostNetworks.Network(
                                                bare,
                                                "vmnet100",
                                                true,
                                                "legacy",
                                                "bond0.100",
                                                100,
                                                List.of("bond0.100"),
                                                false,
                                                null)),
                                Map.of("ens1f0", card(bare, "30"), "ens1f1", card(bare, "31")),
                                Map.of(
                                        "bond0",
                                        new HostNetworks.Bond(
                                                bare,
                                                DATA_CENTRE_MAC,
                                                List.of("ens1f0", "ens1f1"),
                                                null,
                                                Map.of(
                                                        "mode",
                                                        "4",
                                                        "miimon",
                                                        "100",
                                                        "xmit_hash_policy",
                                                        "2"),
                                                1,
                                                "00:1c:73:aa:bb:cc",
                                                "legacy",
                                                null,
                                                null)),
                                Map.of("bond0.100", new HostNetworks.Vlan(bare, "bond0", 100)),
                                Map.of(
                                        "ovirtmgmt",
                                        new HostNetworks.Bridge(
                                                management, List.of("bond0"), false),
                                        "vmnet100",
                                        new HostNetworks.Bridge(
                                                bare, List.of("bond0.100", "vnet3"), false)),
                                List.of("10.20.0.2"),
                                true,
                                false,
                                "ovirtmgmt",
                                Map.of()));
        assertThat(network.bondOf("ens1f1")).isEqualTo("bond0");
        assertThat(network.bondOf("bond0.100")).isNull();
        assertThat(network.interfaces())
                .containsExactlyInAnyOrder(
                        "ens1f0", "ens1f1", "bond0", "bond0.100", "ovirtmgmt", "vmnet100");
    }

    private static HostNetworks.Ip ip(
            @Nullable String address,
            @Nullable String netmask,
            List<String> ipv4,
            @Nullable String gateway,
            boolean defaultRoute) {
        return new HostNetworks.Ip(
                address,
                netmask,
                ipv4,
                List.of(),
                false,
                gateway,
                "::",
                1500,
                defaultRoute,
                false,
                false);
    }

    private static HostNetworks.Nic card(HostNetworks.Ip ip, String lastOctet) {
        return new HostNetworks.Nic(
                ip, DATA_CENTRE_MAC, "3c:ec:ef:10:20:" + lastOctet, 10_000, 1, null);
    }

    @Test
    void rareMembers() throws IOException {
        String rare =
                """
                {"id": 1, "result": {
                  "HBAInventory": {"FC": [{"wwpn": "10000090fa1b2c3d", "wwnn": "20000090fa1b2c3d", "model": "LPe16002"},
                                          {"wwpn": ""}], "iSCSI": [{}, 5]},
                  "connector_info": {"initiator": "iqn.x", "multipath": true, "wwpns": ["1", "2"]},
                  "openstack_binding_host_ids": {"OPEN_VSWITCH": "host1.example.com"},
                  "operatingSystem": {"name": "RHEL", "version": "8.6"},
                  "packages2": {"librbd1": {"version": "16.2"}, "spice-server": {"version": "0.14", "release": "4.el8"}},
                  "networks": {"storage": {"interface": "ens2", "bridged": false, "mtu": 9000,
                                           "hostQos": {"out": {"ls": {"m2": 50}}}}},
                  "bondings": {"bond1": {"speed": "20000", "active_slave": "ens3"}}}}
                """;
        HostCapabilities c = decode(rare, decoder::capabilities);
        assertThat(c.storage().adapters())
                .isEqualTo(
                        new HostCapabilities.Adapters(
                                List.of(),
                                List.of(
                                        new HostCapabilities.FibreChannelPort(
                                                "10000090fa1b2c3d", "20000090fa1b2c3d", "LPe16002"),
                                        new HostCapabilities.FibreChannelPort(null, null, null))));
        assertThat(c.storage().connectorInfo())
                .isEqualTo(
                        Map.of(
                                "initiator",
                                "iqn.x",
                                "multipath",
                                "true",
                                "wwpns",
                                "[\"1\",\"2\"]"));
        assertThat(c.network().openstackBindingHostIds())
                .containsEntry("OPEN_VSWITCH", "host1.example.com");
        assertThat(c.software().operatingSystem().label()).isEqualTo("RHEL 8.6");
        assertThat(c.software().packages().librbd1()).isEqualTo("16.2");
        assertThat(c.software().packages().spiceServer()).isEqualTo("0.14-4.el8");
        HostNetworks.Network storage = c.network().networks().get("storage");
        assertThat(storage.iface()).isEqualTo("ens2");
        assertThat(storage.bridged()).isFalse();
        assertThat(storage.ip().mtu()).isEqualTo(9000);
        assertThat(storage.hostQos()).isEqualTo("{\"out\":{\"ls\":{\"m2\":50}}}");
        assertThat(c.network().bonds().get("bond1").speedMegabitsPerSecond()).isEqualTo(20_000);
        assertThat(c.network().bonds().get("bond1").activeSlave()).isEqualTo("ens3");
    }

    @Test
    void aListOrObjectIsReadUpToItsBound() throws IOException {
        HostDecoder small = new HostDecoder(2, misfits::add, _ -> {});
        String many =
                "{\"id\": 1, \"result\": {\"rngSources\": [\"a\", \"b\", \"c\", \"d\"],"
                        + " \"kernelArgs\": \"ro\"}}";
        HostCapabilities c = decode(many, small::capabilities);
        assertThat(c.compatibility().rngSources()).containsExactly("a", "b");
        assertThat(c.software().kernelArguments()).isEqualTo("ro");
        assertThat(misfits).containsExactly(2);
    }

    @Test
    void hardware() throws IOException {
        assertThat(decode(Decoded.sample("host_getHardwareInfo"), decoder::hardware))
                .isEqualTo(
                        new HostHardware(
                                "Example Systems",
                                "ES-2200",
                                "1.0",
                                "ES22000042",
                                "4c4c4544-0043-3510-8052-b4c04f4e3132",
                                "Rack"));
    }

    @Test
    void statistics() throws IOException {
        HostStatistics s = decode(Decoded.sample("host_getStats"), decoder::statistics);
        assertThat(misfits).isEmpty();
        assertThat(s.cpu().cores())
                .hasSize(16)
                .startsWith(new HostStatistics.Core(0, 0, 3.03, 2.14, 94.83))
                .endsWith(new HostStatistics.Core(15, 1, 18.71, 3.01, 78.29));
        HostStatistics.HugePages none = new HostStatistics.HugePages(0L, 0L, 0L);
        assertThat(s.nics().get("ens1f0"))
                .isEqualTo(
                        new HostStatistics.Nic(
                                true,
                                10_000,
                                991_231_234_411L,
                                412_312_344_123L,
                                311L,
                                0L,
                                1767225600.481233));
        assertThat(s.nics())
                .as("before capabilities")
                .containsOnlyKeys(
                        "lo", "ens1f0", "ens1f1", "bond0", "bond0.100", "ovirtmgmt", "vnet3");
        assertThat(s)
                .isEqualTo(
                        new HostStatistics(
                                new HostStatistics.Cpu(12.31, 3.02, 84.67, 1.84, s.cpu().cores()),
                                new HostStatistics.Memory(
                                        61,
                                        51644L,
                                        0L,
                                        16383L,
                                        16383L,
                                        5312L,
                                        "always",
                                        Map.of("2048", none, "1048576", none)),
                                new HostStatistics.Ksm(false, 100L, true, 0),
                                new HostStatistics.Vms(5, 3, 1, 0, 1),
                                s.nics(),
                                Map.of("/tmp", 18811L, "/var/log", 7410L, "/var/run/vdsm/", 64201L),
                                Map.of(
                                        "f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6",
                                        new HostStatistics.StorageDomain(
                                                0, 4.2, 0.000412, true, 5, true, true),
                                        "0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a",
                                        new HostStatistics.StorageDomain(
                                                358, 71.9, 0.0, false, -1, false, true)),
                                Map.of(
                                        "360014054aabbccddeeff001122334455",
                                        new HostStatistics.Multipath(1, List.of("8:112"))),
                                Map.of(),
                                new HostStatistics.HostedEngine(false, false, 0, false, false),
                                false,
                                1766174366L,
                                Instant.parse("2026-01-01T00:00:00Z"),
                                1050998.12,
                                List.of(
                                        new NumaNodeStatistics(
                                                0,
                                                21233L,
                                                68,
                                                12.82,
                                                2.54,
                                                84.64,
                                                15,
                                                Map.of(4, 5435648L, 2048, 0L, 1048576, 0L)),
                                        new NumaNodeStatistics(
                                                1,
                                                30411L,
                                                54,
                                                15.68,
                                                3.66,
                                                80.67,
                                                19,
                                                Map.of(4, 7785216L, 2048, 0L, 1048576, 0L)))));
    }

    @Test
    void interfacesThatCapabilitiesDoNotNameAreLeftOut() throws IOException {
        decode(Decoded.sample("host_getCapabilities"), decoder::capabilities);
        assertThat(decode(Decoded.sample("host_getStats"), decoder::statistics).nics())
                .containsOnlyKeys("ens1f0", "ens1f1", "bond0", "bond0.100", "ovirtmgmt");
    }

    @Test
    void numbersThatFewHostsReport() throws IOException {
        String rare =
                """
                {"id": 1, "result": {"haScore": 3400, "haStats": {"configured": "True", "active": 1},
                  "v2vJobs": {"j1": {"status": "copying_disk", "description": "disk 1/2", "progress": 40}},
                  "network": {"ens1": {"state": "down", "speed": "0", "rx": -1, "tx": [], "sampleTime": "12.5"}, "x": 3},
                  "storageDomains": {"d": {"code": "358", "lastCheck": 31}, "e": null}}}
                """;
        HostStatistics s = decode(rare, decoder::statistics);
        assertThat(s.hostedEngine())
                .isEqualTo(new HostStatistics.HostedEngine(true, true, 3400, null, null));
        assertThat(s.v2vJobs())
                .containsEntry("j1", new HostStatistics.V2vJob("copying_disk", "disk 1/2", 40));
        assertThat(s.nics())
                .isEqualTo(
                        Map.of(
                                "ens1",
                                new HostStatistics.Nic(false, 0, null, null, null, null, 12.5)));
        assertThat(s.storageDomains())
                .isEqualTo(
                        Map.of(
                                "d",
                                new HostStatistics.StorageDomain(
                                        358, 31.0, null, null, null, null, null)));
        assertThat(misfits).as("tx and x").containsExactly(2);
    }

    @Test
    void missingMembersAreUnknown() throws IOException {
        String empty = "{\"id\": 1, \"result\": {}}";
        assertThat(decode(empty, decoder::statistics)).isEqualTo(new HostValues().statistics());
        HostCapabilities nothing = decode(empty, decoder::capabilities);
        assertThat(nothing).isEqualTo(new HostValues().capabilities());
        assertThat(nothing.cpu().model()).isNull();
        assertThat(nothing.compatibility().clusterLevels()).isEmpty();
        assertThat(misfits).isEmpty();
        String wrongKinds =
                "{\"id\": 1, \"result\": {\"cpuModel\": [1], \"cpuCores\": {}, \"clusterLevels\":"
                    + " \"4.7\", \"packages2\": [], \"operatingSystem\": \"x\", \"selinux\": 7,"
                    + " \"kvmEnabled\": \"maybe\", \"memSize\": \"\", \"cpuSpeed\": null,"
                    + " \"emulatedMachines\": [1, \"q35\", null], \"memFree\": 5.9, \"vmCount\":"
                    + " \"5\", \"bootTime\": 1766174366.5, \"dateTime\": 5, \"ksmState\":"
                    + " \"true\"}}";
        HostCapabilities odd = decode(wrongKinds, decoder::capabilities);
        assertThat(odd)
                .isEqualTo(
                        new HostValues()
                                .put(HostField.EMULATED_MACHINES, List.of("q35"))
                                .capabilities());
        assertThat(misfits)
                .as("values of the wrong kind, the empty and null ones not")
                .containsExactly(8);
        HostStatistics numbers = decode(wrongKinds, decoder::statistics);
        assertThat(numbers.memory().freeMebibytes()).isEqualTo(5);
        assertThat(numbers.vms().count()).isEqualTo(5);
        assertThat(numbers.bootTimeEpochSeconds()).isEqualTo(1766174366L);
        assertThat(numbers.ksm().running()).isTrue();
        assertThat(numbers.hostClock()).isNull();
    }

    /** They would make sums negative or infinite, and rows that no column takes. */
    @Test
    void figuresThatCannotBeAreNotKnown() throws IOException {
        String lies =
                """
                {"id": 1, "result": {"memSize": "1152921504606846976", "reservedMem": "-100",
                  "cpuCores": "2147483648", "cpuThreads": -1, "cpuSpeed": "1e400", "cpuUser": -5,
                  "cpuSys": 1e308, "memFree": 9223372036854775807, "memUsed": "-1", "vmCount": -4,
                  "swapFree": -7, "elapsedTime": -1, "bootTime": -1,
                  "storageDomains": {"d": {"delay": 1e30, "lastCheck": "1e400"}}}}
                """;

        assertThat(decode(lies, decoder::capabilities)).isEqualTo(new HostValues().capabilities());
        assertThat(misfits).containsExactly(5);
        misfits.clear();
        assertThat(decode(lies, decoder::statistics))
                .isEqualTo(
                        new HostValues()
                                .put(
                                        HostField.STORAGE_DOMAINS,
                                        Map.of(
                                                "d",
                                                new HostStatistics.StorageDomain(
                                                        null, null, null, null, null, null, null)))
                                .statistics());
        assertThat(misfits).containsExactly(10);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-01T00:00:00 GMT, 2026-01-01T00:00:00Z",
        "2026-01-01 00:00:00 GMT, 2026-01-01T00:00:00Z",
        "2026-03-01T10:20:30, 2026-03-01T10:20:30Z",
        "2026-03-01T10:20:30.5 UTC, 2026-03-01T10:20:30.500Z",
        "yesterday,",
        "'',",
    })
    @DisplayName("8a.63 The host's clock is read; an unreadable one is not known")
    void clocks(String text, @Nullable Instant expected) {
        assertThat(HostDecoder.instant(text)).isEqualTo(expected);
    }

    @Test
    void numaMembersOfTheWrongKindAreNotKnown() throws IOException {
        String odd =
                """
                {"id": 1, "result": {
                  "numaNodes": {"0": {"totalMemory": "x", "cpus": "0-3", "hugepages": []}, "one": {}, "2": 7},
                  "numaNodeDistance": {"0": [10, "21", null, {}], "9": [1]},
                  "numaNodeMemFree": {"0": {"memFree": 5, "memPercent": "40", "hugepages": {"4": {"freePages": []},
                                      "x": {"freePages": 1}, "2048": 3}}, "1": null},
                  "cpuStatistics": {"0": {"nodeIndex": 0, "cpuUser": 30, "cpuSys": "10", "cpuIdle": "60"},
                                    "1": {"nodeIndex": 0, "cpuUser": "50", "cpuSys": "20"},
                                    "2": {"cpuUser": "50", "cpuSys": "20", "cpuIdle": "30"}, "3": [],
                                    "4": {"nodeIndex": 1, "cpuUser": "90", "cpuSys": "20", "cpuIdle": "0"}}}}
                """;
        assertThat(decode(odd, decoder::capabilities).numaNodes())
                .containsExactly(
                        new HostNumaNode(0, null, List.of(), List.of(10, 21), Map.of()),
                        new HostNumaNode(2, null, List.of(), List.of(), Map.of()));
        assertThat(decode(odd, decoder::statistics).numaNodes())
                .containsExactly(
                        new NumaNodeStatistics(0, 5L, 40, 30.0, 10.0, 60.0, 40, Map.of()),
                        new NumaNodeStatistics(1, null, null, 90.0, 20.0, 0.0, 100, Map.of()));
        String wrong =
                "{\"id\": 1, \"result\": {\"numaNodes\": [], \"numaNodeDistance\": \"x\","
                        + " \"numaNodeMemFree\": 5, \"cpuStatistics\": null}}";
        assertThat(decode(wrong, decoder::capabilities).numaNodes()).isEmpty();
        assertThat(decode(wrong, decoder::statistics).numaNodes()).isEmpty();
    }

    @Test
    void figuresOfNodesAndInterfacesThatCannotBeAreNotKnown() throws IOException {
        String lies =
                """
                {"id": 1, "result": {
                  "numaNodes": {"0": {"totalMemory": "-5", "cpus": [0]}, "1": {"totalMemory": 9223372036854775807}},
                  "numaNodeMemFree": {"0": {"memFree": -1, "memPercent": "4000",
                                            "hugepages": {"4": {"freePages": -3}}}},
                  "cpuStatistics": {"0": {"nodeIndex": 0, "cpuUser": 1e308, "cpuSys": 1e308, "cpuIdle": 0},
                                    "1": {"nodeIndex": 0, "cpuUser": -3, "cpuSys": 4, "cpuIdle": 5}},
                  "network": {"ens1": {"state": "up", "speed": -1000}}}}
                """;
        assertThat(decode(lies, decoder::capabilities).numaNodes())
                .containsExactly(
                        new HostNumaNode(0, null, List.of(0), List.of(), Map.of()),
                        new HostNumaNode(1, null, List.of(), List.of(), Map.of()));
        assertThat(misfits).containsExactly(2);
        misfits.clear();
        HostStatistics statistics = decode(lies, decoder::statistics);
        assertThat(statistics.numaNodes())
                .containsExactly(
                        new NumaNodeStatistics(0, null, null, null, null, null, null, Map.of()));
        assertThat(statistics.nics())
                .containsEntry(
                        "ens1", new HostStatistics.Nic(true, null, null, null, null, null, null));
        assertThat(misfits)
                .as("free memory, its share, pages, three times of processors, the speed")
                .containsExactly(7);
    }

    @Test
    void domainXmls() throws IOException {
        Map<VmId, String> xmls =
                decode(
                        Decoded.sample("host_dumpxmls"),
                        p -> HostDecoder.domainXmls(p, Set.of(WEB)));
        assertThat(xmls).containsOnlyKeys(WEB);
        assertThat(xmls.get(WEB))
                .hasSize(5254)
                .startsWith("<domain type='kvm' id='7' xmlns:qemu='http://libvirt.org/schemas/")
                .contains("<uuid>" + WEB + "</uuid>")
                .endsWith("</rng>\n  </devices>\n</domain>\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "host_getJobs|{\"e5d4c3b2-a190-4f8e-97d6-c5b4a3928170\":{\"id\":\"e5d4c3b2-a190-4f8e-97d6-c5b4a3928170\",\"status\":\"running\",\"description\":\"Copy"
                    + " data\",\"job_type\":\"storage\",\"progress\":37}}",
                "host_getStorageDomains|[\"f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6\",\"0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a\"]",
                "host_getStorageRepoStats|{\"f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6\":{\"code\":0,\"lastCheck\":\"4.2\",\"delay\":\"0.000412\",\"valid\":true,\"version\":5,\"acquired\":true,\"actual\":true},\"0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a\":{\"code\":358,\"lastCheck\":\"71.9\",\"delay\":\"0\",\"valid\":false,\"version\":-1,\"acquired\":false,\"actual\":true}}",
                "host_getAllTasksStatuses|{\"b1a29384-7566-4e5d-8c4b-3a2918070f1e\":{\"taskID\":\"b1a29384-7566-4e5d-8c4b-3a2918070f1e\",\"taskState\":\"finished\",\"taskResult\":\"success\",\"code\":0,\"message\":\"1"
                    + " jobs completed successfully\"}}",
                "spm_status|{\"spmId\":1,\"spmStatus\":\"SPM\",\"spmLver\":12}",
                "vm_cont_response|{\"vmList\":{}}",
                "vm_create_response|{\"vmId\":\"c3f08e7b-2a64-4915-8d9c-51b7a6e0f305\",\"status\":\"WaitForLaunch\",\"statusTime\":\"3198712214\",\"xml\":\"<domain"
                    + " type='kvm'><name>pool-desktop-5</name><uuid>c3f08e7b-2a64-4915-8d9c-51b7a6e0f305</uuid><memory>4194304</memory><vcpu>2</vcpu><devices/></domain>\"}",
                "vm_getMigrationStatus|{\"status\":{\"code\":0,\"message\":\"Migration in"
                        + " progress\"},\"progress\":42}",
                "void_response|true",
                "event_jobs_status_done|{\"id\":\"e5d4c3b2-a190-4f8e-97d6-c5b4a3928170\",\"status\":\"done\",\"description\":\"Copy"
                    + " data\",\"job_type\":\"storage\",\"notify_time\":3198725214}",
                "event_jobs_status_failed|{\"id\":\"e5d4c3b2-a190-4f8e-97d6-c5b4a3928170\",\"status\":\"failed\",\"description\":\"Copy"
                    + " data\",\"job_type\":\"storage\",\"progress\":37,\"error\":{\"code\":100,\"message\":\"General"
                    + " Exception: ('Command qemu-img failed',)\"},\"notify_time\":3198725314}",
                "event_host_conn|{\"notify_time\":3198723214}",
                "event_vm_migration_status|{\"a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204\":{\"progress\":42,\"postcopy\":false},\"notify_time\":3198717714}",
                "event_vm_migration_status_done|{\"a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204\":{\"progress\":100,\"postcopy\":false,\"downtime\":87},\"notify_time\":3198744114}",
            })
    void messagesThatNoVerbOfTodayReads(String file, String payload) throws IOException {
        assertThat(decode(Decoded.sample(file), HostSamplesTest::compact)).isEqualTo(payload);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "error_method_not_found|3d1c7a8e-6f20-4b5a-9e41-0a2b3c4d5e12|-32601|The method does"
                        + " not exist or is not available: {'method': 'Host.noSuchVerb'}",
                "error_no_such_vm|3d1c7a8e-6f20-4b5a-9e41-0a2b3c4d5e10|1|Virtual machine does not"
                        + " exist: {'vmId': '00000000-1111-2222-3333-444444444444'}",
                "error_parse||-32700|Invalid JSON was received by the server. An error occurred on"
                        + " the server while parsing the JSON text.",
                "error_recovering|3d1c7a8e-6f20-4b5a-9e41-0a2b3c4d5e11|99|Recovering from crash or"
                        + " Initializing",
            })
    void errors(String file, @Nullable String id, int code, String message) throws IOException {
        try (Envelope envelope = Envelope.open(FrameBody.utf8(Decoded.sample(file)))) {
            assertThat(envelope.kind()).isEqualTo(Envelope.Kind.ERROR);
            assertThat(envelope.error()).isEqualTo(new JsonRpcError(code, message));
            assertThat(envelope.id() == null ? null : envelope.id().text()).isEqualTo(id);
            envelope.finish();
        }
    }

    @Test
    void aListOfVms() throws IOException {
        Decoded engine = new Decoded();
        try {
            assertThat(engine.poll(Decoded.sample("host_getVMList"))).isEqualTo(5);
        } catch (org.stillwater.core.report.MalformedReport e) {
            throw new IOException(e);
        }
        assertThat(engine.reports)
                .extracting(r -> engine.running(r.vmId().toString()).runtime().status().label())
                .containsExactly("up", "up", "paused", "migrating_from", "up");
        assertThat(engine.reports).allMatch(r -> r.hostStampMillis() == 3198718219L);
    }

    @Test
    void legacyDefinitionsOfVms() throws IOException {
        List<Map<String, String>> vms =
                decode(Decoded.sample("vm_full_list_legacy"), HostSamplesTest::objects);
        assertThat(vms).hasSize(1);
        assertThat(vms.getFirst())
                .containsEntry("vmId", WEB.toString())
                .containsEntry("status", "Up")
                .containsEntry("statusTime", "1051234567")
                .containsEntry("memSize", "8192")
                .containsEntry("smp", "4")
                .containsEntry("displaySecurePort", "-1")
                .containsEntry("pauseCode", "NOERR")
                .containsKey("devices");
    }

    @Test
    void theSequenceOfAChangeOfDevices() throws Exception {
        List<Map<String, String>> steps = new ArrayList<>();
        try (JsonParser p =
                Json.FACTORY.createParser(
                        ObjectReadContext.empty(), Decoded.sample("devices_changed_sequence"))) {
            p.nextToken();
            steps.addAll(objects(p));
        }
        assertThat(steps).hasSize(4);
        Decoded engine = new Decoded();
        engine.poll(steps.get(0).get("message"));
        String before = engine.running().deviceHash();
        engine.learn();
        engine.poll(steps.get(1).get("message"));
        assertThat(before).isEqualTo("-3842716512098345671");
        assertThat(engine.running().deviceHash()).isEqualTo("6620017733451982044");
        assertThat(engine.running().runtime()).isSameAs(engine.known.get(WEB));
        assertThat(steps.get(2).get("message"))
                .contains("\"method\":\"Host.dumpxmls\"")
                .contains("\"vmList\":[\"" + WEB + "\"]");
        Map<VmId, String> xmls =
                decode(steps.get(3).get("message"), p -> HostDecoder.domainXmls(p, Set.of(WEB)));
        assertThat(xmls).containsOnlyKeys(WEB);
    }

    @Test
    void theRequestsOfAnEnginesCycle() throws IOException {
        List<Map<String, String>> requests;
        try (JsonParser p =
                Json.FACTORY.createParser(
                        ObjectReadContext.empty(), Decoded.sample("requests_engine_cycle"))) {
            p.nextToken();
            requests = objects(p);
        }
        assertThat(requests)
                .extracting(r -> r.get("method") + " " + r.get("id"))
                .containsExactly(
                        "Host.getCapabilities a0000000-0000-4000-8000-000000000001",
                        "Host.getHardwareInfo a0000000-0000-4000-8000-000000000002",
                        "Host.getStats a0000000-0000-4000-8000-000000000003",
                        "Host.getAllVmStats a0000000-0000-4000-8000-000000000004",
                        "Host.dumpxmls a0000000-0000-4000-8000-000000000005",
                        "VM.destroy a0000000-0000-4000-8000-000000000006",
                        "VM.shutdown a0000000-0000-4000-8000-000000000007",
                        "VM.migrate a0000000-0000-4000-8000-000000000008",
                        "Host.setMOMPolicyParameters a0000000-0000-4000-8000-000000000009");
        assertThat(requests.get(4)).containsEntry("params", "{\"vmList\":[\"" + WEB + "\"]}");
        assertThat(requests.get(5))
                .containsEntry("params", "{\"vmID\":\"7d41e8f3-1c29-4b77-a0d5-93e2b6c8f103\"}");
    }

    private static String compact(JsonParser parser) {
        Scratch scratch = new Scratch();
        scratch.appendValue(parser, 100_000, 100_000);
        return scratch.textOr(null);
    }

    /** The members of each object in a list: texts as they are, the rest as compact JSON. */
    private static List<Map<String, String>> objects(JsonParser p) {
        List<Map<String, String>> objects = new ArrayList<>();
        while (p.nextToken() == JsonToken.START_OBJECT) {
            Map<String, String> members = new LinkedHashMap<>();
            while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = p.currentName();
                p.nextToken();
                members.put(
                        name,
                        p.currentToken() == JsonToken.VALUE_STRING ? p.getString() : compact(p));
            }
            objects.add(members);
        }
        return objects;
    }
}
