package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.MAC;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.defined;
import static org.stillwater.monitoring.Lab.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmSignals;

/** Statistics of VMs, from the report of a host to the reader's view. */
class StatisticsScenariosTest {

    private static final VmId DISK = new VmId(7, 7);

    private final Lab lab = new Lab();
    private final List<String> followed = new ArrayList<>();
    private int stamp = 100;
    private int callsBefore;

    @BeforeEach
    void upOnAlpha() throws Exception {
        lab.storedHosts(ALPHA, BETA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, BETA, VmStatus.UP);
    }

    @Test
    @DisplayName(
            "S60 four CPUs at 440 % of one are used up; the forty-first sample drops the first")
    void usageOfCpus() throws Exception {
        started();
        for (int i = 1; i <= 41; i++) {
            int user = i == 41 ? 390 : 4 * i - 50;
            poll(sample -> {
                sample.cpuSystemPercent = 50;
                sample.cpuUserPercent = user;
            });
        }

        assertThat(numbers().cpuSystemPercent()).isEqualTo(50);
        assertThat(numbers().cpuUserPercent()).isEqualTo(390);
        assertThat(numbers().usageCpuPercent()).isEqualTo(100);
        List<Integer> last40 =
                IntStream.rangeClosed(2, 41).mapToObj(i -> i == 41 ? 100 : i).toList();
        assertThat(numbers().cpuHistory()).isEqualTo(last40);
    }

    @Test
    @DisplayName("S60 a VM that was started with other CPUs than defined is measured by those")
    void usageOfCpusThatTheVmWasStartedWith() throws Exception {
        VmRun.Topology eight = new VmRun.Topology(null, 2, 2, 2, null);
        VmRun pinned = new VmRun(1, null, null, null, null, null, null, null, false, eight, null);
        lab.vms.put(
                new StoredVm(
                        VM,
                        defined(VM, VmOrigin.OVIRT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(ALPHA).withRun(pinned)));
        started();

        poll(sample -> {
            sample.cpuSystemPercent = 50;
            sample.cpuUserPercent = 390;
        });

        assertThat(numbers().usageCpuPercent()).isEqualTo(55);
    }

    @Test
    @DisplayName("S61 187.5 MB in 15 s are a tenth of an interface of 1000 Mbit/s")
    void rateOfAnInterface() throws Exception {
        started();
        poll(nic(10, 0, 0));
        poll(nic(25, 187_500_000, 0));

        assertThat(nic().receiveRatePercent()).isEqualTo(10.0);
        assertThat(nic().sendRatePercent()).isZero();
        assertThat(numbers().usageNetworkPercent()).isEqualTo(10);
        assertThat(numbers().networkHistory()).containsExactly(10);
    }

    @Test
    @DisplayName("S62 a counter that starts again goes on from the total and has no negative rate")
    void aCounterThatStartsAgain() throws Exception {
        started();
        poll(nic(10, 0, 0));
        poll(nic(25, 1_000, 0));

        poll(nic(40, 200, 0));

        assertThat(nic().receivedOffsetBytes()).isEqualTo(1_000);
        assertThat(nic().receivedBytes()).isEqualTo(1_200);
        assertThat(nic().receiveRatePercent()).isNotNegative();
    }

    @Test
    @DisplayName("S63 an interface first seen with 500 bytes counts from there")
    void anInterfaceFirstSeen() throws Exception {
        started();
        poll(nic(10, 500, 70));

        assertThat(nic().receivedBytes()).isZero();
        assertThat(nic().receivedOffsetBytes()).isEqualTo(-500);
        assertThat(nic().receiveRatePercent()).isNull();
        assertThat(nic().sentBytes()).isZero();
        assertThat(nic().sentOffsetBytes()).isEqualTo(-70);
        assertThat(nic().sendRatePercent()).isNull();
    }

    @Test
    @DisplayName("S64 of a shared disk only the numbers of the VM that reports its image change")
    void aSharedDisk() throws Exception {
        started();
        poll(disk(100));
        lab.cycle(BETA, poll -> poll.running(OTHER, stamp++, null, status(VmStatus.UP), disk(900)));

        poll(disk(101));

        assertThat(numbers().disks())
                .singleElement()
                .satisfies(disk -> {
                    assertThat(disk.imageId()).isEqualTo(DISK.toString());
                    assertThat(disk.actualSizeBytes()).isEqualTo(101);
                    assertThat(disk.readBytesPerSecond()).isEqualTo(5);
                    assertThat(disk.writeLatencySeconds()).isEqualTo(0.25);
                });
        assertThat(numbers(OTHER).disks())
                .as("the other snapshot of the disk")
                .singleElement()
                .satisfies(disk -> {
                    assertThat(disk.imageId()).isEqualTo(DISK.toString());
                    assertThat(disk.actualSizeBytes()).isEqualTo(900);
                });
        assertThat(lab.vms.calls()).as("rows written").isEqualTo(callsBefore);
    }

    @Test
    @DisplayName("T45 an interface that only sends is used")
    void anInterfaceThatOnlySends() throws Exception {
        started();
        poll(nic(10, 0, 0));
        poll(nic(25, 0, 187_500_000));

        assertThat(numbers().usageNetworkPercent()).isEqualTo(10);
        assertThat(nic().receiveRatePercent()).isZero();
        assertThat(nic().sendRatePercent()).isEqualTo(10.0);
    }

    @Test
    @DisplayName("S14 the numbers and rates of a VM that went down are zero")
    void theNumbersOfAVmThatWentDown() throws Exception {
        started();
        poll(nic(10, 0, 0));
        poll(sample -> {
            nic(25, 187_500_000, 187_500_000).accept(sample);
            sample.cpuSystemPercent = 8;
            sample.cpuUserPercent = 8;
            sample.memoryUsagePercent = 30;
            sample.elapsedSeconds = 1_000;
        });
        assertThat(numbers().usageCpuPercent()).isEqualTo(4);

        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM,
                                stamp++,
                                ExitStatus.NORMAL,
                                ExitReason.USER_SHUTDOWN,
                                "shut down"));
        lab.settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
        assertThat(numbers().cpuUserPercent()).isZero();
        assertThat(numbers().usageCpuPercent()).isZero();
        assertThat(numbers().usageMemoryPercent()).isZero();
        assertThat(numbers().usageNetworkPercent()).isZero();
        assertThat(numbers().elapsedSeconds()).isZero();
        assertThat(nic().receiveRatePercent()).isZero();
        assertThat(nic().sendRatePercent()).isZero();
        assertThat(nic().receivedBytes()).isEqualTo(187_500_000);
        assertThat(numbers().observedAt()).isEqualTo(lab.vm(VM).state().observedAt());
    }

    @Test
    @DisplayName("S39 progress of a migration is a number; the command gets it, no row is written")
    void progressOfAMigration() throws Exception {
        migrating();
        long revision = lab.engine.fleet().revision();

        lab.host(ALPHA).listener().migrationProgressed(VM, 40, 17L);
        lab.settle();

        assertThat(numbers().migrationProgressPercent()).isEqualTo(40);
        assertThat(followed).as("the command is told").containsExactly("40 % after 17 ms");
        assertThat(lab.status(VM)).isEqualTo(VmStatus.MIGRATING_FROM);
        assertThat(lab.engine.fleet().revision()).as("changes").isEqualTo(revision);
        assertThat(lab.vms.calls()).as("rows written").isEqualTo(callsBefore);
    }

    @Test
    void aPollDoesNotOverwriteTheProgressOfAMigration() throws Exception {
        migrating();
        lab.host(ALPHA).listener().migrationProgressed(VM, 40, null);

        lab.cycle(
                ALPHA,
                poll ->
                        poll.running(
                                VM,
                                stamp++,
                                null,
                                status(VmStatus.MIGRATING_FROM),
                                sample -> sample.migrationProgressPercent = 7));

        assertThat(numbers().migrationProgressPercent()).isEqualTo(40);
    }

    @Test
    void aMigrationBeginsWithoutProgressAndLosesItWhenItFails() throws Exception {
        migrating();
        assertThat(numbers().migrationProgressPercent()).isZero();
        lab.host(ALPHA).listener().migrationProgressed(VM, 40, null);

        lab.event(ALPHA, event -> event.running(VM, stamp++, status(VmStatus.UP)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(numbers().migrationProgressPercent()).isZero();
    }

    @Test
    void progressOfAnotherHostIsNotThatOfTheVm() throws Exception {
        migrating();

        lab.host(BETA).listener().migrationProgressed(VM, 90, null);
        lab.settle();

        assertThat(numbers().migrationProgressPercent()).isZero();
        assertThat(followed).isEmpty();
    }

    @Test
    void theDowntimeThatComesAfterTheHandOverIsPassedOn() throws Exception {
        migrating();
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM,
                                stamp++,
                                ExitStatus.NORMAL,
                                ExitReason.MIGRATION_SUCCEEDED,
                                ""));

        lab.host(ALPHA).listener().migrationProgressed(VM, 100, 23L);
        lab.settle();

        assertThat(followed).containsExactly("100 % after 23 ms");
    }

    @Test
    void progressIsPassedOnWhileACommandHoldsTheVm() throws Exception {
        migrating();
        VmManager vm = Objects.requireNonNull(lab.engine.manager(VM));
        vm.lock();
        try {
            Thread other =
                    Thread.ofPlatform()
                            .start(() -> {
                                lab.host(ALPHA).listener().migrationProgressed(VM, 40, null);
                                lab.pump();
                            });
            other.join();
        } finally {
            vm.unlock();
        }

        assertThat(followed).containsExactly("40 % after null ms");
        assertThat(numbers().migrationProgressPercent()).as("the next event brings it").isZero();
    }

    private void started() throws Exception {
        lab.started();
        lab.answer(BETA, poll -> poll.running(OTHER, stamp++, status(VmStatus.UP)));
        lab.answer(ALPHA, poll -> poll.running(VM, stamp++, status(VmStatus.UP)));
        lab.settle();
        callsBefore = lab.vms.calls();
    }

    private void migrating() throws Exception {
        started();
        lab.engine.onSignals(
                new VmSignals() {
                    @Override
                    public void told(VmId vm, HostId host, Decision.Signal signal) {}

                    @Override
                    public void migrationProgressed(
                            VmId vm, int percent, @Nullable Long downtimeMillis) {
                        followed.add(percent + " % after " + downtimeMillis + " ms");
                    }
                });
        poll(_ -> {});
        lab.event(ALPHA, event -> event.running(VM, stamp++, status(VmStatus.MIGRATING_FROM)));
        lab.settle();
        callsBefore = lab.vms.calls();
    }

    private void poll(Consumer<VmSample> numbers) {
        lab.cycle(ALPHA, poll -> poll.running(VM, stamp++, null, status(VmStatus.UP), numbers));
    }

    private static Consumer<VmSample> nic(double sampleTime, long received, long sent) {
        return sample -> {
            sample.nicsReported = true;
            VmSample.Nic nic = sample.addNic();
            nic.mac = VmSample.Nic.macOf(MAC);
            nic.sampleTimeSeconds = sampleTime;
            nic.receivedBytes = received;
            nic.sentBytes = sent;
        };
    }

    private static Consumer<VmSample> disk(long size) {
        return sample -> {
            sample.disksReported = true;
            VmSample.Disk disk = sample.addDisk();
            disk.name = "vda";
            disk.imageId = DISK;
            disk.actualSizeBytes = size;
            disk.readRate = 5;
            disk.writeLatencyNanos = 250_000_000;
        };
    }

    private VmStatisticsView numbers() {
        return numbers(VM);
    }

    private VmStatisticsView numbers(VmId vm) {
        return Objects.requireNonNull(lab.engine.fleet().statistics(vm));
    }

    private VmStatisticsView.Nic nic() {
        return numbers().nics().getFirst();
    }
}
