package org.stillwater.relay.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.report.VmReports;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.Deadband;
import org.stillwater.relay.state.Delta;
import org.stillwater.relay.state.HostLedger;
import org.stillwater.relay.state.HostMirror;
import org.stillwater.relay.vm.HostCells;

class HostIntakeTest {

    private static final UUID VM = new UUID(1, 1);
    private static final Duration LAG = Duration.ofNanos(100);

    private final Object stream = new Object();
    private final HostIntake intake = new HostIntake(1_000);
    private final HostLedger ledger = new HostLedger(5, Deadband.NONE, 100);
    private long sent;

    private HostIntake.Taken poll(long number, long session, long mark, long now) {
        ledger.put(HostCells.id(), new HostCells(true, number, session, mark, null).cells());
        return send(now);
    }

    private HostIntake.Taken send(long now) {
        ledger.commit();
        Delta delta = ledger.since(sent, true);
        sent = delta.sequence();
        HostIntake.Taken taken = intake.apply(stream, delta, now, 10);
        assertThat(taken).isNotNull();
        return taken;
    }

    private void attachAndConnect() {
        intake.attach(stream, "rack", 9, 5, LAG);
        intake.directConnected(1_000);
    }

    @Test
    @DisplayName("a relay's poll is taken once, as of its mark")
    void takenOnce() {
        attachAndConnect();
        assertThat(intake.trouble(1_000)).isNotNull();

        assertThat(poll(1, 9, 1_010, 1_020).poll()).isTrue();

        assertThat(intake.trouble(1_020)).isNull();
        VmReports taken = intake.take(1_025);
        assertThat(taken).isNotNull();
        assertThat(taken.kind()).isEqualTo(VmReports.Kind.POLL);
        assertThat(taken.fetchedNanos()).isEqualTo(1_010);
        assertThat(taken.receivedNanos()).isEqualTo(1_020);
        assertThat(intake.take(1_026)).isNull();
    }

    @Test
    @DisplayName(
            "a mark of an earlier stream, of before the connection, or of the future is no mark")
    void marksThatDoNotCount() {
        attachAndConnect();
        assertThat(poll(1, 8, 1_010, 1_020).poll()).as("of another stream").isFalse();
        assertThat(poll(2, 9, 1_000, 1_021).poll()).as("not after the connection").isFalse();
        assertThat(poll(3, 9, 2_000, 1_022).poll()).as("of the future").isFalse();
        assertThat(poll(4, 9, 0, 1_023).poll()).as("none").isFalse();
        assertThat(intake.take(1_024)).isNull();
        assertThat(intake.trouble(1_024)).isNotNull();
        assertThat(poll(5, 9, 1_020, 1_025).poll()).isTrue();
        intake.directConnected(1_026);
        assertThat(intake.take(1_027)).as("the host may have booted meanwhile").isNull();
    }

    @Test
    @DisplayName("a poll of a relay that is older than one of the engine is left out")
    void olderThanADirectOne() {
        attachAndConnect();
        poll(1, 9, 1_010, 1_020);
        intake.directlyPolled(1_015);

        assertThat(intake.take(1_030)).isNull();

        assertThat(poll(2, 9, 1_016, 1_040).poll()).isTrue();
        assertThat(intake.take(1_041)).isNotNull();
    }

    @Test
    @DisplayName("relay and engine do not both poll at the same pace forever")
    void atTheSamePace() {
        attachAndConnect();
        intake.directlyPolled(1_015); // a moment before the relay's, and after its mark
        assertThat(poll(1, 9, 1_010, 1_020).poll()).as("older than the engine's own").isFalse();
        assertThat(intake.take(1_021)).isNull();
        assertThat(intake.trouble(1_021)).as("the relay works").isNull();

        // So the engine does not poll, and the next one is the newest.
        assertThat(poll(2, 9, 1_070, 1_080).poll()).isTrue();
        VmReports taken = intake.take(1_081);
        assertThat(taken).isNotNull();
        assertThat(taken.fetchedNanos()).isEqualTo(1_070);
    }

    @Test
    @DisplayName("a relay that gets no marks does not stand for the host")
    void withoutNewMarks() {
        attachAndConnect();
        intake.directlyPolled(1_015);
        poll(1, 9, 1_010, 1_020);
        assertThat(intake.trouble(1_120)).isNull();

        poll(2, 9, 1_010, 1_090);
        assertThat(intake.trouble(1_121)).isEqualTo("relay rack lags");

        intake.directlyPolled(1_122);
        poll(3, 9, 1_010, 1_130);
        assertThat(intake.trouble(1_130)).isEqualTo("relay rack lags");
    }

    @Test
    @DisplayName("an old poll of the engine is no reason to wait for the relay's next one")
    void overtakenLongAgo() {
        attachAndConnect();
        intake.directlyPolled(1_015);
        poll(1, 9, 1_010, 1_116);

        assertThat(intake.trouble(1_116)).isNotNull();
    }

    @Test
    @DisplayName("polls that come while one waits are announced once, and the newest is taken")
    void announcedOnce() {
        attachAndConnect();
        assertThat(poll(1, 9, 1_010, 1_020).poll()).isTrue();
        assertThat(poll(2, 9, 1_030, 1_040).poll()).as("the first waits as yet").isFalse();
        VmReports taken = intake.take(1_050);
        assertThat(taken).isNotNull();
        assertThat(taken.fetchedNanos()).isEqualTo(1_030);

        assertThat(poll(3, 9, 1_060, 1_070).poll()).isTrue();
        assertThat(poll(4, 9, 1_120, 1_171).poll()).as("not taken for too long").isTrue();
        ledger.put(HostCells.id(), new HostCells(false, 4, 9, 1_120, "no route").cells());
        send(1_172);
        assertThat(poll(5, 9, 1_173, 1_174).poll()).as("nothing waited").isTrue();
        intake.directConnected(1_175);
        assertThat(poll(6, 9, 1_176, 1_177).poll()).as("of a new connection").isTrue();
    }

    @Test
    @DisplayName("an event between polls is no poll, and goes with the next one")
    void anEventIsNoPoll() {
        attachAndConnect();
        poll(1, 9, 1_010, 1_020);
        intake.take(1_021);
        ledger.put(VM, new Cells.Draft().whole(1, 1).build());

        HostIntake.Taken taken = send(1_030);

        assertThat(taken.outcome()).isEqualTo(HostMirror.Outcome.APPLIED);
        assertThat(taken.poll()).isFalse();
        assertThat(intake.take(1_031)).isNull();
    }

    @Test
    @DisplayName("a relay that lags, dies or loses the host does not stand for it")
    void notLive() {
        attachAndConnect();
        assertThat(intake.trouble(1_001)).isEqualTo("relay rack has sent no message yet");
        poll(1, 9, 1_010, 1_020);
        assertThat(intake.trouble(1_120)).isNull();
        assertThat(intake.trouble(1_121)).isEqualTo("relay rack lags");
        assertThat(intake.take(1_121)).isNull();
        poll(2, 9, 1_110, 1_130);
        assertThat(intake.trouble(1_131)).isNull();

        ledger.put(HostCells.id(), new HostCells(false, 2, 9, 1_110, "no route").cells());
        send(1_132);
        assertThat(intake.trouble(1_133)).isEqualTo("relay rack does not reach the host: no route");

        poll(3, 9, 1_133, 1_134);
        assertThat(intake.detach(new Object())).isFalse();
        assertThat(intake.trouble(1_135)).isNull();
        assertThat(intake.detach(stream)).isTrue();
        assertThat(intake.trouble(1_136)).isEqualTo("no relay is connected");
        assertThat(intake.take(1_136)).isNull();
    }

    @Test
    @DisplayName("a new stream continues at the sequence; messages of the old one no longer count")
    void anotherStream() {
        attachAndConnect();
        poll(1, 9, 1_010, 1_020);
        Object second = new Object();

        assertThat(intake.attach(second, "rack", 10, 5, LAG)).isEqualTo(1);

        assertThat(intake.apply(stream, ledger.since(0, false), 1_030, 1)).isNull();
        assertThat(intake.trouble(1_030)).isNotNull();
        assertThat(intake.attach(second, "rack", 11, 6, LAG)).as("another epoch").isZero();
    }

    @Test
    @DisplayName("a state that drifts again and again is not taken")
    void drifting() {
        attachAndConnect();
        for (int i = 1; i <= 4; i++) {
            Delta wrong = new Delta(5, 0, i, java.util.List.of(), java.util.List.of(), 12_345L);
            HostIntake.Taken taken = intake.apply(stream, wrong, 1_010 + i, 1);
            assertThat(taken).isNotNull();
            assertThat(taken.outcome()).isEqualTo(HostMirror.Outcome.DRIFTED);
        }
        assertThat(intake.trouble(1_020)).contains("drifts repeatedly");
        assertThat(intake.apply(stream, ledger.since(0, false), 1_021, 1)).isNull();
    }
}
