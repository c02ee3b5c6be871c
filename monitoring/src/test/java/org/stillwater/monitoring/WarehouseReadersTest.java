package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.dwh.DumpMode;
import org.stillwater.monitoring.dwh.WarehouseSettings;

/** Statistics are dumped only while a data warehouse reads. */
class WarehouseReadersTest {

    private static final Duration BEAT = Duration.ofSeconds(15);
    private static final Duration INTERVAL = Duration.ofSeconds(60);
    private static final Duration IDLE_AFTER = Duration.ofMinutes(10);

    private final Lab lab = new Lab();
    private long stamp = 100;
    private long elapsed = 10;

    private void started(DumpMode mode, Duration beat) throws Exception {
        lab.meters.clear();
        lab.with(
                new MonitoringSettings(
                        lab.settings.hosts(),
                        lab.settings.writer(),
                        lab.settings.feed(),
                        lab.settings.usageHistory(),
                        new WarehouseSettings(mode, IDLE_AFTER, INTERVAL, beat)));
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        report();
    }

    private void started() throws Exception {
        started(DumpMode.AUTO, BEAT);
    }

    private void report() {
        long at = stamp++;
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(
                                VM,
                                at,
                                null,
                                status(VmStatus.UP),
                                sample -> sample.elapsedSeconds = elapsed));
        lab.settle();
    }

    /** Time passes, a heartbeat's interval at a time. */
    private void pass(Duration time) {
        for (Duration passed = Duration.ZERO;
                passed.compareTo(time) < 0;
                passed = passed.plus(BEAT)) {
            lab.clock.advance(BEAT);
            lab.pump();
            lab.host(ALPHA).answerStatistics();
            report();
        }
    }

    private double dumping() {
        return lab.meters.get("stillwater.dwh.dumping").gauge().value();
    }

    @Test
    @DisplayName(
            "S105 Without a reader no row is written, and one statement a minute looks for one")
    void withoutAReaderNothingIsDumped() throws Exception {
        started();
        pass(Duration.ofMinutes(5));
        int beats = lab.statistics.heartbeats();
        pass(Duration.ofMinutes(10));
        assertThat(lab.statistics.calls()).isZero();
        assertThat(lab.statistics.isShown()).isFalse();
        assertThat(lab.statistics.heartbeats() - beats).isEqualTo(10);
        assertThat(dumping()).isZero();
    }

    @Test
    @DisplayName("S105 A reader finds whole samples before it reads again a minute later")
    void aReaderStartsTheDump() throws Exception {
        started();
        pass(Duration.ofMinutes(5));
        lab.statistics.read();
        pass(INTERVAL);
        assertThat(lab.statistics.sample(VM)).isNotNull();
        assertThat(lab.statistics.isShown()).isTrue();
        assertThat(dumping()).isEqualTo(1);
        assertThat(lab.counter("stillwater.dwh.readers")).isEqualTo(1);
        int beats = lab.statistics.heartbeats();
        pass(INTERVAL);
        assertThat(lab.statistics.heartbeats() - beats)
                .as("as often as a warehouse expects")
                .isEqualTo(4);
    }

    @Test
    void aWarehouseThatRecordsItsProgressIsAReader() throws Exception {
        started();
        pass(Duration.ofMinutes(5));
        lab.statistics.record();
        pass(INTERVAL);
        assertThat(lab.statistics.isShown()).isTrue();
    }

    @Test
    @DisplayName(
            "S105 After the last read the dump stops, views are empty, and a reader resumes it")
    void theDumpRestsAfterTheLastRead() throws Exception {
        started();
        pass(INTERVAL);
        lab.statistics.read();
        pass(INTERVAL.multipliedBy(2));
        assertThat(lab.statistics.isShown()).isTrue();
        pass(IDLE_AFTER.minus(INTERVAL.multipliedBy(2)));
        assertThat(lab.statistics.isShown()).as("not yet").isTrue();
        pass(INTERVAL.multipliedBy(3));
        assertThat(lab.statistics.isShown()).isFalse();
        assertThat(dumping()).isZero();

        int calls = lab.statistics.calls();
        elapsed = 20;
        pass(Duration.ofMinutes(10));
        assertThat(lab.statistics.calls()).isEqualTo(calls);
        assertThat(lab.statistics.sample(VM).elapsedSeconds()).isEqualTo(10);
        lab.statistics.read();
        pass(INTERVAL);
        assertThat(lab.statistics.isShown()).isTrue();
        assertThat(lab.statistics.sample(VM).elapsedSeconds()).isEqualTo(20);
    }

    @Test
    void aReaderKeepsTheDumpRunning() throws Exception {
        started();
        pass(INTERVAL);
        for (int minute = 0; minute < 30; minute++) {
            lab.statistics.read();
            pass(INTERVAL);
            assertThat(lab.statistics.isShown()).isTrue();
        }
    }

    @Test
    void viewsStayEmptyUntilADumpIsWhole() throws Exception {
        started();
        pass(INTERVAL);
        lab.statistics.read();
        lab.statistics.throwWith(VM);
        pass(INTERVAL);
        assertThat(lab.statistics.isShown()).isFalse();
        lab.statistics.throwWith(null);
        pass(INTERVAL);
        assertThat(lab.statistics.isShown()).isTrue();
    }

    @Test
    void aDatabaseThatIsAwayDelaysIt() throws Exception {
        started();
        pass(INTERVAL);
        lab.statistics.read();
        lab.statistics.unavailable("gone");
        pass(INTERVAL.multipliedBy(3));
        assertThat(lab.statistics.isShown()).isFalse();
        lab.statistics.unavailable(null);
        pass(INTERVAL);
        assertThat(lab.statistics.isShown()).isTrue();
    }

    @Test
    @DisplayName("S105 A restarted engine goes on, and shows nothing that its predecessor dumped")
    void aRestartContinuesForTheFormerReader() throws Exception {
        started();
        pass(INTERVAL);
        lab.statistics.read();
        pass(INTERVAL);
        assertThat(lab.statistics.isShown()).isTrue();

        lab.restarted();
        lab.clock.advance(BEAT);
        lab.pump();
        assertThat(lab.statistics.isShown()).as("values of before").isFalse();
        elapsed = 30;
        report();
        pass(INTERVAL);
        assertThat(lab.statistics.isShown()).isTrue();
        assertThat(lab.statistics.sample(VM).elapsedSeconds()).isEqualTo(30);
        pass(IDLE_AFTER.plus(INTERVAL.multipliedBy(2)));
        assertThat(lab.statistics.isShown()).as("the readers are gone").isFalse();
    }

    @Test
    void aRestartWithoutAReaderRests() throws Exception {
        started();
        lab.statistics.reads(1_000L);
        pass(INTERVAL);
        lab.restarted();
        pass(Duration.ofMinutes(10));
        assertThat(lab.statistics.calls()).isZero();
    }

    @Test
    void aCountThatWasResetIsNoReader() throws Exception {
        started();
        lab.statistics.reads(1_000L);
        pass(INTERVAL);
        lab.statistics.reads(0L);
        pass(INTERVAL.multipliedBy(2));
        assertThat(lab.statistics.isShown()).isFalse();
        lab.statistics.read();
        pass(INTERVAL.multipliedBy(2));
        assertThat(lab.statistics.isShown()).as("less than ever before, but a read").isTrue();
    }

    @Test
    void aReadAfterAResetIsNotMissed() throws Exception {
        started();
        lab.statistics.reads(1_000L);
        pass(INTERVAL.multipliedBy(2));
        lab.statistics.reads(3L);
        pass(INTERVAL.multipliedBy(2));
        assertThat(lab.statistics.isShown()).isTrue();
    }

    @Test
    void aDatabaseThatDoesNotCountMayHaveReaders() throws Exception {
        started();
        lab.statistics.reads(null);
        pass(Duration.ofMinutes(30));
        assertThat(lab.statistics.isShown()).isTrue();
        assertThat(dumping()).isEqualTo(1);
    }

    @Test
    void alwaysNeedsNoReader() throws Exception {
        started(DumpMode.ALWAYS, BEAT);
        pass(Duration.ofMinutes(30));
        assertThat(lab.statistics.isShown()).isTrue();
        assertThat(lab.statistics.heartbeats()).isEqualTo(120);
    }

    @Test
    void neverIgnoresReadersAndHidesSamples() throws Exception {
        lab.statistics.show(true);
        started(DumpMode.NEVER, BEAT);
        for (int minute = 0; minute < 5; minute++) {
            lab.statistics.read();
            pass(INTERVAL);
        }
        assertThat(lab.statistics.isShown()).isFalse();
        assertThat(lab.statistics.calls()).isZero();
    }

    @Test
    void withoutHeartbeatsTheDumpLooksForReadersItself() throws Exception {
        started(DumpMode.AUTO, Duration.ZERO);
        pass(INTERVAL.multipliedBy(2));
        assertThat(lab.statistics.isShown()).isFalse();
        int looks = lab.statistics.looks();
        lab.statistics.read();
        pass(INTERVAL);
        assertThat(lab.statistics.isShown()).isTrue();
        assertThat(lab.statistics.looks() - looks).as("one statement an interval").isEqualTo(1);
        assertThat(lab.statistics.heartbeats()).isZero();
    }
}
