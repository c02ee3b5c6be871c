package org.stillwater.relay.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.BlockJobType;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.GuestSession;
import org.stillwater.core.vm.JobType;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.relay.state.Cells;

class VmCellsTest {

    private static final VmId VM = VmId.of(new UUID(3, 4));

    /** Takes reports as the analysis does, and writes numbers down. */
    private static final class Sink implements VmReportSink {
        final Map<VmId, VmRuntime> known = new HashMap<>();
        final List<VmReport> reports = new ArrayList<>();
        final List<String> samples = new ArrayList<>();
        final List<String> malformed = new ArrayList<>();
        @Nullable VmId failing;

        @Override
        public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
            return known.get(vmId);
        }

        @Override
        public void accept(VmReport report, @Nullable VmSample sample) {
            if (report.vmId().equals(failing)) {
                throw new IllegalStateException("a bug");
            }
            reports.add(report);
            samples.add(sample == null ? "" : text(sample));
            if (report instanceof VmReport.Running running) {
                known.put(report.vmId(), running.runtime());
            }
        }

        @Override
        public void malformed(@Nullable VmId vmId, String reason) {
            malformed.add(reason);
        }
    }

    private static String text(VmSample sample) {
        StringBuilder text = new StringBuilder();
        for (Object each :
                new Object[] {
                    sample.cpuUserPercent,
                    sample.cpuSystemPercent,
                    sample.elapsedSeconds,
                    sample.memoryUsagePercent,
                    sample.memoryFreeKibibytes,
                    sample.memoryUnusedKibibytes,
                    sample.memoryBufferedKibibytes,
                    sample.memoryCachedKibibytes,
                    sample.balloonCurrentKibibytes,
                    sample.balloonMaximumKibibytes,
                    sample.balloonTargetKibibytes,
                    sample.balloonMinimumKibibytes,
                    sample.migrationProgressPercent,
                    sample.disksUsageDigest,
                    sample.disksUsage,
                    sample.nicsReported,
                    sample.disksReported,
                    sample.jobs,
                    sample.numaDigest,
                    sample.numaNodes
                }) {
            text.append(each).append(' ');
        }
        for (int i = 0; i < sample.nicCount(); i++) {
            VmSample.Nic nic = sample.nic(i);
            text.append(
                    List.of(
                            nic.mac,
                            nic.receivedBytes,
                            nic.sentBytes,
                            nic.receiveDropped,
                            nic.sendDropped,
                            nic.sampleTimeSeconds));
        }
        for (int i = 0; i < sample.diskCount(); i++) {
            VmSample.Disk disk = sample.disk(i);
            text.append(
                    List.of(
                            disk.name,
                            String.valueOf(disk.imageId),
                            String.valueOf(disk.lunId),
                            disk.readRate,
                            disk.writeRate,
                            disk.readOperations,
                            disk.writeOperations,
                            disk.actualSizeBytes,
                            disk.readLatencyNanos,
                            disk.writeLatencyNanos,
                            disk.flushLatencyNanos));
        }
        return text.toString();
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aReportComesBackAsItWent(long seed) throws MalformedReport {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        VmRuntime runtime = runtime(random);
        VmSample sample = sample(random);
        VmReport report =
                random.nextInt(4) == 0
                        ? new VmReport.Exited(
                                VM,
                                random.nextInt(),
                                ExitStatus.ERROR,
                                ExitReason.LIBVIRT_START_FAILED,
                                "because " + seed)
                        : new VmReport.Running(
                                VM,
                                random.nextInt(),
                                text(random),
                                runtime,
                                text(random),
                                text(random),
                                text(random));

        Cells cells = VmCells.of(report, sample, Cells.NONE);
        Sink sink = new Sink();
        int count = reports(VmReports.Kind.POLL, cells).decode(sink);

        assertThat(sink.malformed).isEmpty();
        assertThat(count).isEqualTo(1);
        assertThat(sink.reports).containsExactly(report);
        if (report instanceof VmReport.Running) {
            assertThat(sink.samples).containsExactly(text(sample));
        }
        // The stable case: the very instance that is known comes back.
        VmRuntime known = sink.known.get(VM);
        reports(VmReports.Kind.POLL, cells).decode(sink);
        assertThat(sink.known.get(VM)).isSameAs(known);
    }

    @Test
    @DisplayName("a field that the relay never heard of keeps what the engine knows, or is cleared")
    void keptAndClearedFields() throws MalformedReport {
        VmRuntime seen = VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP);
        Cells cells =
                VmCells.of(
                        new VmReport.Running(VM, 1, "vm", seen, null), new VmSample(), Cells.NONE);
        Sink sink = new Sink();
        sink.known.put(
                VM,
                seen.edit()
                        .set(RuntimeField.UTC_DIFF, 3_600)
                        .set(RuntimeField.GUEST_USER, "root")
                        .build());

        reports(VmReports.Kind.POLL, cells).decode(sink);

        VmRuntime now = sink.known.get(VM);
        assertThat(now.value(RuntimeField.UTC_DIFF)).isEqualTo(3_600);
        assertThat(now.value(RuntimeField.GUEST_USER)).isNull();
    }

    @Test
    @DisplayName("an event changes the runtime and leaves the numbers of the last poll")
    void anEventLeavesTheNumbers() {
        VmSample sample = new VmSample();
        sample.elapsedSeconds = 77;
        VmRuntime up = VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP);
        Cells polled =
                VmCells.of(new VmReport.Running(VM, 1, "vm", up, "hash"), sample, Cells.NONE);
        VmRuntime paused = up.with(RuntimeField.STATUS, VmStatus.PAUSED);

        Cells now = VmCells.of(new VmReport.Running(VM, 2, null, paused, null), null, polled);

        assertThat(now.whole(CellKey.ELAPSED, 0)).isEqualTo(77);
        assertThat(now.text(CellKey.NAME)).isEqualTo("vm");
        assertThat(now.text(CellKey.DEVICE_HASH)).isEqualTo("hash");
        assertThat(VmCells.stampMillis(now)).isEqualTo(2);
        assertThat(now.whole(CellKey.of(RuntimeField.STATUS), -1))
                .isEqualTo(VmStatus.PAUSED.code());
        assertThat(VmCells.isPolled(now)).isTrue();
    }

    @Test
    @DisplayName("a VM that only an event mentioned keeps what the engine knows of it")
    void onlyAnEvent() throws MalformedReport {
        VmRuntime up = VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP);
        Cells cells = VmCells.of(new VmReport.Running(VM, 2, null, up, null), null, Cells.NONE);
        Sink sink = new Sink();
        sink.known.put(VM, VmRuntime.INITIAL.with(RuntimeField.GUEST_USER, "root"));

        reports(VmReports.Kind.POLL, cells).decode(sink);

        assertThat(sink.known.get(VM).text(RuntimeField.GUEST_USER)).isEqualTo("root");
        assertThat(sink.known.get(VM).status()).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("malformed cells cost that VM only, and are reported")
    void malformedCells() throws MalformedReport {
        Cells wrong =
                new Cells.Draft()
                        .whole(CellKey.KIND, CellKey.RUNNING)
                        .text(CellKey.of(RuntimeField.STATUS), "Up")
                        .build();
        Cells cut =
                new Cells.Draft()
                        .whole(CellKey.KIND, CellKey.RUNNING)
                        .text(CellKey.JOBS, "99:short")
                        .build();
        Sink sink = new Sink();

        reports(VmReports.Kind.POLL, wrong).decode(sink);
        reports(VmReports.Kind.POLL, cut).decode(sink);

        assertThat(sink.reports).isEmpty();
        assertThat(sink.malformed).hasSize(2);
    }

    @Test
    @DisplayName("a report that is not processed costs that VM only")
    void aReceiversBug() throws MalformedReport {
        VmId other = VmId.of(new UUID(3, 5));
        VmRuntime up = VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP);
        Map<UUID, Cells> records = new HashMap<>();
        for (VmId vm : List.of(VM, other)) {
            records.put(
                    vm.toUuid(),
                    VmCells.of(
                            new VmReport.Running(vm, 1, "vm", up, null),
                            new VmSample(),
                            Cells.NONE));
        }
        Sink sink = new Sink();
        sink.failing = VM;

        int count = new MirroredReports(VmReports.Kind.POLL, records, 10, 20, 30).decode(sink);

        assertThat(count).isEqualTo(1);
        assertThat(sink.reports).extracting(VmReport::vmId).containsExactly(other);
        assertThat(sink.malformed).singleElement().asString().contains("a bug");
    }

    @Test
    @DisplayName("every field of the runtime has a key of its own")
    void keysAreDistinct() {
        Map<Integer, RuntimeField> keys = new HashMap<>();
        for (RuntimeField field : RuntimeField.values()) {
            assertThat(keys.put(CellKey.of(field), field)).as("%s", field).isNull();
            assertThat(CellKey.isRuntime(CellKey.of(field))).isTrue();
            assertThat(CellKey.of(field)).isNotEqualTo(CellKey.GUEST_NIC_LIST);
        }
    }

    private static MirroredReports reports(VmReports.Kind kind, Cells cells) {
        return new MirroredReports(
                kind,
                Map.of(
                        VM.toUuid(),
                        cells,
                        HostCells.id(),
                        new HostCells(true, 1, 1, 1, null).cells()),
                10,
                20,
                30);
    }

    private static @Nullable String text(RandomGenerator random) {
        return switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> "";
            case 2 -> "a:1,\u00e9\uD83D\uDE00\n";
            default -> "text" + random.nextInt(100);
        };
    }

    private static VmRuntime runtime(RandomGenerator random) {
        VmRuntime.Draft draft = new VmRuntime.Draft();
        for (RuntimeField field : RuntimeField.values()) {
            if (random.nextBoolean()) {
                draft.set(
                        field,
                        switch (field.type()) {
                            case TEXT -> text(random);
                            case INTEGER -> random.nextInt(-5, 70_000);
                            case LONG -> random.nextLong();
                            case BOOLEAN -> random.nextBoolean();
                            case VM_STATUS -> random.nextBoolean() ? VmStatus.UP : VmStatus.PAUSED;
                            case PAUSE_STATUS -> PauseStatus.NOERR;
                            case EXIT_STATUS -> ExitStatus.ERROR;
                            case EXIT_REASON -> ExitReason.LIBVIRT_START_FAILED;
                            case GUEST_SESSION -> GuestSession.UNKNOWN;
                            case GUEST_NICS ->
                                    new GuestNics(
                                            random.nextLong() | 1,
                                            List.of(
                                                    new GuestNic(
                                                            "eth:0",
                                                            "00:1a:4a:16:01:51",
                                                            List.of("192.0.2.1", "3:x"),
                                                            List.of()),
                                                    new GuestNic(
                                                            "",
                                                            "",
                                                            List.of(),
                                                            List.of("fe80::1%eth0"))));
                        });
            }
        }
        return draft.build();
    }

    private static VmSample sample(RandomGenerator random) {
        VmSample sample = new VmSample();
        if (random.nextBoolean()) {
            sample.cpuUserPercent = random.nextDouble();
            sample.cpuSystemPercent = 0;
            sample.elapsedSeconds = random.nextInt();
            sample.memoryFreeKibibytes = random.nextLong();
            sample.balloonMaximumKibibytes = 0;
            sample.migrationProgressPercent = 7;
        }
        if (random.nextBoolean()) {
            sample.disksUsageDigest = random.nextLong() | 1;
            sample.disksUsage = "[{\"path\": \"/\"}]";
            sample.numaDigest = random.nextLong() | 1;
            sample.numaNodes =
                    List.of(new VmNumaNode(0, List.of(0, 1)), new VmNumaNode(1, List.of()));
        }
        if (random.nextBoolean()) {
            sample.jobs =
                    random.nextBoolean()
                            ? List.of()
                            : List.of(
                                    VmJobReport.unreadable(new UUID(1, 2)),
                                    new VmJobReport(
                                            new UUID(1, 3),
                                            JobType.BLOCK,
                                            BlockJobType.COMMIT,
                                            0L,
                                            5L,
                                            Long.MAX_VALUE,
                                            new UUID(5, 6)));
        }
        if (random.nextBoolean()) {
            sample.nicsReported = true;
            for (int i = random.nextInt(3); i > 0; i--) {
                VmSample.Nic nic = sample.addNic();
                nic.mac = random.nextBoolean() ? VmSample.NOT_REPORTED : random.nextLong() >>> 16;
                nic.receivedBytes = random.nextLong();
                nic.sampleTimeSeconds = random.nextDouble();
            }
        }
        if (random.nextBoolean()) {
            sample.disksReported = true;
            for (int i = random.nextInt(4); i > 0; i--) {
                VmSample.Disk disk = sample.addDisk();
                disk.name = "vd" + (char) ('a' + i);
                disk.imageId = random.nextBoolean() ? null : VmId.of(new UUID(8, i));
                disk.lunId = random.nextBoolean() ? null : "36001";
                disk.readRate = random.nextDouble();
                disk.writeOperations = i;
                disk.flushLatencyNanos = 12.5;
            }
        }
        return sample;
    }
}
