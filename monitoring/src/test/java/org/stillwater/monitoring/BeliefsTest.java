package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.vm.ExitReason.GENERIC_ERROR;
import static org.stillwater.core.vm.ExitReason.USER_SHUTDOWN;
import static org.stillwater.core.vm.ExitStatus.ERROR;
import static org.stillwater.core.vm.ExitStatus.NORMAL;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.VmRule;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.DecisionKind;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.belief.BeliefLog.Past;
import org.stillwater.monitoring.belief.BeliefSettings;
import org.stillwater.testkit.memory.InMemoryBeliefStore;

/** Every transition is recorded with its report, its rule and its effects. */
@DisplayName("Beliefs over time")
class BeliefsTest {

    private final Lab lab = new Lab();
    private final InMemoryBeliefStore store = new InMemoryBeliefStore();

    @Test
    @DisplayName("an end by an event: its stamp, its arrival, its rule, what follows")
    void anEvent() throws Exception {
        upWithOneVm();
        lab.event(ALPHA, event -> event.exited(VM, 9_000, ERROR, GENERIC_ERROR, "broken")).settle();

        Belief belief = newest();

        assertThat(belief.cause()).isEqualTo(BeliefCause.EVENT);
        assertThat(belief.reporter()).isEqualTo(ALPHA);
        assertThat(belief.hostStampMillis()).isEqualTo(9_000);
        assertThat(belief.receivedAt()).isBeforeOrEqualTo(belief.at());
        assertThat(belief.rule()).isEqualTo(VmRule.FAILED);
        assertThat(belief.before()).isEqualTo(VmStatus.UP.code());
        assertThat(belief.status()).isEqualTo(VmStatus.DOWN.code());
        assertThat(belief.host()).isNull();
        assertThat(DecisionKind.of(belief.decided()))
                .contains(DecisionKind.DESTROY_HERE, DecisionKind.AUDIT, DecisionKind.PROCESS_DOWN);
    }

    @Test
    @DisplayName("a poll without the VM, and a host that falls silent")
    void absenceAndSilence() throws Exception {
        upWithOneVm();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
        for (int i = 0; i < 60; i++) {
            lab.clock.advance(Duration.ofSeconds(3));
            lab.pump();
            lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
            lab.settle();
        }

        assertThat(newest().cause()).isEqualTo(BeliefCause.SILENCE);
        assertThat(newest().rule()).isEqualTo(VmRule.HOST_LOST);
        List<Belief> ofHost = past(lab.engine.fleet().beliefs(ALPHA)).items();
        assertThat(ofHost.getFirst().rule()).isEqualTo(HostTransition.GIVEN_UP);
        assertThat(ofHost.getFirst().cause()).isEqualTo(BeliefCause.FAILURE);
        assertThat(ofHost.getFirst().status()).isEqualTo(HostStatus.NON_RESPONSIVE.code());
        assertThat(DecisionKind.of(ofHost.getFirst().decided())).contains(DecisionKind.LOSE_VMS);
        lab.connect(ALPHA);
        lab.answer(ALPHA, poll -> {}).settle();
        assertThat(newest().cause()).isEqualTo(BeliefCause.ABSENCE);
        assertThat(newest().rule()).isEqualTo(VmRule.NOT_RESTORED);
        assertThat(newest().rule().scenario()).isEqualTo(31);
    }

    @Test
    @DisplayName("a migration: handed over by its source, arrived on its destination")
    void aMigration() throws Exception {
        lab.storedHosts(ALPHA, BETA);
        lab.vms.put(
                new StoredVm(
                        VM,
                        Lab.defined(VM, VmOrigin.OVIRT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                        VmPlacement.on(ALPHA).withMigratingTo(BETA)));
        lab.started();
        lab.event(ALPHA, event -> event.exited(VM, 9, NORMAL, ExitReason.MIGRATION_SUCCEEDED, ""))
                .settle();
        lab.event(BETA, event -> event.running(VM, 4, status(VmStatus.UP))).settle();

        List<Belief> items = past(lab.engine.fleet().beliefs(VM)).items();

        assertThat(items.stream().map(Belief::rule))
                .containsExactly(VmRule.ARRIVED, VmRule.HANDED_OVER);
        assertThat(items.stream().map(Belief::reporter)).containsExactly(BETA, ALPHA);
        assertThat(items.getFirst().host()).isEqualTo(BETA);
    }

    @Test
    @DisplayName("reports of a stable VM are no transitions, and write nothing")
    void aStableVm() throws Exception {
        recorded();
        upWithOneVm();
        int transitions = past(lab.engine.fleet().beliefs(VM)).items().size();
        int calls = store.calls();
        for (int i = 0; i < 10; i++) {
            lab.cycle(ALPHA, poll -> poll.running(VM, 7_000, status(VmStatus.UP)));
            lab.clock.advance(Duration.ofSeconds(1));
            lab.settle();
        }

        assertThat(store.calls()).isEqualTo(calls);
        assertThat(past(lab.engine.fleet().beliefs(VM)).items()).hasSize(transitions);
    }

    @Test
    @DisplayName("a new life of the engine reads the transitions of the former one")
    void restarted() throws Exception {
        recorded();
        upWithOneVm();
        lab.event(ALPHA, event -> event.running(VM, 9_000, status(VmStatus.PAUSED)));
        written();
        Instant paused = newest().at();
        lab.clock.advance(Duration.ofMinutes(5));
        lab.event(ALPHA, event -> event.exited(VM, 10_000, NORMAL, USER_SHUTDOWN, ""));
        written();
        List<Belief> before = past(lab.engine.fleet().beliefs(VM)).items();
        assertThat(before).hasSizeGreaterThanOrEqualTo(2);
        lab.engine.close();
        lab.with(lab.settings);
        recorded();
        lab.started();

        assertThat(past(lab.engine.fleet().beliefs(VM)).items()).isEqualTo(before);
        assertThat(past(lab.engine.fleet().beliefs(VM, paused.plusSeconds(60))).items())
                .singleElement()
                .satisfies(then -> {
                    assertThat(then.status()).isEqualTo(VmStatus.PAUSED.code());
                    assertThat(then.rule()).isEqualTo(VmRule.PAUSED);
                });
        assertThat(past(lab.engine.fleet().beliefs(VM, paused.minusSeconds(86_400))).items())
                .isEmpty();
    }

    @Test
    @DisplayName("what the database does not take waits, and is written later")
    void aDatabaseThatIsAway() throws Exception {
        recorded();
        upWithOneVm();
        store.unavailable("away");
        lab.event(ALPHA, event -> event.running(VM, 9_000, status(VmStatus.PAUSED)));
        written();
        int rows = store.all().size();
        assertThat(past(lab.engine.fleet().beliefs(VM)).missing()).contains("away");
        assertThat(newest().status()).isEqualTo(VmStatus.PAUSED.code());

        store.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(10));
        lab.settle();

        assertThat(store.all()).hasSize(rows + 1);
        assertThat(past(lab.engine.fleet().beliefs(VM)).missing()).isNull();
    }

    @Test
    @DisplayName("beyond the bound the oldest that wait are given up and counted")
    void bounded() throws Exception {
        lab.engine.recordBeliefs(
                new BeliefSettings(Duration.ofDays(30), 2, 10, Duration.ofMillis(100)), store);
        upWithOneVm();
        store.unavailable("away");
        for (int i = 0; i < 5; i++) {
            VmStatus next = i % 2 == 0 ? VmStatus.PAUSED : VmStatus.UP;
            int stamp = 9_000 + i;
            lab.event(ALPHA, event -> event.running(VM, stamp, status(next)));
        }

        assertThat(lab.counter("stillwater.beliefs.given.up")).isEqualTo(3);
        assertThat(past(lab.engine.fleet().beliefs(VM)).items()).hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    @DisplayName("of missing objects are null")
    void nothing() throws Exception {
        lab.started();

        assertThat(lab.engine.fleet().beliefs(VM)).isNull();
        assertThat(lab.engine.fleet().beliefs(ALPHA)).isNull();
    }

    private void recorded() {
        lab.engine.recordBeliefs(BeliefSettings.DEFAULT, store);
    }

    private void written() {
        lab.settle();
        lab.clock.advance(Duration.ofSeconds(1));
        lab.settle();
    }

    private void upWithOneVm() throws Exception {
        lab.storedHosts(ALPHA);
        lab.storedVm(VM, ALPHA, VmStatus.UP);
        lab.started();
        lab.answer(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP)));
        written();
    }

    private Belief newest() {
        return past(lab.engine.fleet().beliefs(VM)).items().getFirst();
    }

    private static Past past(Past past) {
        return Objects.requireNonNull(past);
    }
}
