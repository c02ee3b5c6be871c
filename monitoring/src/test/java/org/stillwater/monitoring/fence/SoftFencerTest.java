package org.stillwater.monitoring.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.analysis.host.HostPolicy;
import org.stillwater.core.analysis.host.SoftFencing;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.fence.SoftFence.Answer;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.testkit.ScriptedSoftFence;
import org.stillwater.testkit.VirtualClock;

class SoftFencerTest {

    private static final HostId HOST = new HostId(new UUID(1, 1));
    private static final HostId OTHER = new HostId(new UUID(1, 2));
    private static final HostId THIRD = new HostId(new UUID(1, 3));
    private static final Duration PATIENCE = HostPolicy.DEFAULT.base();

    private final VirtualClock clock = new VirtualClock();
    private final ScriptedSoftFence port = new ScriptedSoftFence(2);
    private final Map<HostId, HostState> hosts = new HashMap<>();
    private final Set<HostWork.Key> open = new HashSet<>();
    private final List<HostId> recovered = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final SoftFencer fencer =
            new SoftFencer(
                    port,
                    HostPolicy.DEFAULT,
                    hosts::get,
                    open::contains,
                    recovered::add,
                    clock,
                    new MonitoringMeters(meters),
                    Duration.ofMinutes(1));

    @BeforeEach
    void hostsAreSilentLongAfterTheStart() {
        List.of(HOST, OTHER, THIRD).forEach(host -> become(host, HostStatus.NON_RESPONSIVE));
        clock.advance(HostPolicy.DEFAULT.fencingDelay());
    }

    @Test
    void aHostThatComesUpAfterTheRestartOfItsAgentWasRecovered() {
        open(HOST);
        assertThat(fencer.step()).isTrue();
        assertThat(port.asked()).containsExactly(HOST);

        port.answer(HOST, new Answer.Restarted());
        assertThat(fencer.step()).as("it is waited for").isFalse();
        become(HOST, HostStatus.UP);
        fencer.step();

        assertThat(recovered).containsExactly(HOST);
        assertThat(fencer.size()).isZero();
        assertThat(results("recovered")).isOne();
    }

    @Test
    @DisplayName("T39 a host that never comes back is given up after 60 s, and its work stays open")
    void aHostThatNeverComesBackIsGivenUp() {
        open(HOST);
        fencer.step();
        port.answer(HOST, new Answer.Restarted());
        clock.advance(PATIENCE.minusNanos(1));
        fencer.step();
        assertThat(fencer.size()).isOne();

        clock.advance(Duration.ofNanos(1));
        fencer.step();

        assertThat(fencer.size()).isZero();
        assertThat(recovered).isEmpty();
        assertThat(results("failed")).isOne();
        assertThat(open).contains(fence(HOST).key());
    }

    @Test
    void thereIsOneAttemptInAnOutage() {
        open(HOST);
        fencer.step();
        port.answer(HOST, new Answer.Failed("no route to host"));
        for (int i = 0; i < 100; i++) {
            clock.advance(SoftFencing.LOOK);
            fencer.step();
        }
        assertThat(port.all()).containsExactly(HOST);
    }

    @Test
    void noMoreRestartsAreUnderWayThanThePortTakes() {
        List.of(HOST, OTHER, THIRD).forEach(this::open);
        fencer.step();
        assertThat(port.asked()).containsExactly(HOST, OTHER);

        port.answer(OTHER, new Answer.Restarted());
        fencer.step();

        assertThat(port.asked()).as("waiting for a host to come up is free").contains(THIRD);
    }

    @Test
    void workThatEndedWhileItWaitedIsDropped() {
        List.of(HOST, OTHER, THIRD).forEach(this::open);
        fencer.step();
        open.remove(fence(THIRD).key());
        port.answer(HOST, new Answer.Failed("refused"));

        fencer.step();

        assertThat(port.all()).doesNotContain(THIRD);
        assertThat(fencer.size()).isOne();
    }

    @Test
    void workFoundAtTheStartWaitsUntilTheHostIsSilentInThisLifeToo() {
        become(HOST, HostStatus.UNASSIGNED);
        open(HOST);
        fencer.step();
        assertThat(port.all()).isEmpty();

        become(HOST, HostStatus.NON_RESPONSIVE);
        fencer.step();

        assertThat(port.all()).containsExactly(HOST);
    }

    @Test
    void otherWorkIsNotTheFencers() {
        fencer.hostWorkOpened(
                new OpenHostWork(
                        new HostWork(HOST, HostWorkKind.EVACUATE, 1, 0, "why"), clock.now()));
        assertThat(fencer.size()).isZero();
    }

    @Test
    void aPortThatThrowsCostsOneAttempt() {
        SoftFencer other =
                new SoftFencer(
                        new Broken(),
                        HostPolicy.DEFAULT,
                        hosts::get,
                        open::contains,
                        recovered::add,
                        clock,
                        new MonitoringMeters(meters),
                        Duration.ofMinutes(1));
        clock.advance(HostPolicy.DEFAULT.fencingDelay());
        open.add(fence(HOST).key());
        other.hostWorkOpened(new OpenHostWork(fence(HOST), clock.now()));

        other.step();
        other.step();

        assertThat(other.size()).isZero();
        assertThat(results("failed")).isOne();
    }

    @Test
    @Timeout(30)
    void theThreadBeginsAtOnceAndEnds() {
        fencer.start(new Workers(WorkerSettings.DEFAULT, clock, new SimpleMeterRegistry()));
        open(HOST);
        while (port.asked().isEmpty()) {
            Thread.onSpinWait();
        }
        fencer.stop();
        assertThat(port.asked()).containsExactly(HOST);
    }

    private static final class Broken implements SoftFence {

        @Override
        public int atOnce() {
            return 1;
        }

        @Override
        public void restartAgent(HostDefinition host, Consumer<Answer> receiver) {
            throw new IllegalStateException("bug");
        }
    }

    private void open(HostId host) {
        open.add(fence(host).key());
        fencer.hostWorkOpened(new OpenHostWork(fence(host), clock.now()));
    }

    private void become(HostId host, HostStatus status) {
        hosts.put(
                host,
                HostState.unheard(
                        new HostDefinition(host, host.toString(), "192.0.2.1", 54321),
                        HostCondition.of(status),
                        clock.now()));
    }

    private double results(String result) {
        return meters.get("stillwater.fence.soft").tag("result", result).counter().count();
    }

    private static HostWork fence(HostId host) {
        return new HostWork(host, HostWorkKind.FENCE, 1, 0, "it does not respond");
    }
}
