package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.StatisticsStore.Sample;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.dwh.DumpMode;
import org.stillwater.monitoring.dwh.WarehouseSettings;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmStatistics;
import org.stillwater.monitoring.worker.WorkerHealth;

class StatisticsDumpTest {

    private static final Duration INTERVAL = Duration.ofSeconds(60);

    private final Lab lab = always(new Lab(), INTERVAL);
    private long stamp = 100;

    private static Lab always(Lab lab, Duration interval) {
        return lab.with(
                new MonitoringSettings(
                        lab.settings.hosts(),
                        lab.settings.writer(),
                        lab.settings.feed(),
                        lab.settings.usageHistory(),
                        new WarehouseSettings(
                                DumpMode.ALWAYS, INTERVAL, interval, Duration.ofSeconds(15))));
    }

    private void twoVmsUp() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();
        answer(numbers(10), numbers(10));
    }

    private static Consumer<VmSample> numbers(long elapsed) {
        return sample -> {
            sample.cpuUserPercent = 12.5;
            sample.cpuSystemPercent = 0.5;
            sample.elapsedSeconds = elapsed;
            sample.memoryUsagePercent = 40;
            sample.memoryBufferedKibibytes = 1_024;
            sample.disksUsageDigest = 5;
            sample.disksUsage = "[]";
        };
    }

    private static Sample sample(long elapsed) {
        return new Sample(
                VM, 12.5, 0.5, elapsed, 3, 40, null, "[]", 1_024L, null, List.of(), List.of(),
                true);
    }

    private void answer(Consumer<VmSample> first, Consumer<VmSample> second) {
        long at = stamp++;
        lab.answer(
                ALPHA,
                poll -> {
                    poll.running(VM, at, null, status(VmStatus.UP), first);
                    poll.running(OTHER, at, null, status(VmStatus.UP), second);
                });
        lab.settle();
    }

    private void cycle(Consumer<VmSample> first, Consumer<VmSample> second) {
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        answer(first, second);
    }

    @Test
    @DisplayName("S105 Samples are at most an interval old, in at most one batch per interval")
    void samplesAreAtMostAnIntervalOld() throws Exception {
        twoVmsUp();
        int others = lab.sqlCalls();
        assertThat(lab.statistics.calls()).as("the first dump comes after an interval").isZero();
        int seconds = 10;
        for (int minute = 1; minute <= 10; minute++) {
            for (int i = 0; i < 4; i++) {
                seconds += 15;
                cycle(numbers(seconds), numbers(10));
            }
            lab.clock.advance(Duration.ofMillis(1));
            lab.pump();
            assertThat(lab.statistics.calls())
                    .as("dumps by minute %d", minute)
                    .isLessThanOrEqualTo(minute);
            assertThat(lab.statistics.sample(VM).elapsedSeconds())
                    .as("sample in minute %d", minute)
                    .isBetween(seconds - 60L, (long) seconds);
        }
        assertThat(lab.statistics.calls()).isGreaterThanOrEqualTo(9);
        assertThat(lab.statistics.rows())
                .as("the VM whose values stand was written once")
                .isEqualTo(lab.statistics.calls() + 1);
        assertThat(lab.sqlCalls()).as("no cycle had anything to do with it").isEqualTo(others);
    }

    @Test
    @DisplayName("S105 A stable VM is not written again")
    void aStableVmIsNotWrittenAgain() throws Exception {
        twoVmsUp();
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.statistics.sample(VM)).isEqualTo(sample(10));
        assertThat(lab.statistics.calls()).isEqualTo(1);
        for (int i = 0; i < 5; i++) {
            lab.clock.advance(INTERVAL);
            lab.pump();
        }
        assertThat(lab.statistics.calls()).isEqualTo(1);
    }

    @Test
    @DisplayName("S105 A database that is away costs a dump, and the next one makes up for it")
    void anAbsentDatabaseCostsOneDump() throws Exception {
        twoVmsUp();
        lab.statistics.unavailable("gone");
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.counter("stillwater.dwh.skipped")).isEqualTo(1);
        assertThat(lab.engine.health().writer().notDurableSince())
                .as("the writer has nothing to do with it")
                .isNull();
        lab.clock.advance(INTERVAL.dividedBy(2));
        lab.pump();
        assertThat(lab.statistics.calls()).as("not tried again at once").isEqualTo(1);

        lab.statistics.unavailable(null);
        lab.clock.advance(INTERVAL.dividedBy(2));
        lab.pump();
        assertThat(lab.statistics.sample(VM)).isEqualTo(sample(10));
        assertThat(lab.statistics.rows()).isEqualTo(2);
    }

    @Test
    void aVmWithWhichTheStoreThrowsCostsNoOtherItsSample() throws Exception {
        twoVmsUp();
        lab.statistics.throwWith(OTHER);
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.statistics.sample(VM)).isEqualTo(sample(10));
        assertThat(lab.statistics.sample(OTHER)).isNull();
        assertThat(dumps().condition()).isEqualTo(WorkerHealth.Condition.WELL);

        lab.statistics.throwWith(null);
        for (int i = 0; i < 4; i++) {
            cycle(numbers(20), numbers(20));
        }
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.statistics.sample(OTHER).elapsedSeconds()).isEqualTo(20);
    }

    @Test
    void aVmThatCannotBeSampledCostsNoOtherItsSample() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP);
        lab.vms.put(
                new StoredVm(
                        OTHER,
                        new VmStatic(
                                "vm2",
                                VmOrigin.OVIRT,
                                false,
                                2048,
                                1024,
                                2,
                                2,
                                1,
                                List.of(new VmNic(new UUID(1, 1), "nic1", Lab.MAC, null, 1000))),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(ALPHA)));
        lab.started();
        answer(
                numbers(10),
                numbers(10)
                        .andThen(sample -> {
                            sample.nicsReported = true;
                            VmSample.Nic nic = sample.addNic();
                            nic.mac = VmSample.Nic.macOf(Lab.MAC);
                            nic.receivedBytes = 1;
                        }));
        breakInterface(lab.engine.manager(OTHER));
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.statistics.sample(VM)).isEqualTo(sample(10));
        assertThat(lab.statistics.sample(OTHER)).isNull();
    }

    /** As a bug might: no value that a VM can have makes it impossible to sample. */
    private static void breakInterface(VmManager vm) throws ReflectiveOperationException {
        Field nics = VmStatistics.class.getDeclaredField("nics");
        nics.setAccessible(true);
        Array.set(nics.get(vm.statistics()), 0, null);
    }

    @Test
    @DisplayName("A dump that fails by a bug is counted, logged, and shown in health")
    void aDumpThatFailsIsShownInHealth() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 1, null, status(VmStatus.UP), numbers(10)));
        lab.settle();
        lab.statistics.throwWith(VM);
        for (int dumps = 1; dumps <= 2; dumps++) {
            lab.clock.advance(INTERVAL);
            lab.pump();
            assertThat(lab.counter("stillwater.worker.failures", "worker", "statistics-dump"))
                    .isEqualTo(dumps);
            assertThat(lab.counter("stillwater.dwh.skipped")).isEqualTo(dumps);
        }
        assertThat(dumps().condition()).isEqualTo(WorkerHealth.Condition.FAILING);

        lab.statistics.throwWith(null);
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.statistics.sample(VM)).isEqualTo(sample(10));
        assertThat(dumps().condition()).isEqualTo(WorkerHealth.Condition.WELL);
    }

    private WorkerHealth dumps() {
        return lab.engine.workers().health(List.of("statistics-dump")).getFirst();
    }

    @Test
    void aHeartbeatThatFailsIsShownInHealth() throws Exception {
        Duration beat = Duration.ofSeconds(15);
        lab.with(
                new MonitoringSettings(
                        lab.settings.hosts(),
                        lab.settings.writer(),
                        lab.settings.feed(),
                        lab.settings.usageHistory(),
                        new WarehouseSettings(DumpMode.ALWAYS, INTERVAL, Duration.ZERO, beat)));
        twoVmsUp();
        lab.statistics.throwHeartbeats(true);
        for (int beats = 1; beats <= 3; beats++) {
            lab.clock.advance(beat);
            lab.pump();
            assertThat(lab.counter("stillwater.worker.failures", "worker", "dwh-heartbeat"))
                    .isEqualTo(beats);
        }
        assertThat(lab.engine.workers().health(List.of("dwh-heartbeat")))
                .extracting(WorkerHealth::condition)
                .containsExactly(WorkerHealth.Condition.FAILING);

        lab.statistics.throwHeartbeats(false);
        lab.statistics.unavailable("gone");
        lab.clock.advance(beat);
        lab.pump();
        assertThat(lab.engine.workers().health(List.of("dwh-heartbeat")))
                .as("a database that is away is shown by others")
                .extracting(WorkerHealth::condition)
                .containsExactly(WorkerHealth.Condition.WELL);
    }

    @Test
    void aVmThatStoppedIsSampledAsSuchOnce() throws Exception {
        twoVmsUp();
        lab.clock.advance(INTERVAL);
        lab.pump();
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM,
                                9_000,
                                ExitStatus.NORMAL,
                                ExitReason.ADMIN_SHUTDOWN,
                                "stopped"));
        for (int i = 0; i < 3; i++) {
            lab.clock.advance(INTERVAL);
            lab.pump();
        }
        assertThat(lab.statistics.sample(VM))
                .isEqualTo(
                        new Sample(
                                VM, 0.0, 0.0, 0L, 0, 0, 0, null, null, null, List.of(), List.of(),
                                false));
        assertThat(lab.statistics.calls()).isEqualTo(2);
    }

    @Test
    void anUnknownVmIsNotDumped() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.clock.advance(INTERVAL.multipliedBy(3));
        lab.pump();
        assertThat(lab.statistics.calls()).isZero();
    }

    @Test
    void aVmThatStoppedWhileTheEngineWasAwayUsesNothing() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.DOWN).started();
        lab.clock.advance(INTERVAL.multipliedBy(3));
        lab.pump();
        assertThat(lab.statistics.sample(VM))
                .isEqualTo(
                        new Sample(
                                VM, 0.0, 0.0, 0L, 0, 0, 0, null, null, null, List.of(), List.of(),
                                true));
        assertThat(lab.statistics.calls()).isEqualTo(1);
    }

    /** Looking for rows to remove costs a warehouse's database more than writing them. */
    @Test
    void partsAreMarkedOnlyAfterAChange() throws Exception {
        twoVmsUp();
        assertThat(partsChangedAfter(disks(20, DISK))).as("the first sample").isTrue();
        assertThat(partsChangedAfter(disks(35, DISK))).as("other numbers, same disk").isFalse();
        assertThat(partsChangedAfter(disks(50, DISK, SECOND_DISK))).as("one more").isTrue();
        assertThat(partsChangedAfter(disks(65, DISK, SECOND_DISK))).as("the same two").isFalse();
        assertThat(partsChangedAfter(disks(80, SECOND_DISK))).as("one less").isTrue();
        lab.statistics.unavailable("gone");
        assertThat(partsChangedAfter(disks(95, DISK))).as("nothing was saved").isTrue();
        lab.statistics.unavailable(null);
        assertThat(partsChangedAfter(disks(110, DISK))).as("not known to the store yet").isTrue();
        assertThat(partsChangedAfter(disks(125, DISK))).isFalse();
    }

    private static final UUID DISK = new UUID(7, 7);
    private static final UUID SECOND_DISK = new UUID(8, 8);

    private boolean partsChangedAfter(Consumer<VmSample> numbers) throws Exception {
        for (int i = 0; i < 4; i++) {
            cycle(numbers, numbers(10));
        }
        lab.clock.advance(Duration.ofMillis(1));
        lab.pump();
        return lab.statistics.offered(VM).partsChanged();
    }

    private static Consumer<VmSample> disks(long elapsed, UUID... images) {
        return numbers(elapsed)
                .andThen(sample -> {
                    sample.disksReported = true;
                    for (UUID image : images) {
                        VmSample.Disk disk = sample.addDisk();
                        disk.name = "vda";
                        disk.imageId = VmId.of(image);
                    }
                });
    }

    @Test
    void zeroIsNever() throws Exception {
        always(lab, Duration.ZERO);
        twoVmsUp();
        lab.clock.advance(INTERVAL.multipliedBy(10));
        lab.pump();
        assertThat(lab.statistics.calls()).isZero();
    }

    @Test
    @DisplayName("S105 Interfaces and disks are in the same batch, and what does not differ is not")
    void interfacesAndDisksAreInTheSameBatch() throws Exception {
        twoVmsUp();
        Consumer<VmSample> withDisk =
                sample -> {
                    numbers(10).accept(sample);
                    sample.disksReported = true;
                    VmSample.Disk disk = sample.addDisk();
                    disk.name = "vda";
                    disk.imageId = new VmId(7, 7);
                    disk.readRate = 1_000.6;
                    disk.readOperations = 12;
                    disk.actualSizeBytes = 4_096;
                    disk.readLatencyNanos = 250_000_000;
                    sample.addDisk().name = "sdc";
                };
        cycle(withDisk, numbers(10));
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.statistics.calls()).isEqualTo(1);
        assertThat(lab.statistics.sample(VM).disks())
                .as("what has no image is no disk of a data warehouse")
                .hasSize(1)
                .first()
                .satisfies(disk -> {
                    assertThat(disk.imageId()).isEqualTo(new UUID(7, 7));
                    assertThat(disk.readBytesPerSecond()).isEqualTo(1_001);
                    assertThat(disk.readOperations()).isEqualTo(12);
                    assertThat(disk.actualSizeBytes()).isEqualTo(4_096);
                    assertThat(disk.readLatencySeconds()).isEqualTo(0.25);
                });
        int rows = lab.statistics.rows();
        cycle(withDisk, numbers(10));
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.statistics.calls()).as("nothing differs").isEqualTo(1);
        assertThat(lab.statistics.rows()).isEqualTo(rows);
    }

    @Test
    @DisplayName("S105 A data warehouse gets heartbeats, independent of the fleet")
    void theHeartHasAnIntervalOfItsOwn() throws Exception {
        lab.with(
                new MonitoringSettings(
                        lab.settings.hosts(),
                        lab.settings.writer(),
                        lab.settings.feed(),
                        lab.settings.usageHistory(),
                        new WarehouseSettings(
                                DumpMode.ALWAYS, INTERVAL, Duration.ZERO, Duration.ofSeconds(15))));
        twoVmsUp();
        int others = lab.sqlCalls();
        for (int beats = 1; beats <= 4; beats++) {
            lab.clock.advance(Duration.ofSeconds(15));
            lab.pump();
            assertThat(lab.statistics.heartbeats()).isEqualTo(beats);
        }
        lab.statistics.unavailable("gone");
        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        assertThat(lab.statistics.heartbeats()).isEqualTo(4);
        lab.statistics.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(60));
        lab.pump();
        assertThat(lab.statistics.heartbeats()).as("missed beats are not made up for").isEqualTo(5);
        assertThat(lab.counter("stillwater.dwh.heartbeats")).isEqualTo(5);
        assertThat(lab.statistics.calls()).isZero();
        assertThat(lab.sqlCalls()).isEqualTo(others);
    }

    @Test
    void zeroIsNoHeartbeat() throws Exception {
        lab.with(
                new MonitoringSettings(
                        lab.settings.hosts(),
                        lab.settings.writer(),
                        lab.settings.feed(),
                        lab.settings.usageHistory(),
                        new WarehouseSettings(DumpMode.ALWAYS, INTERVAL, INTERVAL, Duration.ZERO)));
        twoVmsUp();
        lab.clock.advance(INTERVAL.multipliedBy(10));
        lab.pump();
        assertThat(lab.statistics.heartbeats()).isZero();
    }
}
