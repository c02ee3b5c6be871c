package org.stillwater.ovirt.resource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.HostVersions;
import org.stillwater.core.report.NumaNodeStatistics;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.InterfaceStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.trust.HostTrust;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Fleet;
import org.stillwater.testkit.memory.InMemoryTagStore;

/**
 * A fleet that changes by order only: two hosts, three VMs that run, are down and were found, one
 * pool, events and an operation.
 */
final class SmallFleet implements Fleet {

    static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
    static final ClusterId EAST = new ClusterId(id(0xc1));
    static final HostId NODE_01 = new HostId(id(0xa1));
    static final HostId NODE_02 = new HostId(id(0xa2));
    static final VmId WEB = VmId.of(id(0x11));
    static final VmId DESK = VmId.of(id(0x12));
    static final VmId FOUND = VmId.of(id(0x13));
    static final UUID NIC = id(0x21);
    static final UUID IMAGE = id(0x31);
    static final UUID DOMAIN = id(0x41);
    static final UUID OPERATION = id(0x51);
    static final UUID POOL = id(0x61);
    static final String MAC = "56:6f:1a:00:00:01";

    private final Map<VmId, VmView> vms = new LinkedHashMap<>();
    private final Map<VmId, VmStatisticsView> statistics = new HashMap<>();
    private final Map<VmId, VmSpecification> specifications = new HashMap<>();
    private final Map<VmId, Integer> priorities = new HashMap<>(Map.of(WEB, 50));
    private final Map<VmId, UUID> leases = new HashMap<>();
    private final Map<VmId, RunDefinition> runs = new HashMap<>();
    private final Map<HostId, HostView> hosts = new LinkedHashMap<>();
    private final List<AuditEntry> events = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();
    private final List<VmPool> pools = new ArrayList<>();
    private final Cluster east =
            new Cluster(
                    EAST,
                    DataCentreId.DEFAULT,
                    "cl-east",
                    "",
                    new HostRequirements(
                            new CompatibilityVersion(4, 7),
                            new CpuType("Example CPU Family", java.util.Set.of("nx"), null, null),
                            CpuArchitecture.X86_64,
                            List.of(),
                            null,
                            java.util.Set.of(),
                            java.util.Set.of(),
                            null,
                            false,
                            true,
                            List.of()),
                    MigrateOnError.ALL,
                    FencingPolicy.DEFAULT,
                    MemoryThresholds.DEFAULT);
    private final TagRegistry tags = new TagRegistry(new InMemoryTagStore());
    private long revision = 100;
    private long cycles = 7;
    private long definitions = 3;
    private Instant now = NOW;

    static UUID id(long number) {
        return new UUID(0x1000_0000_0000_4000L, 0x8000_0000_0000_0000L | number);
    }

    SmallFleet() {
        web();
        desk();
        found();
        node01();
        node02();
        told();
        Operation asked =
                Operation.on(
                                WEB,
                                OPERATION,
                                OperationKind.RUN,
                                OperationParameters.NONE,
                                new Operation.Origin("admin@internal", "5d0c2f1a"),
                                4,
                                NOW.minusSeconds(9))
                        .placed(NODE_01, "it has room")
                        .doing("is being started", NOW.minusMillis(8_500))
                        .ended(OperationState.SUCCEEDED, "runs", null, NOW.minusMillis(1_700));
        operations.add(asked);
        TreeMap<VmId, @Nullable String> members = new TreeMap<>();
        members.put(DESK, null);
        pools.add(
                new VmPool(POOL, "desktops", "For visitors", EAST, false, 1, 0, 1, null, members));
    }

    private void put(
            VmId id,
            VmStatic definition,
            VmRuntime runtime,
            VmPlacement placement,
            long atRevision) {
        vms.put(
                id,
                new VmView(
                        id,
                        definition,
                        new VmState(runtime, placement, atRevision, NOW.minusSeconds(30), 0),
                        NOW.minusSeconds(5)));
    }

    private void web() {
        VmRuntime runtime =
                VmRuntime.INITIAL
                        .edit()
                        .set(RuntimeField.STATUS, VmStatus.UP)
                        .set(RuntimeField.FQDN, "web-01.example.org")
                        .set(RuntimeField.GUEST_IPS, "192.0.2.15 2001:db8::15")
                        .set(
                                RuntimeField.GUEST_NICS,
                                new GuestNics(
                                        1,
                                        List.of(
                                                new GuestNic(
                                                        "eth0",
                                                        MAC,
                                                        List.of("192.0.2.15"),
                                                        List.of("2001:db8::15")))))
                        .set(RuntimeField.VNC_IP, "10.9.0.11")
                        .set(RuntimeField.VNC_PORT, 5900)
                        .set(RuntimeField.GUEST_OS_TYPE, "linux")
                        .set(RuntimeField.GUEST_OS_DISTRIBUTION, "Red Hat Enterprise Linux")
                        .set(RuntimeField.GUEST_OS_VERSION, "9.4")
                        .set(RuntimeField.GUEST_OS_KERNEL, "5.14.0-427.el9")
                        .set(RuntimeField.GUEST_OS_ARCH, "x86_64")
                        .set(RuntimeField.GUEST_TIMEZONE_NAME, "Europe/Berlin")
                        .set(RuntimeField.GUEST_TIMEZONE_OFFSET, 60)
                        .set(RuntimeField.APP_LIST, "kernel-5.14,qemu-guest-agent-8.2")
                        .set(RuntimeField.GUEST_USER, "root")
                        .build();
        put(
                WEB,
                new VmStatic(
                        "web-01",
                        VmOrigin.OVIRT,
                        true,
                        4_096,
                        2_048,
                        1,
                        2,
                        1,
                        List.of(new VmNic(NIC, "nic1", MAC, null, 10_000)),
                        false,
                        EAST),
                runtime,
                VmPlacement.on(NODE_01).withLastStart(Instant.parse("2026-02-28T21:00:00Z")),
                90);
        specifications.put(
                WEB,
                new VmSpecification(
                        "pc-q35-rhel9.2.0",
                        CpuArchitecture.X86_64,
                        VmSpecification.BARE.cpu(),
                        0,
                        16_384,
                        VmSpecification.Firmware.UEFI,
                        List.of(
                                VmSpecification.BootDevice.DISK,
                                VmSpecification.BootDevice.NETWORK),
                        false,
                        List.of(
                                new VmDisk(
                                        id(0x32),
                                        "web-01_root",
                                        new VmDisk.Place.Volume(
                                                id(0x42), DOMAIN, IMAGE, id(0x33), false),
                                        VmDisk.Bus.VIRTIO_SCSI,
                                        VmDisk.Format.QCOW2,
                                        1,
                                        false,
                                        false)),
                        null,
                        List.of(new VmInterface(NIC, "nic1", MAC, "mgmt")),
                        List.of(new VmConsole(VmConsole.Protocol.VNC, null)),
                        VmSpecification.Video.VGA,
                        false,
                        true,
                        false,
                        null,
                        null,
                        List.of(),
                        Map.of(),
                        Map.of("sap_agent", "true"),
                        null,
                        VmSpecification.ResumeBehaviour.AUTO_RESUME,
                        null,
                        null,
                        VmTraits.USUAL,
                        null));
        statistics.put(
                WEB,
                numbers(
                        12.345,
                        3.5,
                        45,
                        List.of(
                                new VmStatisticsView.Nic(
                                        NIC,
                                        "nic1",
                                        MAC,
                                        InterfaceStatus.UP,
                                        10_000,
                                        991_231_234_411L,
                                        412_312_344_123L,
                                        0L,
                                        0L,
                                        1.5,
                                        0.25,
                                        3L,
                                        0L,
                                        1234.5)),
                        List.of(
                                new VmStatisticsView.Disk(
                                        "sda",
                                        IMAGE.toString(),
                                        null,
                                        1024.5,
                                        2048,
                                        4_711L,
                                        815L,
                                        3_221_225_472L,
                                        0.000412,
                                        0.0008,
                                        Double.NaN),
                                new VmStatisticsView.Disk(
                                        "sr0",
                                        null,
                                        null,
                                        0,
                                        0,
                                        null,
                                        null,
                                        null,
                                        Double.NaN,
                                        Double.NaN,
                                        Double.NaN))));
    }

    private static VmStatisticsView numbers(
            double user,
            double system,
            int memory,
            List<VmStatisticsView.Nic> nics,
            List<VmStatisticsView.Disk> disks) {
        return new VmStatisticsView(
                NOW.minusSeconds(5),
                user,
                system,
                8,
                memory,
                2,
                46_800L,
                2_097_152L,
                1_048_576L,
                10_240L,
                512_000L,
                4_194_304L,
                4_194_304L,
                4_194_304L,
                0L,
                null,
                "[{\"path\":\"/\",\"total\":\"21003583488\",\"used\":\"3221225472\",\"fs\":\"xfs\"}]",
                nics,
                disks,
                List.of(9, 12),
                List.of(44, 45),
                List.of(1, 2));
    }

    private void desk() {
        put(
                DESK,
                new VmStatic(
                        "desk-01",
                        VmOrigin.OVIRT,
                        false,
                        2_048,
                        1_024,
                        2,
                        1,
                        1,
                        List.of(),
                        false,
                        EAST),
                VmRuntime.INITIAL,
                VmPlacement.NOWHERE
                        .withLastStop(Instant.parse("2026-02-27T18:00:00.123456Z"))
                        .withRun(VmRun.NEVER.withStopReason("moved to the new rack")),
                80);
    }

    private void found() {
        put(
                FOUND,
                new VmStatic(
                        "found <&> \u0001é",
                        VmOrigin.EXTERNAL,
                        false,
                        1_024,
                        1_024,
                        1,
                        1,
                        1,
                        List.of(new VmNic(id(0x22), "nic1", "52:54:00:00:00:02", id(0x71), 1_000)),
                        false,
                        EAST),
                VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                VmPlacement.on(NODE_01).withMigratingTo(NODE_02),
                95);
        statistics.put(
                FOUND,
                numbers(
                        150,
                        50,
                        0,
                        List.of(),
                        List.of(
                                new VmStatisticsView.Disk(
                                        "vda",
                                        null,
                                        "360014054aabbccddeeff001122334455",
                                        1,
                                        1,
                                        null,
                                        null,
                                        null,
                                        Double.NaN,
                                        Double.NaN,
                                        Double.NaN))));
    }

    private void node01() {
        HostCapabilities capabilities =
                new HostValues()
                        .put(HostField.CPU_MODEL, "Example 2.4GHz")
                        .put(HostField.CPU_FLAGS, "fpu,nx,model_Example,model_Older")
                        .put(HostField.CPU_SOCKETS, 2)
                        .put(HostField.CPU_CORES, 32)
                        .put(HostField.CPU_THREADS, 64)
                        .put(HostField.CPU_SPEED, 2400.4)
                        .put(HostField.MEMORY, 262_144L)
                        .put(HostField.SOFTWARE_VERSION, "4.50.5")
                        .put(HostField.OS_NAME, "RHEL")
                        .put(HostField.OS_VERSION, "9.4")
                        .put(HostField.OS_RELEASE, "1.el9")
                        .put(HostField.PACKAGE_LIBVIRT, "10.0.0-6.el9")
                        .put(HostField.SELINUX_MODE, 1)
                        .put(HostField.KDUMP_STATUS, 1)
                        .put(
                                HostField.NETWORKS,
                                Map.of(
                                        "mgmt",
                                        new HostNetworks.Network(
                                                ip("10.9.0.11"),
                                                "mgmt",
                                                true,
                                                "legacy",
                                                "eno1",
                                                null,
                                                List.of("eno1"),
                                                false,
                                                null)))
                        .put(
                                HostField.NICS,
                                Map.of(
                                        "eno1",
                                        new HostNetworks.Nic(
                                                HostNetworks.Ip.NONE,
                                                "00:1a:4a:00:00:01",
                                                null,
                                                10_000,
                                                null,
                                                null)))
                        .put(
                                HostField.VLANS,
                                Map.of(
                                        "eno1.100",
                                        new HostNetworks.Vlan(HostNetworks.Ip.NONE, "eno1", 100)))
                        .put(
                                HostField.NUMA_NODES,
                                List.of(
                                        new HostNumaNode(
                                                0,
                                                131_072L,
                                                List.of(0, 1),
                                                List.of(10, 21),
                                                Map.of()),
                                        new HostNumaNode(
                                                1,
                                                131_072L,
                                                List.of(2, 3),
                                                List.of(21, 10),
                                                Map.of())))
                        .capabilities();
        HostStatistics numbers =
                new HostValues()
                        .put(HostField.CPU_USER, 12.31)
                        .put(HostField.CPU_SYSTEM, 3.02)
                        .put(HostField.CPU_IDLE, 84.67)
                        .put(HostField.CPU_LOAD, 1.84)
                        .put(HostField.MEMORY_FREE, 51_644L)
                        .put(HostField.MEMORY_SHARED, 0L)
                        .put(HostField.SWAP_TOTAL, 16_383L)
                        .put(HostField.SWAP_FREE, 16_000L)
                        .put(HostField.TRANSPARENT_HUGE_PAGES, "always")
                        .put(
                                HostField.HUGE_PAGES,
                                Map.of("2048", new HostStatistics.HugePages(8L, 4L, 4L)))
                        .put(HostField.KSM_RUNNING, false)
                        .put(HostField.KSM_CPU, 0)
                        .put(HostField.VM_ACTIVE, 2)
                        .put(HostField.VM_MIGRATING, 1)
                        .put(HostField.BOOT_TIME, 1_766_174_366L)
                        .put(
                                HostField.STORAGE_DOMAINS,
                                Map.of(
                                        DOMAIN.toString(),
                                        new HostStatistics.StorageDomain(
                                                0, 4.2, 0.0004, true, 5, true, true)))
                        .put(
                                HostField.NUMA_STATISTICS,
                                List.of(
                                        new NumaNodeStatistics(
                                                0, 21_233L, 68, 12.82, 2.54, 84.64, 15, Map.of())))
                        .statistics();
        TreeMap<String, HostNicUsage> nics = new TreeMap<>();
        nics.put(
                "eno1",
                new HostNicUsage(
                        true,
                        10_000,
                        991_231_234_411L,
                        412_312_344_123L,
                        0,
                        0,
                        2.5,
                        0.5,
                        311L,
                        0L,
                        1767225600.5));
        hosts.put(
                NODE_01,
                new HostView(
                        new HostState(
                                new HostDefinition(NODE_01, "node-01", "10.9.0.11", 54321, EAST),
                                HostCondition.of(HostStatus.UP),
                                NOW.minusSeconds(3_600),
                                null,
                                capabilities,
                                new HostValues()
                                        .put(HostField.MANUFACTURER, "Example Systems")
                                        .put(HostField.SERIAL_NUMBER, "ES22000042")
                                        .hardware(),
                                HostVersions.UNKNOWN,
                                91),
                        true,
                        numbers,
                        NOW.minusSeconds(4),
                        new HostUsage(15, 61, 2, nics),
                        NOW.minusSeconds(5),
                        2,
                        9_000,
                        HostTrust.UNKNOWN));
    }

    private static HostNetworks.Ip ip(String address) {
        return new HostNetworks.Ip(
                address,
                "255.255.255.0",
                List.of(),
                List.of(),
                null,
                "10.9.0.1",
                null,
                1_500,
                true,
                false,
                false);
    }

    private void node02() {
        hosts.put(
                NODE_02,
                new HostView(
                        HostState.unheard(
                                        new HostDefinition(
                                                NODE_02, "node-02", "10.9.0.12", 54321, EAST),
                                        new HostCondition(
                                                HostStatus.MAINTENANCE,
                                                HostStatus.UP,
                                                org.stillwater.core.host.NonOperationalReason.NONE,
                                                "new memory",
                                                1,
                                                0),
                                        NOW.minusSeconds(60))
                                .withRevision(92),
                        false,
                        null,
                        null,
                        HostUsage.UNKNOWN,
                        null,
                        0,
                        0,
                        HostTrust.UNKNOWN));
    }

    private void told() {
        events.add(
                AuditEntry.of(
                        4_713,
                        NOW.minusMillis(500),
                        AuditEvent.VM_DOWN_ERROR,
                        VmId.of(id(0x19)),
                        "gone-01",
                        null,
                        null,
                        Map.of("exitMessage", "Lost connection with qemu")));
        events.add(
                AuditEntry.of(
                        4_712,
                        NOW.minusMillis(1_000),
                        AuditEvent.VDS_MAINTENANCE,
                        null,
                        null,
                        NODE_02,
                        "node-02",
                        Map.of()));
        events.add(
                AuditEntry.of(
                        4_711,
                        NOW.minusMillis(1_750),
                        AuditEvent.USER_RUN_VM,
                        WEB,
                        "web-01",
                        NODE_01,
                        "node-01",
                        Map.of("user", "admin@internal")));
    }

    // Changes, for tests

    /** A host was polled: numbers are new. */
    void cycle() {
        cycles++;
        revision += 0;
    }

    /** A VM changed its status. */
    void status(VmId id, VmStatus status) {
        VmView vm = vms.get(id);
        if (vm != null) {
            revision++;
            put(
                    id,
                    vm.definition(),
                    vm.state().runtime().with(RuntimeField.STATUS, status),
                    vm.state().placement(),
                    revision);
        }
    }

    /** Adds many VMs like one that is there. */
    void add(int count) {
        VmView like = vms.get(WEB);
        VmStatisticsView likeNumbers = statistics.get(WEB);
        if (like == null || likeNumbers == null) {
            throw new IllegalStateException("there is nothing to be like");
        }
        for (int i = 0; i < count; i++) {
            VmId id = VmId.of(id(0x10_0000 + i));
            put(
                    id,
                    like.definition().named("vm-%06d".formatted(i), VmOrigin.OVIRT),
                    like.state().runtime(),
                    like.state().placement(),
                    revision);
            statistics.put(id, likeNumbers);
        }
        definitions++;
    }

    void at(Instant time) {
        now = time;
    }

    // Fleet

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public Generation generation() {
        return new Generation(revision, cycles, definitions, 0, 0, 0, 0);
    }

    @Override
    public List<VmId> vms() {
        return vms.values().stream()
                .sorted(Comparator.comparing(vm -> vm.definition().name()))
                .map(VmView::id)
                .toList();
    }

    @Override
    public @Nullable VmView vm(VmId id) {
        return vms.get(id);
    }

    @Override
    public @Nullable VmStatisticsView statistics(VmId id) {
        return statistics.get(id);
    }

    @Override
    public @Nullable VmSpecification specification(VmId id) {
        return specifications.get(id);
    }

    @Override
    public @Nullable RunDefinition running(VmView vm) {
        return runs.get(vm.id());
    }

    /** The VM's definition was changed since it runs with this one. */
    void runsWith(VmId id, RunDefinition run) {
        runs.put(id, run);
        definitions++;
    }

    @Override
    public Instant created(VmId id) {
        return Instant.parse("2026-01-15T08:30:00Z");
    }

    @Override
    public int priority(VmId id) {
        return priorities.getOrDefault(id, 0);
    }

    @Override
    public @Nullable UUID lease(VmId id) {
        return leases.get(id);
    }

    /** The VM is down, and has this definition. */
    void define(VmId id, DefinitionStore.Definition definition) {
        put(id, definition.definition(), VmRuntime.INITIAL, VmPlacement.NOWHERE, revision);
        specifications.put(id, Objects.requireNonNull(definition.specification()));
        priorities.put(id, definition.priority());
        leases.remove(id);
        if (definition.lease() != null) {
            leases.put(id, definition.lease());
        }
        definitions++;
    }

    @Override
    public List<VmNumaNode> numa(VmId id) {
        return List.of();
    }

    @Override
    public List<HostView> hosts() {
        return List.copyOf(hosts.values());
    }

    @Override
    public @Nullable HostView host(HostId id) {
        return hosts.get(id);
    }

    @Override
    public List<FenceAgent> fenceAgents(HostId id) {
        return id.equals(NODE_01)
                ? List.of(
                        new FenceAgent(
                                "ipmilan",
                                "10.9.1.11",
                                623,
                                "operator",
                                "secret",
                                Map.of("lanplus", "1")),
                        new FenceAgent("apc", "10.9.1.2", null, null, null, Map.of()))
                : List.of();
    }

    @Override
    public List<Cluster> clusters() {
        return List.of(Cluster.DEFAULT, east);
    }

    @Override
    public @Nullable Cluster cluster(ClusterId id) {
        return id.equals(EAST) ? east : id.equals(ClusterId.DEFAULT) ? Cluster.DEFAULT : null;
    }

    @Override
    public List<DataCentre> dataCentres() {
        return List.of(DataCentre.DEFAULT);
    }

    @Override
    public List<AuditEntry> events() {
        return events;
    }

    @Override
    public List<Operation> operations() {
        return operations;
    }

    @Override
    public @Nullable Operation operation(UUID id) {
        return id.equals(OPERATION) ? operations.getFirst() : null;
    }

    @Override
    public List<VmPool> pools() {
        return pools;
    }

    @Override
    public @Nullable VmPool poolOf(VmId id) {
        return id.equals(DESK) ? pools.getFirst() : null;
    }

    @Override
    public TagRegistry tags() {
        return tags;
    }

    @Override
    public List<AffinityGroup> affinityGroups() {
        return List.of(
                new AffinityGroup(
                        id(0x81), "apart", EAST, false, true, java.util.Set.of(WEB, DESK)));
    }
}
