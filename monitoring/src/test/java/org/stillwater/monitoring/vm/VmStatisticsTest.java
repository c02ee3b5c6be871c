package org.stillwater.monitoring.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.RingFormat;
import org.stillwater.core.history.Samples;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.InterfaceStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmStatistics.BalloonProblem;

class VmStatisticsTest {

    private static final String MAC = "56:6f:00:00:00:01";
    private static final long MAC_NUMBER = VmSample.Nic.macOf(MAC);

    private static final int METRICS = HistoryMetric.of(HistoryMetric.Subject.VM).size();

    private static final HostId HOST = new HostId(new UUID(1, 1));
    private static final HostId OTHER_HOST = new HostId(new UUID(1, 2));
    private static final Instant STOPPED = Instant.ofEpochSecond(1_000);

    private static final RingFormat RECENT =
            new RingFormat(HistoryMetric.of(HistoryMetric.Subject.VM), Duration.ofHours(1), 3_072);

    private final VmStatistics statistics = new VmStatistics(defined(), 40, RECENT);
    private final VmSample sample = new VmSample();

    @Test
    void nothingIsKnownBeforeTheFirstPoll() {
        assertThat(statistics.view()).isNull();
    }

    @Test
    @DisplayName("S60 usage of the whole machine is capped at a hundred")
    void usageOfTheWholeMachineIsCappedAtAHundred() {
        sample.cpuSystemPercent = 50;
        sample.cpuUserPercent = 390;
        sample.memoryUsagePercent = 37;
        update(1);

        assertThat(view().usageCpuPercent()).isEqualTo(100);
        assertThat(view().usageMemoryPercent()).isEqualTo(37);
        assertThat(view().cpuUserPercent()).isEqualTo(390);
        assertThat(view().memoryFreeKibibytes()).isNull();
    }

    @Test
    void waitingOfProcessorsIsKnownWhereItIsReported() {
        VmNumbers numbers = new VmNumbers();
        update(1);
        statistics.read(numbers);
        assertThat(numbers.cpuWaitPercent()).isNaN();

        sample.cpuWaitPercent = 12.5;
        update(2);
        statistics.balloonCounted(BalloonProblem.UNCONTROLLED, 3);
        statistics.read(numbers);
        assertThat(numbers.cpuWaitPercent()).isEqualTo(12.5);
        assertThat(statistics.balloonCount(BalloonProblem.UNCONTROLLED)).isEqualTo(3);
    }

    @Test
    @DisplayName("S60 the forty-first sample of usage drops the first")
    void theFortyFirstSampleOfUsageDropsTheFirst() {
        for (int i = 1; i <= 41; i++) {
            sample.clear();
            sample.cpuSystemPercent = 0;
            sample.cpuUserPercent = 4 * i;
            update(i);
        }

        assertThat(view().cpuHistory()).hasSize(40).startsWith(2).endsWith(41);
        assertThat(view().memoryHistory()).isEmpty();
    }

    @Test
    @DisplayName(
            "8a.61 S61 a rate is the difference of counters over the difference of sample times")
    void aRateIsTheDifferenceOfCountersOverTheDifferenceOfSampleTimes() {
        network(10, 0, 0);
        assertThat(nic().receiveRatePercent()).isNull();

        network(25, 187_500_000, 0);

        assertThat(nic().receiveRatePercent()).isEqualTo(10.0);
        assertThat(nic().sendRatePercent()).isEqualTo(0.0);
        assertThat(view().usageNetworkPercent()).isEqualTo(10);
    }

    @Test
    @DisplayName(
            "8a.61 S62 a counter that was reset goes on from its total and gives no negative rate")
    void aResetCounterContinuesFromItsTotal() {
        network(10, 500, 0);
        network(20, 1_500, 0);
        assertThat(nic().receivedBytes()).isEqualTo(1_000);

        network(30, 200, 0);

        assertThat(nic().receivedBytes()).isEqualTo(1_200);
        assertThat(nic().receiveRatePercent()).isNotNegative();
        network(40, 300, 0);
        assertThat(nic().receivedBytes()).isEqualTo(1_300);
    }

    @Test
    @DisplayName("8a.61 no time between two samples gives no rate")
    void noTimeBetweenTwoSamplesGivesNoRate() {
        network(10, 0, 0);
        network(10, 1_000, 0);
        assertThat(nic().receiveRatePercent()).isNull();
        network(9, 2_000, 0);
        assertThat(nic().receiveRatePercent()).isNull();
    }

    @Test
    @DisplayName("S63 a first report counts as zero")
    void aFirstReportCountsAsZero() {
        network(10, 500, 70);

        assertThat(nic().receivedBytes()).isZero();
        assertThat(nic().sentBytes()).isZero();
    }

    @Test
    @DisplayName("T45 traffic in one direction only counts as usage")
    void trafficInOneDirectionOnlyCountsAsUsage() {
        network(10, 0, 0);
        network(25, 0, 187_500_000);

        assertThat(view().usageNetworkPercent()).isEqualTo(10);
    }

    @Test
    void unknownInterfacesAreIgnoredAndOfDoubleOnesTheLargerCounts() {
        network(10, 0, 0);
        sample.clear();
        sample.nicsReported = true;
        nic(MAC_NUMBER, 20, 100);
        nic(MAC_NUMBER, 20, 900);
        nic(MAC_NUMBER + 1, 20, 5_000);
        update(2);

        assertThat(view().nics()).singleElement().extracting("receivedBytes").isEqualTo(900L);
    }

    @Test
    @DisplayName("8a.48 a report without network, disks or balloon keeps their known values")
    void aReportWithoutNetworkDisksOrBalloonKeepsKnownValues() {
        sample.balloonCurrentKibibytes = 1_024;
        disk("vda", 7);
        network(10, 500, 0);

        sample.clear();
        update(2);

        assertThat(view().balloonCurrentKibibytes()).isEqualTo(1_024);
        assertThat(view().disks()).singleElement().extracting("actualSizeBytes").isEqualTo(7L);
        assertThat(view().nics()).hasSize(1);
    }

    @Test
    void disksFollowTheReport() {
        disk("vda", 7);
        update(1);
        sample.clear();
        disk("vda", 8);
        disk("sda", 9);
        update(2);

        assertThat(view().disks())
                .extracting(VmStatisticsView.Disk::name)
                .containsExactly("vda", "sda");
        assertThat(view().disks().getFirst().imageId())
                .isEqualTo(new VmId(5, 6).toUuid().toString());
        assertThat(view().disks().getFirst().readLatencySeconds()).isEqualTo(0.002);
    }

    @Test
    void theFileSystemsTextIsReplacedOnlyWhenItsDigestChanges() {
        sample.disksUsage = "[1]";
        sample.disksUsageDigest = 11;
        update(1);
        sample.clear();
        sample.disksUsageDigest = 11;
        update(2);
        assertThat(view().disksUsage()).isEqualTo("[1]");

        sample.clear();
        update(3);

        assertThat(view().disksUsage()).isNull();
    }

    @Test
    @DisplayName("S14 a VM that stopped uses nothing; totals, sizes and history stay")
    void aVmThatStoppedUsesNothing() {
        sample.cpuSystemPercent = 4;
        sample.cpuUserPercent = 4;
        sample.memoryUsagePercent = 60;
        sample.memoryFreeKibibytes = 7;
        sample.elapsedSeconds = 99;
        disk("vda", 7);
        network(10, 0, 0);
        network(25, 187_500_000, 0);

        follow(at(VmStatus.UP, HOST), at(VmStatus.DOWN, null));

        assertThat(view().observedAt()).isEqualTo(STOPPED);
        assertThat(view().cpuUserPercent()).isZero();
        assertThat(view().cpuSystemPercent()).isZero();
        assertThat(view().usageCpuPercent()).isZero();
        assertThat(view().usageMemoryPercent()).isZero();
        assertThat(view().usageNetworkPercent()).isZero();
        assertThat(view().elapsedSeconds()).isZero();
        assertThat(view().memoryFreeKibibytes()).isNull();
        assertThat(view().cpuHistory()).isNotEmpty();
        assertThat(nic().status()).isEqualTo(InterfaceStatus.NONE);
        assertThat(nic().receiveRatePercent()).isZero();
        assertThat(nic().sendRatePercent()).isZero();
        assertThat(nic().receivedBytes()).isEqualTo(187_500_000);
        assertThat(view().disks().getFirst().actualSizeBytes()).isEqualTo(7);
        assertThat(view().disks().getFirst().readLatencySeconds()).isZero();
    }

    @Test
    @DisplayName("S62 after a reset the offset is the total so far")
    void afterAResetTheOffsetIsTheTotalSoFar() {
        network(10, 0, 0);
        network(20, 1_000, 0);
        assertThat(nic().receivedOffsetBytes()).isZero();

        network(30, 200, 0);

        assertThat(nic().receivedOffsetBytes()).isEqualTo(1_000);
        assertThat(nic().receivedBytes()).isEqualTo(1_200);
        assertThat(nic().receiveRatePercent()).isNotNegative();
    }

    @Test
    @DisplayName("S63 the offset of a first report takes it away again")
    void theOffsetOfAFirstReportTakesItAway() {
        network(10, 500, 70);

        assertThat(nic().receivedOffsetBytes()).isEqualTo(-500);
        assertThat(nic().sentOffsetBytes()).isEqualTo(-70);
        assertThat(nic().receiveRatePercent()).isNull();
        assertThat(nic().sendRatePercent()).isNull();
        assertThat(view().usageNetworkPercent()).isNull();
        assertThat(view().networkHistory()).isEmpty();
    }

    @Test
    void aMissingInterfaceIsUnknownAndContinuesFromItsTotal() {
        network(10, 500, 0);
        network(20, 1_500, 0);

        sample.nicsReported = true;
        update(3);

        assertThat(nic().status()).isEqualTo(InterfaceStatus.NONE);
        assertThat(nic().receivedBytes()).isNull();
        assertThat(nic().receiveRatePercent()).isNull();
        assertThat(view().usageNetworkPercent()).isNull();

        sample.clear();
        network(40, 1_700, 0);

        assertThat(nic().status()).isEqualTo(InterfaceStatus.UP);
        assertThat(nic().receivedBytes()).isEqualTo(1_200);
        assertThat(nic().receiveRatePercent()).as("nothing to compare with").isNull();
        network(50, 1_700, 0);
        assertThat(nic().receiveRatePercent()).isZero();
    }

    @Test
    void aCounterResetWhileMissingContinuesFromItsTotalToo() {
        network(10, 0, 0);
        network(20, 1_500, 0);
        sample.nicsReported = true;
        update(3);
        sample.clear();

        network(40, 100, 0);

        assertThat(nic().receivedBytes()).isEqualTo(1_600);
    }

    @Test
    void oneDirectionMayBeMissing() {
        network(10, 0, 0);
        network(25, 187_500_000, VmSample.NOT_REPORTED);

        assertThat(nic().receiveRatePercent()).isEqualTo(10.0);
        assertThat(nic().sentBytes()).isNull();
        assertThat(nic().sendRatePercent()).isNull();
        assertThat(view().usageNetworkPercent()).isEqualTo(10);
    }

    @Test
    void nonsenseCountersNeverTurnATotalNegative() {
        network(10, 0, 0);
        network(20, 5_000, 0);
        network(30, 100, 0);
        network(40, Long.MAX_VALUE, -3);

        assertThat(nic().receivedBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(nic().sentBytes()).isNull();
        network(50, 7, 0);
        assertThat(nic().receivedBytes()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aReportWithoutNetworkAddsNoSampleOfItsUsage() {
        network(10, 0, 0);
        network(25, 187_500_000, 0);
        update(3);

        assertThat(view().networkHistory()).containsExactly(10);
        assertThat(view().usageNetworkPercent()).isEqualTo(10);
    }

    @Test
    void sampleTimesOfTwoHostsGiveNoRate() {
        network(10, 0, 0);
        network(25, 1_000, 0);

        follow(
                at(VmStatus.MIGRATING_FROM, HOST),
                at(VmStatus.MIGRATING_TO, OTHER_HOST),
                at(VmStatus.UP, OTHER_HOST));
        network(26, 400_000_000, 0);

        assertThat(nic().receiveRatePercent()).isNull();
        assertThat(nic().receivedBytes()).isEqualTo(400_000_000);
        network(41, 400_000_000, 0);
        assertThat(nic().receiveRatePercent()).isZero();
    }

    @Test
    void anInterfaceWithoutSpeedHasNoRate() {
        VmStatistics slow =
                new VmStatistics(
                        definedWith(new VmNic(new UUID(1, 1), "nic1", MAC, null, 0)), 40, null);
        for (int time : new int[] {10, 20}) {
            sample.clear();
            sample.nicsReported = true;
            nic(MAC_NUMBER, time, 1_000_000L * time);
            slow.update(sample, time, 1);
        }

        VmStatisticsView.Nic nic = Objects.requireNonNull(slow.view()).nics().getFirst();
        assertThat(nic.receivedBytes()).isEqualTo(10_000_000);
        assertThat(nic.receiveRatePercent()).isNull();
    }

    @Test
    @DisplayName("S60 values that are not reported are skipped in histories and unknown meanwhile")
    void valuesThatAreNotReportedAreSkippedInHistories() {
        sample.cpuSystemPercent = 8;
        sample.cpuUserPercent = 8;
        sample.memoryUsagePercent = 0;
        update(1);
        sample.clear();
        update(2);

        assertThat(view().usageCpuPercent()).isNull();
        assertThat(view().usageMemoryPercent()).isNull();
        assertThat(view().elapsedSeconds()).isNull();
        assertThat(view().cpuHistory()).containsExactly(4);
        assertThat(view().memoryHistory()).as("0 is the agent that is down").containsExactly(0);
    }

    @Test
    @DisplayName("S60 a history of no samples is empty")
    void aHistoryOfNoSamplesIsEmpty() {
        VmStatistics forgetful = new VmStatistics(defined(), 0, null);
        sample.cpuSystemPercent = 8;
        sample.cpuUserPercent = 8;
        forgetful.update(sample, 1, 4);

        VmStatisticsView seen = Objects.requireNonNull(forgetful.view());
        assertThat(seen.usageCpuPercent()).isEqualTo(4);
        assertThat(seen.cpuHistory()).isEmpty();
    }

    @Test
    void historyOfAVmThatWasNeverSeenIsUnknown() {
        double[] values = new double[METRICS];

        assertThat(statistics.history(values)).isZero();
        assertThat(values).containsOnly(Double.NaN);
    }

    @Test
    void historyTakesEveryMetricFromTheNewestReport() {
        statistics.redefine(
                definedWith(
                        new VmNic(new UUID(1, 1), "nic1", MAC, null, 1_000),
                        new VmNic(new UUID(1, 2), "nic2", "56:6f:00:00:00:02", null, 100)));
        network(10, 0, 0);
        sample.cpuUserPercent = 20.5;
        sample.cpuSystemPercent = 8;
        sample.memoryUsagePercent = 60;
        sample.memoryUnusedKibibytes = 1_024;
        sample.memoryBufferedKibibytes = 2_048;
        sample.memoryCachedKibibytes = 4_096;
        disk("vda", 7);
        sample.disk(0).readRate = 100;
        sample.disk(0).writeRate = 1;
        disk("vdb", 7);
        sample.disk(1).readRate = 200;
        sample.disk(1).writeRate = 2;
        network(20, 1_000_000, 500_000);

        assertThat(history(20))
                .containsExactly(
                        7.0, 20.5, 8.0, 60.0, 1_024.0, 2_048.0, 4_096.0, 0.0, 100_000.0, 50_000.0,
                        300.0, 3.0);
    }

    @Test
    void historyDoesNotRepeatMissingValues() {
        sample.cpuUserPercent = 4;
        sample.cpuSystemPercent = 4;
        sample.memoryUnusedKibibytes = 1_024;
        disk("vda", 7);
        network(10, 0, 0);
        disk("vda", 7);
        network(25, 1_000, 0);
        assertThat(statistics.history(new double[METRICS])).isEqualTo(25);

        update(40);

        assertThat(history(40)).containsOnly(Double.NaN);
        assertThat(view().usageNetworkPercent()).as("while the view keeps it").isZero();
    }

    @Test
    void oneInterfaceWithAnUnknownRateLeavesTheSumUnknown() {
        statistics.redefine(
                definedWith(
                        new VmNic(new UUID(1, 1), "nic1", MAC, null, 1_000),
                        new VmNic(new UUID(1, 2), "nic2", "56:6f:00:00:00:02", null, 100)));
        network(10, 0, 0);
        nic(VmSample.Nic.macOf("56:6f:00:00:00:02"), 25, 5);
        network(25, 1_500, 0);

        assertThat(history(25)[HistoryMetric.VM_NETWORK_RECEIVE.index()]).isNaN();
    }

    @Test
    void recentHistoryHasASamplePerReportAndOneOfTheStop() {
        HistoryScratch scratch = new HistoryScratch();
        assertThat(statistics.recent()).isNull();
        follow(at(VmStatus.UP, HOST), at(VmStatus.DOWN, null), at(VmStatus.UP, HOST));
        assertThat(statistics.recent()).as("nothing is known of it").isNull();
        for (int i = 1; i <= 3; i++) {
            sample.clear();
            sample.memoryUsagePercent = 10L * i;
            update(15_000L * i);
            statistics.remember(scratch);
        }
        follow(at(VmStatus.UP, HOST), at(VmStatus.DOWN, null));

        Samples recent = Objects.requireNonNull(statistics.recent());
        List<String> seen = new ArrayList<>();
        int memory = HistoryMetric.VM_MEMORY_USAGE.index();
        int unused = HistoryMetric.VM_MEMORY_UNUSED.index();
        recent.each((time, values) -> seen.add(time + ":" + values[memory] + ":" + values[unused]));
        assertThat(seen)
                .containsExactly("15:10.0:NaN", "30:20.0:NaN", "45:30.0:NaN", "1000:0.0:NaN");
    }

    @Test
    @DisplayName("S14 history records once that a stopped VM uses nothing")
    void historyRecordsThatAStoppedVmUsesNothing() {
        sample.cpuUserPercent = 4;
        sample.cpuSystemPercent = 4;
        sample.memoryUsagePercent = 60;
        sample.memoryUnusedKibibytes = 1_024;
        network(10, 0, 0);

        follow(at(VmStatus.UP, HOST), at(VmStatus.DOWN, null));

        double none = Double.NaN;
        assertThat(history(STOPPED.toEpochMilli()))
                .containsExactly(0, 0, 0, 0, none, none, none, 0, 0, 0, 0, 0);
    }

    @Test
    void migrationProgressComesFromEventsOnly() {
        sample.migrationProgressPercent = 77;
        update(1);
        assertThat(view().migrationProgressPercent()).isNull();

        follow(at(VmStatus.UP, HOST), at(VmStatus.MIGRATING_FROM, HOST));
        assertThat(view().migrationProgressPercent()).isZero();
        statistics.migrationProgressed(40);
        update(2);

        assertThat(view().migrationProgressPercent()).isEqualTo(40);
    }

    @Test
    @DisplayName("S45 a migration that fails has no progress")
    void aMigrationThatFailsHasNoProgress() {
        update(1);
        follow(at(VmStatus.UP, HOST), at(VmStatus.MIGRATING_FROM, HOST));
        statistics.migrationProgressed(40);

        follow(at(VmStatus.MIGRATING_FROM, HOST), at(VmStatus.UP, HOST), at(VmStatus.PAUSED, HOST));

        assertThat(view().migrationProgressPercent()).isZero();
    }

    @Test
    void aMigrationThatEndedIsNotShown() {
        update(1);
        follow(at(VmStatus.UP, HOST), at(VmStatus.MIGRATING_FROM, HOST));
        statistics.migrationProgressed(90);
        follow(at(VmStatus.MIGRATING_FROM, HOST), at(VmStatus.MIGRATING_TO, OTHER_HOST));
        assertThat(view().migrationProgressPercent()).isEqualTo(90);

        follow(at(VmStatus.MIGRATING_TO, OTHER_HOST), at(VmStatus.UP, OTHER_HOST));

        assertThat(view().migrationProgressPercent()).isNull();
    }

    @Test
    void theUsageOfALostHostStaysUntilItIsKnownAgain() {
        update(1);
        follow(at(VmStatus.UP, HOST), at(VmStatus.MIGRATING_FROM, HOST));
        statistics.migrationProgressed(90);
        follow(at(VmStatus.MIGRATING_FROM, HOST), at(VmStatus.UNKNOWN, HOST));
        assertThat(view().migrationProgressPercent()).isEqualTo(90);

        follow(at(VmStatus.UNKNOWN, HOST), at(VmStatus.UP, HOST));

        assertThat(view().migrationProgressPercent()).isNull();
    }

    @Test
    void countsOfBalloonProblemsDoNotTouchEachOther() {
        statistics.balloonCounted(BalloonProblem.IGNORES_TARGET, 127);
        statistics.balloonCounted(BalloonProblem.UNCONTROLLED, 2);
        statistics.balloonCounted(BalloonProblem.IGNORES_TARGET, 1);

        assertThat(statistics.balloonCount(BalloonProblem.IGNORES_TARGET)).isEqualTo(1);
        assertThat(statistics.balloonCount(BalloonProblem.UNCONTROLLED)).isEqualTo(2);

        follow(at(VmStatus.UP, HOST), at(VmStatus.DOWN, null));
        assertThat(statistics.balloonCount(BalloonProblem.UNCONTROLLED)).isZero();
    }

    @Test
    void interfacesThatStayKeepTheirTotalsWhenTheDefinitionChanges() {
        disk("vda", 7);
        network(10, 0, 0);
        network(20, 900, 0);

        statistics.redefine(
                definedWith(
                        new VmNic(new UUID(1, 2), "nic0", "56:6f:00:00:00:02", null, 100),
                        new VmNic(new UUID(1, 1), "nic1", MAC, null, 1_000)));

        assertThat(view().nics()).singleElement().extracting("receivedBytes").isEqualTo(900L);
        assertThat(view().disks()).singleElement().extracting("actualSizeBytes").isEqualTo(7L);
    }

    @Test
    void readersSeeOneCycleOnlyWhileAWriterIsAtWork() throws Exception {
        AtomicReference<String> torn = new AtomicReference<>();
        Thread reader =
                Thread.ofPlatform()
                        .start(() -> {
                            while (!Thread.currentThread().isInterrupted() && torn.get() == null) {
                                VmStatisticsView seen = statistics.view();
                                if (seen != null && isTorn(seen)) {
                                    torn.set(seen.toString());
                                }
                            }
                        });
        for (int i = 1; i <= 50_000; i++) {
            sample.clear();
            sample.elapsedSeconds = i;
            sample.disksReported = true;
            for (int disk = 0; disk < i % 3; disk++) {
                disk("vd" + (char) ('a' + disk), i);
            }
            update(i);
        }
        reader.interrupt();
        reader.join();

        assertThat(torn.get()).isNull();
    }

    @Test
    void historyIsOfOneCycleOnlyWhileAWriterIsAtWork() throws Exception {
        AtomicReference<String> torn = new AtomicReference<>();
        Thread reader =
                Thread.ofPlatform()
                        .start(() -> {
                            double[] seen = new double[METRICS];
                            while (!Thread.currentThread().isInterrupted() && torn.get() == null) {
                                long at = statistics.history(seen);
                                double unused = seen[HistoryMetric.VM_MEMORY_UNUSED.index()];
                                double read = seen[HistoryMetric.VM_DISK_READ.index()];
                                if (at != 0 && (unused != at || read != at % 3 * at)) {
                                    torn.set(at + ": " + Arrays.toString(seen));
                                }
                            }
                        });
        for (int i = 1; i <= 50_000; i++) {
            sample.clear();
            sample.memoryUnusedKibibytes = i;
            sample.disksReported = true;
            for (int disk = 0; disk < i % 3; disk++) {
                disk("vd" + (char) ('a' + disk), i);
                sample.disk(disk).readRate = i;
            }
            update(i);
        }
        reader.interrupt();
        reader.join();

        assertThat(torn.get()).isNull();
    }

    @Test
    void recentHistoryIsOfWholeSamplesWhileAWriterIsAtWork() throws Exception {
        int memory = HistoryMetric.VM_MEMORY_USAGE.index();
        int read = HistoryMetric.VM_DISK_READ.index();
        AtomicReference<String> torn = new AtomicReference<>();
        Thread reader =
                Thread.ofPlatform()
                        .start(() -> {
                            while (!Thread.currentThread().isInterrupted() && torn.get() == null) {
                                Samples seen = statistics.recent();
                                if (seen != null) {
                                    seen.each((time, values) -> {
                                        if (values[memory] != time % 100
                                                || values[read] != time % 200) {
                                            torn.set(time + ": " + Arrays.toString(values));
                                        }
                                    });
                                }
                            }
                        });
        HistoryScratch scratch = new HistoryScratch();
        for (int i = 1; i <= 50_000; i++) {
            sample.clear();
            sample.memoryUsagePercent = i * 15L % 100;
            disk("vda", 7);
            sample.disk(0).readRate = i * 15L % 200;
            update(i * 15_000L);
            statistics.remember(scratch);
        }
        reader.interrupt();
        reader.join();

        assertThat(torn.get()).isNull();
    }

    private static boolean isTorn(VmStatisticsView seen) {
        long elapsed = Objects.requireNonNull(seen.elapsedSeconds());
        return elapsed != seen.observedAt().toEpochMilli() || seen.disks().size() != elapsed % 3;
    }

    private static VmState at(VmStatus status, HostId host) {
        return new VmState(
                VmRuntime.INITIAL.with(RuntimeField.STATUS, status),
                VmPlacement.NOWHERE.withRunOn(host),
                0,
                STOPPED,
                0);
    }

    private void follow(VmState... states) {
        for (int i = 1; i < states.length; i++) {
            statistics.follow(states[i - 1], states[i]);
        }
    }

    private static VmStatic defined() {
        return definedWith(new VmNic(new UUID(1, 1), "nic1", MAC, null, 1_000));
    }

    private static VmStatic definedWith(VmNic... nics) {
        return new VmStatic("vm", VmOrigin.OVIRT, false, 1, 1, 2, 2, 1, List.of(nics));
    }

    private void network(double sampleTime, long received, long sent) {
        sample.nicsReported = true;
        VmSample.Nic nic = sample.addNic();
        nic.mac = MAC_NUMBER;
        nic.sampleTimeSeconds = sampleTime;
        nic.receivedBytes = received;
        nic.sentBytes = sent;
        update((long) sampleTime);
        sample.clear();
    }

    private void nic(long mac, double sampleTime, long received) {
        VmSample.Nic nic = sample.addNic();
        nic.mac = mac;
        nic.sampleTimeSeconds = sampleTime;
        nic.receivedBytes = received;
        nic.sentBytes = 0;
    }

    private void disk(String name, long size) {
        sample.disksReported = true;
        VmSample.Disk disk = sample.addDisk();
        disk.name = name;
        disk.imageId = new VmId(5, 6);
        disk.actualSizeBytes = size;
        disk.readLatencyNanos = 2_000_000;
    }

    private void update(long epochMillis) {
        statistics.update(sample, epochMillis, 4);
    }

    private double[] history(long observed) {
        double[] values = new double[METRICS];
        assertThat(statistics.history(values)).isEqualTo(observed);
        return values;
    }

    private VmStatisticsView view() {
        return Objects.requireNonNull(statistics.view());
    }

    private VmStatisticsView.Nic nic() {
        return view().nics().getFirst();
    }
}
