package org.stillwater.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.HostVersions;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.trust.HostTrust;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.ovirt.resource.StorageReport;

/**
 * The exposition of a small fleet, byte for byte: names, texts, labels and numbers of every family.
 * With {@code -Dstillwater.golden=write} the files are written instead.
 */
class GoldenScrapeTest {

    private static final Path FILES = Path.of("src", "test", "resources", "metrics");
    private static final long NOW = 1_767_225_600_000L;
    private static final long STALE_MILLIS = 30_000;
    private static final HostId ALPHA = new HostId(new UUID(0xa, 1));
    private static final HostId BETA = new HostId(new UUID(0xa, 2));

    private final VmRegistry registry = new VmRegistry(3);
    private final List<VmReading> vms = new ArrayList<>();

    GoldenScrapeTest() {
        VmRun pinned =
                new VmRun(
                        3,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        false,
                        new VmRun.Topology(null, 2, 3, 4, null),
                        null);
        VmManager busy =
                vm(1, "web \"1\"\\\n\u00fc\ud83d\ude80", VmStatus.UP, VmPlacement.on(ALPHA));
        for (int poll = 0; poll < 3; poll++) {
            busy.statistics().update(full(poll), NOW - 20_000 + poll * 10_000L, busy.cpus());
        }
        VmManager sparse =
                vm(2, "sparse", VmStatus.MIGRATING_FROM, VmPlacement.on(BETA).withRun(pinned));
        VmSample few = new VmSample();
        few.memoryUsagePercent = 12;
        few.memoryFreeKibibytes = 1_000;
        few.memoryBufferedKibibytes = 100;
        few.migrationProgressPercent = 42;
        sparse.statistics().update(few, NOW - STALE_MILLIS, sparse.cpus());
        VmManager stale = vm(3, "stale", VmStatus.PAUSED, VmPlacement.on(ALPHA));
        stale.statistics().update(full(0), NOW - STALE_MILLIS - 1, stale.cpus());
        VmManager down = vm(4, "down", VmStatus.DOWN, VmPlacement.NOWHERE);
        down.statistics().update(full(0), NOW, down.cpus());
        VmManager _ = vm(5, "illegal", VmStatus.IMAGE_ILLEGAL, VmPlacement.NOWHERE);
        VmManager _ = vm(6, "new", VmStatus.UP, VmPlacement.on(BETA));
        VmManager _ = vm(7, "unwanted", VmStatus.UP, VmPlacement.on(BETA));
    }

    private VmManager vm(int number, String name, VmStatus status, VmPlacement placement) {
        VmId id = new VmId(0x5f6e7d8c9b0a41f2L, number);
        List<VmNic> nics = List.of(nic(number, 1, 10_000), nic(number, 2, 1_000));
        registry.register(
                id,
                new VmStatic(name, VmOrigin.OVIRT, false, 4_096, 2_048, 2, 2, 1, nics),
                new VmState(
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, status),
                        placement,
                        0,
                        Instant.EPOCH,
                        0),
                _ -> {});
        VmManager vm = Objects.requireNonNull(registry.find(id));
        vms.add(vm);
        return vm;
    }

    private static VmNic nic(int vm, int number, int speed) {
        return new VmNic(
                new UUID(vm, number),
                "nic" + number,
                "56:6f:00:00:%02d:%02d".formatted(vm, number),
                null,
                speed);
    }

    private static VmSample full(int poll) {
        VmSample sample = new VmSample();
        sample.cpuUserPercent = 12.25 + poll;
        sample.cpuSystemPercent = 5.5;
        sample.elapsedSeconds = 86_400L + poll;
        sample.memoryUsagePercent = 41L + poll;
        sample.memoryFreeKibibytes = 1_234_567;
        sample.memoryUnusedKibibytes = 234_567;
        sample.memoryBufferedKibibytes = 4_567;
        sample.memoryCachedKibibytes = 34_567;
        sample.balloonCurrentKibibytes = 4_194_304;
        sample.balloonMaximumKibibytes = 4_194_304;
        sample.balloonTargetKibibytes = 4_194_304;
        sample.balloonMinimumKibibytes = 2_097_152;
        sample.nicsReported = true;
        sample.disksReported = true;
        VmSample.Nic nic = sample.addNic();
        nic.mac = VmSample.Nic.macOf("56:6f:00:00:01:01");
        nic.receivedBytes = 1_000 + poll * 12_345_678L;
        nic.sentBytes = 2_000 + poll * 2_345_678L;
        nic.receiveDropped = 7;
        nic.sendDropped = poll == 2 ? VmSample.NOT_REPORTED : 8;
        nic.sampleTimeSeconds = 100 + poll * 10.0;
        VmSample.Disk disk = sample.addDisk();
        disk.name = "vda";
        disk.imageId = new VmId(2, 2);
        disk.readRate = 1_536.5;
        disk.writeRate = 1e7 / 3;
        disk.readOperations = 11;
        disk.writeOperations = 12;
        disk.actualSizeBytes = 1L << 33;
        disk.readLatencyNanos = 250_000;
        disk.writeLatencyNanos = 750_000;
        VmSample.Disk cd = sample.addDisk();
        cd.name = "sdc";
        cd.actualSizeBytes = 0;
        return sample;
    }

    private static List<HostView> hosts() {
        HostCapabilities capabilities =
                new HostValues()
                        .put(HostField.CPU_SOCKETS, 2)
                        .put(HostField.CPU_CORES, 32)
                        .put(HostField.CPU_THREADS, 64)
                        .put(HostField.CPU_SPEED, 2400.4)
                        .put(HostField.MEMORY, 262_144L)
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
                                HostField.BONDS,
                                Map.of(
                                        "bond0",
                                        new HostNetworks.Bond(
                                                HostNetworks.Ip.NONE,
                                                "00:1a:4a:00:00:02",
                                                List.of("eno2"),
                                                null,
                                                Map.of(),
                                                null,
                                                null,
                                                null,
                                                null,
                                                null)))
                        .capabilities();
        HostStatistics numbers =
                new HostValues()
                        .put(HostField.CPU_USER, 12.31)
                        .put(HostField.CPU_SYSTEM, 3.02)
                        .put(HostField.CPU_IDLE, 84.67)
                        .put(HostField.CPU_LOAD, 1.84)
                        .put(HostField.MEMORY_FREE, 51_644L)
                        .put(HostField.MEMORY_SHARED, 17L)
                        .put(HostField.SWAP_TOTAL, 16_383L)
                        .put(HostField.SWAP_FREE, 16_000L)
                        .put(
                                HostField.HUGE_PAGES,
                                Map.of(
                                        "2048",
                                        new HostStatistics.HugePages(8L, 4L, 4L),
                                        "1048576",
                                        new HostStatistics.HugePages(2L, null, null),
                                        "odd",
                                        new HostStatistics.HugePages(1L, 1L, 1L)))
                        .put(HostField.KSM_CPU, 3)
                        .put(HostField.VM_ACTIVE, 2)
                        .put(HostField.BOOT_TIME, 1_766_174_366L)
                        .statistics();
        TreeMap<String, HostNicUsage> nics = new TreeMap<>();
        nics.put("eno1", nicUsage(true, 10_000, 2.5, 0.1, 311L));
        nics.put("bond0", nicUsage(false, null, 2.5, null, null));
        nics.put("vlan7", nicUsage(null, 1_000, null, 100.0, 0L));
        HostUsage usage = new HostUsage(15, 61, 2, nics);
        HostValues nothing = new HostValues();
        return List.of(
                host(1, "alpha", HostStatus.UP, capabilities, numbers, NOW, usage),
                host(
                        2,
                        "beta",
                        HostStatus.UP,
                        null,
                        nothing.statistics(),
                        NOW - 30_000,
                        HostUsage.UNKNOWN),
                host(3, "stale", HostStatus.UP, capabilities, numbers, NOW - 30_001, usage),
                host(4, "drained", HostStatus.MAINTENANCE, capabilities, numbers, NOW, usage),
                host(5, "lost", HostStatus.NON_RESPONSIVE, null, null, 0, HostUsage.UNKNOWN));
    }

    private static HostNicUsage nicUsage(
            @Nullable Boolean up,
            @Nullable Integer speed,
            @Nullable Double receiveRate,
            @Nullable Double sendRate,
            @Nullable Long dropped) {
        return new HostNicUsage(
                up,
                speed,
                991_231_234_411L,
                412_312_344_123L,
                0,
                0,
                receiveRate,
                sendRate,
                dropped,
                dropped,
                1767225600.5);
    }

    private static HostView host(
            int number,
            String name,
            HostStatus status,
            @Nullable HostCapabilities capabilities,
            @Nullable HostStatistics statistics,
            long at,
            HostUsage usage) {
        return new HostView(
                new HostState(
                        new HostDefinition(
                                new HostId(new UUID(0xa, number)),
                                name,
                                "192.0.2." + number,
                                54_321,
                                ClusterId.DEFAULT),
                        HostCondition.of(status),
                        Instant.EPOCH,
                        null,
                        capabilities,
                        null,
                        HostVersions.UNKNOWN,
                        1),
                status == HostStatus.UP,
                statistics,
                at == 0 ? null : Instant.ofEpochMilli(at),
                usage,
                null,
                number,
                number * 1_000L,
                HostTrust.UNKNOWN);
    }

    private static List<StorageReport.Domain> domains() {
        return List.of(
                new StorageReport.Domain("data", "nfs", "/srv/data", true, true, 1L << 40, null),
                new StorageReport.Domain("iso", "nfs", "/srv/iso", false, false, 5, 1L << 41));
    }

    private static List<StorageReport.Disk> disks(VmId vm) {
        return vm.leastSignificantBits() == 1
                ? List.of(
                        new StorageReport.Disk("d1", "web_vda", "/dev/vda", "data", 1L << 33),
                        new StorageReport.Disk("d2", "web_lun", null, null, 0))
                : List.of();
    }

    /** The sixth VM was changed since its run began. */
    private static final class Names implements VmScrape.Names {
        @Override
        public String of(HostId host) {
            return host.equals(ALPHA) ? "alpha" : "beta";
        }

        @Override
        public String of(ClusterId cluster) {
            return "Default";
        }

        @Override
        public @Nullable RunDefinition running(VmReading vm) {
            return vm.id().leastSignificantBits() == 6
                    ? new RunDefinition(1, 8_192, 1_024, 1, 3, 2, null)
                    : null;
        }
    }

    private String exposition(boolean openMetrics) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Exposition out = new Exposition(bytes, openMetrics);
        VmScrape vmScrape =
                new VmScrape(
                        out,
                        vms,
                        vm -> vm.id().leastSignificantBits() != 7,
                        new Names(),
                        NOW,
                        STALE_MILLIS);
        vmScrape.write(VmFamilies.ALL);
        vmScrape.write(ExporterFamilies.ofVms(GoldenScrapeTest::disks));
        List<ScrapedHost> hosts =
                hosts().stream()
                        .map(host -> ScrapedHost.of(host, "Default", NOW, STALE_MILLIS))
                        .toList();
        Family.write(out, HostFamilies.ALL, hosts);
        Family.write(out, ExporterFamilies.ofHosts(hosts), hosts);
        Family.write(out, ExporterFamilies.ofStorage(), domains());
        out.end();
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("the exposition of a fleet is what collectors know, byte for byte")
    void theExpositionStays(boolean openMetrics) throws IOException {
        Path file = FILES.resolve(openMetrics ? "openmetrics.txt" : "prometheus.txt");
        String written = exposition(openMetrics);
        if ("write".equals(System.getProperty("stillwater.golden"))) {
            Files.writeString(file, written);
        }
        assertThat(written).as(file.toString()).isEqualTo(Files.readString(file));
    }
}
