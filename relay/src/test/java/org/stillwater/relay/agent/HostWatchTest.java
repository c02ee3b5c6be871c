package org.stillwater.relay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.Deadband;
import org.stillwater.relay.state.HostLedger;
import org.stillwater.relay.vm.HostCells;
import org.stillwater.relay.vm.VmCells;
import org.stillwater.testkit.ScriptedConnector;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;
import org.stillwater.testkit.VirtualClock;

class HostWatchTest {

    private static final HostDefinition HOST =
            new HostDefinition(new HostId(new UUID(0, 5)), "one", "192.0.2.1", 54321);
    private static final VmId A = VmId.of(new UUID(1, 1));
    private static final VmId B = VmId.of(new UUID(1, 2));

    private final VirtualClock clock = new VirtualClock();
    private final ManualLoop loop = new ManualLoop(clock);
    private final ScriptedConnector connector = new ScriptedConnector(clock);
    private final HostLedger ledger = new HostLedger(1, Deadband.NONE, 100);
    private long mark = 41;
    private int changes;
    private final HostWatch watch =
            new HostWatch(
                    HOST,
                    null,
                    ledger,
                    loop,
                    Duration.ofSeconds(15),
                    2,
                    new HostWatch.Environment() {
                        @Override
                        public long session() {
                            return 7;
                        }

                        @Override
                        public long mark() {
                            return mark;
                        }

                        @Override
                        public void changed(HostWatch changed) {
                            changes++;
                        }

                        @Override
                        public Instant now() {
                            return clock.now();
                        }
                    });
    private ScriptedHost host = new ScriptedHost(HOST, watch, clock);

    @BeforeEach
    void start() {
        watch.start(connector, Duration.ofSeconds(3));
        host = connector.host(HOST.id());
        host.connect();
        loop.run();
    }

    private void answer(ScriptedReports reports) {
        host.answerPoll(reports);
        loop.run();
        assertThat(reports.isClosed()).isTrue();
    }

    private void event(ScriptedReports reports) {
        host.listener().vmsChanged(reports);
        loop.run();
        assertThat(reports.isClosed()).isTrue();
    }

    private ScriptedReports poll() {
        return ScriptedReports.poll(clock.nanoTime());
    }

    private ScriptedReports event() {
        return ScriptedReports.event(clock.nanoTime());
    }

    private HostCells told() {
        return HostCells.of(ledger.get(HostCells.id()));
    }

    private Cells cells(VmId vm) {
        return Objects.requireNonNull(ledger.get(vm.toUuid()));
    }

    private static ScriptedReports up(ScriptedReports reports, VmId vm, long stamp) {
        return reports.running(vm, stamp, draft -> draft.set(RuntimeField.STATUS, VmStatus.UP));
    }

    @Test
    @DisplayName("polls when connected and each interval, with the mark that it had when it asked")
    void polls() {
        assertThat(host.pollsWaiting()).isEqualTo(1);
        mark = 42;
        answer(up(poll(), A, 100));
        assertThat(told()).isEqualTo(new HostCells(true, 1, 7, 41, null));

        loop.pass(Duration.ofSeconds(3));
        assertThat(host.pollsWaiting()).isEqualTo(1);
        answer(up(poll(), A, 110));
        assertThat(told()).isEqualTo(new HostCells(true, 2, 7, 42, null));
        loop.pass(Duration.ofSeconds(14));
        assertThat(host.pollsWaiting()).isZero();
        loop.pass(Duration.ofSeconds(1));
        assertThat(host.pollsWaiting()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a VM that a poll does not mention is gone, unless an event came after the request")
    void goneUnlessHeardOf() {
        answer(up(up(poll(), A, 100), B, 100));
        watch.networkChanged();
        loop.pass(Duration.ofSeconds(3));
        event(up(event(), B, 120));
        answer(up(poll(), A, 115));
        assertThat(ledger.get(B.toUuid())).isNotNull();

        loop.pass(Duration.ofSeconds(15));
        answer(up(poll(), A, 130));
        assertThat(ledger.get(B.toUuid())).isNull();
    }

    @Test
    @DisplayName("the later stamp of two reports of one connection counts")
    void laterStampCounts() {
        answer(up(poll(), A, 100));
        event(event().running(A, 200, draft -> draft.set(RuntimeField.STATUS, VmStatus.PAUSED)));
        loop.pass(Duration.ofSeconds(3));
        answer(up(poll(), A, 150));
        assertThat(VmCells.stampMillis(cells(A))).isEqualTo(200);

        loop.pass(Duration.ofSeconds(15));
        answer(up(poll(), A, 250));
        assertThat(VmCells.stampMillis(cells(A))).isEqualTo(250);
    }

    @Test
    @DisplayName("after a new connection stamps begin anew")
    void stampsOfAnotherConnection() {
        answer(up(poll(), A, 1_000_000));
        host.disconnect(new HostFailure.Unreachable("it boots"));
        loop.run();
        assertThat(told().connected()).isFalse();
        assertThat(told().reason()).contains("it boots");
        host.connect();
        loop.run();

        answer(up(poll(), A, 5));

        assertThat(VmCells.stampMillis(cells(A))).isEqualTo(5);
    }

    @Test
    @DisplayName("an answer of a connection that is gone is left out")
    void lateAnswer() {
        ScriptedReports late = up(poll(), A, 100);
        host.answerPoll(late);
        host.disconnect(new HostFailure.Unreachable("gone"));
        host.connect();
        loop.run();
        // The answer came before the loss, so it counts; the one of the new connection is awaited.
        assertThat(told().poll()).isEqualTo(1);
        assertThat(host.pollsWaiting()).isEqualTo(1);
    }

    @Test
    @DisplayName("a poll of which anything was not understood is not complete")
    void unreadableVm() {
        answer(up(up(poll(), A, 100), B, 100));
        loop.pass(Duration.ofSeconds(3));
        answer(up(poll(), A, 110).unreadable(null, "nonsense"));

        assertThat(told().poll()).isEqualTo(1);
        assertThat(VmCells.stampMillis(cells(A))).isEqualTo(110);
        assertThat(ledger.get(B.toUuid())).isNotNull();

        loop.pass(Duration.ofSeconds(15));
        answer(up(poll(), A, 120).thenNonsense("cut"));
        assertThat(told().poll()).isEqualTo(1);
        assertThat(ledger.get(B.toUuid())).isNotNull();
    }

    @Test
    @DisplayName("the relay sends a process that ended until the host forgets it")
    void exited() {
        answer(up(poll(), A, 100));
        event(
                event().exited(
                                A,
                                120,
                                ExitStatus.ERROR,
                                ExitReason.LOST_QEMU_CONNECTION,
                                "Lost connection"));
        assertThat(cells(A)).isNotEqualTo(Cells.NONE);
        loop.pass(Duration.ofSeconds(3));
        answer(poll());
        assertThat(ledger.get(A.toUuid())).isNull();
    }

    @Test
    @DisplayName("events beyond the bound are dropped, and a poll makes up for them")
    void floods() {
        answer(up(poll(), A, 100));
        ScriptedReports[] flood = new ScriptedReports[5];
        for (int i = 0; i < flood.length; i++) {
            flood[i] = up(event(), A, 200 + i);
            host.listener().vmsChanged(flood[i]);
        }
        assertThat(flood[4].isClosed()).isTrue();
        loop.run();

        assertThat(VmCells.stampMillis(cells(A))).isEqualTo(201);
        assertThat(host.pollsWaiting()).isEqualTo(1);
        assertThat(watch.status().eventsDropped()).isEqualTo(3);
    }

    @Test
    @DisplayName("the relay sends every change at once, and an equal report costs no sequence")
    void changesAreSentAtOnce() {
        answer(up(poll(), A, 100));
        int before = changes;
        long sequence = ledger.version();
        event(up(event(), A, 101));
        assertThat(changes).isEqualTo(before + 1);
        assertThat(ledger.version()).isEqualTo(sequence + 1);
        event(up(event(), A, 101));
        assertThat(ledger.version()).isEqualTo(sequence + 1);
    }
}
