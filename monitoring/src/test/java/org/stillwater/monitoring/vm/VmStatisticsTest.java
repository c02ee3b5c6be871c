package org.stillwater.monitoring.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmNic;
import org.stillwater.core.model.VmOrigin;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.model.VmStatisticsView;
import org.stillwater.core.report.VmSample;

class VmStatisticsTest {

    private static final String MAC = "56:6f:00:00:00:01";
    private static final long MAC_NUMBER = VmSample.Nic.macOf(MAC);

    private final VmStatistics statistics = new VmStatistics(defined(), 40);
    private final VmSample sample = new VmSample();

    @Test
    void nothingIsKnownBeforeTheFirstPoll() {
        assertThat(statistics.view()).isNull();
    }

    @Test
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
    @DisplayName("8a.61 a rate is the difference of counters over the difference of sample times")
    void aRateIsTheDifferenceOfCountersOverTheDifferenceOfSampleTimes() {
        network(10, 0, 0);
        assertThat(nic().receiveRatePercent()).isNull();

        network(25, 187_500_000, 0);

        assertThat(nic().receiveRatePercent()).isEqualTo(10.0);
        assertThat(nic().sendRatePercent()).isEqualTo(0.0);
        assertThat(view().usageNetworkPercent()).isEqualTo(10);
    }

    @Test
    @DisplayName("8a.61 a counter that was reset goes on from its total and gives no negative rate")
    void aCounterThatWasResetGoesOnFromItsTotal() {
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
    void aFirstReportCountsAsZero() {
        network(10, 500, 70);

        assertThat(nic().receivedBytes()).isZero();
        assertThat(nic().sentBytes()).isZero();
    }

    @Test
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
    @DisplayName("8a.48 a report without network, disks or balloon keeps what is known of them")
    void aReportWithoutNetworkDisksOrBalloonKeepsWhatIsKnown() {
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
    void aVmThatStoppedHasNoNumbersButKeepsItsHistory() {
        sample.cpuSystemPercent = 4;
        sample.cpuUserPercent = 4;
        network(10, 0, 0);
        network(25, 187_500_000, 0);

        statistics.reset();
        update(3);

        assertThat(view().nics()).singleElement().extracting("receiveRatePercent").isNull();
        assertThat(view().cpuHistory()).isNotEmpty();
    }

    @Test
    void readersSeeOneCycleOnlyWhileAWriterIsAtWork() throws Exception {
        AtomicReference<String> torn = new AtomicReference<>();
        Thread reader =
                Thread.ofPlatform()
                        .start(() -> {
                            while (!Thread.currentThread().isInterrupted() && torn.get() == null) {
                                VmStatisticsView seen = statistics.view();
                                if (seen != null
                                        && (seen.elapsedSeconds()
                                                        != seen.observedAt().toEpochMilli()
                                                || seen.disks().size()
                                                        != seen.elapsedSeconds() % 3)) {
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

    private static VmStatic defined() {
        return new VmStatic(
                "vm",
                VmOrigin.OVIRT,
                false,
                1,
                1,
                2,
                2,
                1,
                List.of(new VmNic(new UUID(1, 1), "nic1", MAC, null, 1_000)));
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
        statistics.update(sample, epochMillis);
    }

    private VmStatisticsView view() {
        return java.util.Objects.requireNonNull(statistics.view());
    }

    private VmStatisticsView.Nic nic() {
        return view().nics().getFirst();
    }
}
