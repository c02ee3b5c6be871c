package org.stillwater.monitoring.regression;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesPoints;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;

@DisplayName("The series of a VM's disk")
class MeasuredVmTest {

    private static final VmId VM = new VmId(0, 1);
    private static final HostId HOST = new HostId(new UUID(0, 2));
    private static final UUID IMAGE = new UUID(0, 3);
    private static final String MAC = "56:6f:00:00:00:01";
    private static final int WINDOW = 40;

    private final FleetSeries series = new FleetSeries(WINDOW, 1, 0);
    private final VmNumbers numbers = new VmNumbers();
    private final MeasuredVm measured = new MeasuredVm(VM);
    private final VmManager vm = register();
    private int reports;

    private static VmManager register(VmNic... nics) {
        VmRegistry registry = new VmRegistry(0);
        VmStatic definition =
                new VmStatic("vm", VmOrigin.OVIRT, false, 1024, 0, 1, 1, 1, List.of(nics));
        registry.register(
                VM,
                definition,
                new VmState(VmRuntime.INITIAL, VmPlacement.on(HOST), 0, Instant.EPOCH, 0),
                _ -> {});
        return Objects.requireNonNull(registry.find(VM));
    }

    private void sample() {
        VmSample sample = new VmSample();
        sample.disksReported = true;
        VmSample.Disk disk = sample.addDisk();
        disk.name = "vda";
        disk.imageId = VmId.of(IMAGE);
        disk.readRate = 1e6;
        disk.readLatencyNanos = 1e6;
        disk.readOperations = 1_000L * ++reports;
        vm.statistics().update(sample, 15_000L * reports, vm.cpus());
        measured.sample(vm, numbers, series);
    }

    private MeasuredSeries found() {
        return series.find(RegressionMetric.DISK_READ_LATENCY, VM + "/vda");
    }

    @Test
    @DisplayName("begins when the fleet has room again, and depends on the VM's host")
    void refused() {
        series.get(
                RegressionMetric.HOST_ANSWER,
                new SeriesOwner("other", List.of(new SeriesOwner.Shared("host", "other"))));
        measured.defined(vm.definition(), 0, 0, Map.of());
        sample();
        sample();
        assertThat(found()).isNull();
        assertThat(series.refused()).isEqualTo(2);

        series.close(series.interval() + WINDOW + 1); // the other one is dropped
        sample();

        assertThat(found()).isNotNull();
        assertThat(found().owner().shared()).contains(Owners.vm(VM), Owners.host(HOST));
    }

    private void balloon(long current, long minimum) {
        VmSample sample = new VmSample();
        sample.balloonCurrentKibibytes = current;
        sample.balloonMinimumKibibytes = minimum;
        sample.balloonMaximumKibibytes = 4_000;
        vm.statistics().update(sample, 15_000L * ++reports, vm.cpus());
        measured.sample(vm, numbers, series);
    }

    @Test
    @DisplayName("a balloon counts where it can take memory and the host knows its size")
    void balloon() {
        measured.defined(vm.definition(), 0, 0, Map.of());
        balloon(4_000, 4_000);
        assertThat(series.size()).as("no memory to take").isZero();
        balloon(0, 1_000);
        assertThat(series.size()).as("VDSM does not know the size").isZero();

        balloon(3_000, 1_000);
        series.close(series.interval() + 1);

        MeasuredSeries taken = series.find(RegressionMetric.VM_BALLOON, VM.toString());
        assertThat(taken.value(0)).isEqualTo(26);
        assertThat(taken.owner().shared()).contains(Owners.vm(VM), Owners.host(HOST));
    }

    @Test
    @DisplayName("goes on when the VM is defined otherwise")
    void redefined() {
        measured.defined(vm.definition(), 0, 0, Map.of());
        sample();
        MeasuredSeries first = found();
        assertThat(first).isNotNull();

        measured.defined(vm.definition(), 7, 0, Map.of());
        sample();

        assertThat(found()).isSameAs(first);
    }

    @Test
    @DisplayName("depends on the storage domain as soon as its host has named that")
    void placed() {
        UUID domain = new UUID(0, 9);
        measured.defined(vm.definition(), 0, 0, Map.of());
        sample();
        MeasuredSeries first = found();
        assertThat(first.owner().shared()).doesNotContain(Owners.storageDomain("" + domain));
        assertThat(measured.isRedefined(vm, 0)).isFalse();

        vm.devices().saved("hash", 5);
        assertThat(measured.isRedefined(vm, 0)).isTrue();
        measured.defined(vm.definition(), vm.deviceDigest(), 0, Map.of(IMAGE, domain));
        assertThat(measured.isRedefined(vm, 0)).isFalse();
        sample();

        assertThat(found()).isSameAs(first);
        assertThat(first.owner().shared()).contains(Owners.storageDomain("" + domain));
    }

    @Test
    @DisplayName("depends on the storage domain that its disk moves to in a pool")
    void movedInAPool() {
        UUID from = new UUID(0, 9);
        UUID to = new UUID(0, 10);
        assertThat(measured.isRedefined(vm, 1)).isTrue();
        measured.defined(vm.definition(), 0, 1, Map.of(IMAGE, from));
        sample();
        MeasuredSeries first = found();
        assertThat(first.owner().shared()).contains(Owners.storageDomain("" + from));
        assertThat(measured.isRedefined(vm, 1)).isFalse();

        assertThat(measured.isRedefined(vm, 2)).isTrue();
        measured.defined(vm.definition(), 0, 2, Map.of(IMAGE, to));
        sample();

        assertThat(measured.isRedefined(vm, 2)).isFalse();
        assertThat(found()).isSameAs(first);
        assertThat(first.owner().shared())
                .contains(Owners.storageDomain("" + to))
                .doesNotContain(Owners.storageDomain("" + from));
    }

    @Test
    @DisplayName("restarts and migrations are marks on throughput and interfaces, too")
    void marks() {
        VmManager busy = register(new VmNic(new UUID(3, 1), "nic1", MAC, null, 1_000));
        FleetSeries all = new FleetSeries(WINDOW, 100, 0);
        measured.defined(busy.definition(), 0, 0, Map.of());
        busy(busy, all, 100);
        busy(busy, all, 115);
        busy(busy, all, 130);
        assertThat(marks(all)).containsOnly(0);

        busy(busy, all, 10);
        assertThat(marks(all)).as("it restarted").hasSize(3).containsOnly(2);

        busy.publish(
                new VmState(
                        busy.state().runtime(),
                        VmPlacement.on(new HostId(new UUID(0, 4))),
                        0,
                        Instant.EPOCH,
                        0));
        busy(busy, all, 25);
        assertThat(marks(all)).as("it migrated").hasSize(3).containsOnly(4);
    }

    /** A report of a VM with a disk on which reads wait, and with traffic. */
    private void busy(VmManager busy, FleetSeries all, long elapsedSeconds) {
        VmSample sample = new VmSample();
        reports++;
        sample.elapsedSeconds = elapsedSeconds;
        sample.disksReported = true;
        VmSample.Disk disk = sample.addDisk();
        disk.name = "vda";
        disk.readRate = 1e6;
        disk.readLatencyNanos = 1e7;
        disk.readOperations = 15_000L * reports;
        sample.nicsReported = true;
        VmSample.Nic nic = sample.addNic();
        nic.mac = VmSample.Nic.macOf(MAC);
        nic.receivedBytes = 187_500_000L * reports;
        nic.sentBytes = 0;
        nic.receiveDropped = 0;
        nic.sendDropped = 0;
        nic.sampleTimeSeconds = 15.0 * reports;
        busy.statistics().update(sample, 15_000L * reports, busy.cpus());
        measured.sample(busy, numbers, all);
    }

    /** Marks of the latency, throughput and loss in the present interval, which ends. */
    private static List<Integer> marks(FleetSeries all) {
        long ended = all.interval();
        all.close(ended + 1);
        List<Long> keys =
                List.of(
                        SeriesPoints.key(RegressionMetric.DISK_READ_LATENCY, VM + "/vda"),
                        SeriesPoints.key(RegressionMetric.DISK_READ_THROUGHPUT, VM + "/vda"),
                        SeriesPoints.key(RegressionMetric.INTERFACE_LOSS, VM + "/nic1"));
        List<Integer> marks = new ArrayList<>();
        for (SeriesPoints points : all.points(ended)) {
            for (int i = 0; i < points.size(); i++) {
                if (keys.contains(points.key(i))) {
                    marks.add(points.marks(i));
                }
            }
        }
        return marks;
    }

    @Test
    @DisplayName("costs next to nothing while it is refused")
    void noNames() {
        series.get(
                RegressionMetric.HOST_ANSWER,
                new SeriesOwner("other", List.of(new SeriesOwner.Shared("host", "other"))));
        measured.defined(vm.definition(), 0, 0, Map.of());
        sample();
        sample();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (int i = 0; i < 100; i++) {
            vm.statistics().update(new VmSample(), 15_000L * ++reports, vm.cpus());
            long before = threads.getCurrentThreadAllocatedBytes();
            measured.sample(vm, numbers, series);
            allocated += threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(allocated / 100).as("bytes for each sample").isLessThan(100);
    }
}
