package org.stillwater.monitoring.regression;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
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
    private static final int WINDOW = 40;

    private final FleetSeries series = new FleetSeries(WINDOW, 1, 0);
    private final VmNumbers numbers = new VmNumbers();
    private final MeasuredVm measured = new MeasuredVm(VM);
    private final VmManager vm = register();
    private int reports;

    private static VmManager register() {
        VmRegistry registry = new VmRegistry(0);
        VmStatic definition =
                new VmStatic("vm", VmOrigin.OVIRT, false, 1024, 0, 1, 1, 1, List.of());
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
        measured.defined(vm.definition(), 0, Map.of());
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
        measured.defined(vm.definition(), 0, Map.of());
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
        measured.defined(vm.definition(), 0, Map.of());
        sample();
        MeasuredSeries first = found();
        assertThat(first).isNotNull();

        measured.defined(vm.definition(), 0, Map.of());
        sample();

        assertThat(found()).isSameAs(first);
    }

    @Test
    @DisplayName("depends on the storage domain as soon as its host has named that")
    void placed() {
        UUID domain = new UUID(0, 9);
        measured.defined(vm.definition(), 0, Map.of());
        sample();
        MeasuredSeries first = found();
        assertThat(first.owner().shared()).doesNotContain(Owners.storageDomain("" + domain));
        assertThat(measured.isRedefined(vm)).isFalse();

        vm.devices().saved("hash", 5);
        assertThat(measured.isRedefined(vm)).isTrue();
        measured.defined(vm.definition(), vm.deviceDigest(), Map.of(IMAGE, domain));
        assertThat(measured.isRedefined(vm)).isFalse();
        sample();

        assertThat(found()).isSameAs(first);
        assertThat(first.owner().shared()).contains(Owners.storageDomain("" + domain));
    }

    @Test
    @DisplayName("costs next to nothing while it is refused")
    void noNames() {
        series.get(
                RegressionMetric.HOST_ANSWER,
                new SeriesOwner("other", List.of(new SeriesOwner.Shared("host", "other"))));
        measured.defined(vm.definition(), 0, Map.of());
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
