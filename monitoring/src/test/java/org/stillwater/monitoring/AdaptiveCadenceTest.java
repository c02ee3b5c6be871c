package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.cadence.CadenceLimits;
import org.stillwater.core.cadence.CpuBudget;
import org.stillwater.core.cadence.Pace;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.alert.ObjectTags;
import org.stillwater.monitoring.alert.RuleSettings;
import org.stillwater.monitoring.alert.RuleSubjects;
import org.stillwater.monitoring.cadence.CadenceSettings;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.testkit.memory.InMemoryAlertStore;

/** An engine that adapts the intervals of its hosts. */
class AdaptiveCadenceTest {

    private static final Duration SHORTEST = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Duration VIEWED = Duration.ofSeconds(12);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Lab lab = new Lab();
    private final Duration ordinary = lab.settings.hosts().interval();
    private int stamp = 100;
    private int polls;

    private CadenceSettings settings() {
        return CadenceSettings.of(new CadenceLimits(SHORTEST, ordinary, LONGEST), new CpuBudget(0));
    }

    @BeforeEach
    void start() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP);
        lab.engine.adaptCadence(settings(), () -> -1);
        lab.started();
        answerIfAsked(VmStatus.UP);
    }

    private Pace pace() {
        return Objects.requireNonNull(lab.engine.fleet().pace(ALPHA));
    }

    private void answerIfAsked(VmStatus is) {
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        lab.pump();
        if (lab.host(ALPHA).pollsWaiting() > 0) {
            polls++;
            lab.answer(ALPHA, poll -> poll.running(VM, stamp++, status(is)));
        }
        lab.settle();
    }

    /** Lets time pass; the host answers at once. */
    private void pass(Duration time) {
        for (Duration left = time; left.isPositive(); left = left.minus(SECOND)) {
            lab.clock.advance(SECOND);
            answerIfAsked(VmStatus.UP);
        }
    }

    private void quiet() {
        pass(Duration.ofMinutes(12));
        assertThat(pace().interval()).isEqualTo(LONGEST);
    }

    private HostHealth health() {
        return lab.engine.fleet().hostHealth().getFirst();
    }

    @Test
    void aQuietHostIsPolledEveryTwoMinutesAndIsNeitherLateNorStale() {
        quiet();
        polls = 0;
        for (int i = 0; i < 600; i++) {
            pass(SECOND);
            assertThat(health().pollOverdue()).isFalse();
        }
        assertThat(polls).isEqualTo(5);
        assertThat(lab.engine.fleet().slackMillis(ALPHA))
                .isEqualTo(2 * LONGEST.minus(ordinary).toMillis());
        assertThat(pace().reason().code()).isEqualTo("quiet");
    }

    @Test
    void aHostThatIsLateByItsOwnIntervalIsOverdue() {
        quiet();
        for (int i = 0; i < 250; i++) {
            lab.clock.advance(SECOND);
            lab.pump();
        }
        assertThat(health().pollOverdue()).isTrue();
    }

    @Test
    void aReaderHasItsHostPolledAtOnceAndInTimeFromThenOn() {
        quiet();
        polls = 0;
        lab.engine.fleet().attention().viewed(VM);
        answerIfAsked(VmStatus.UP);
        pass(SECOND);
        assertThat(polls).isOne();
        assertThat(pace().interval()).isEqualTo(VIEWED);
        assertThat(pace().reason().code()).isEqualTo("viewed");

        pass(Duration.ofSeconds(48));
        assertThat(polls).isBetween(4, 6);

        pass(Duration.ofSeconds(30)); // nothing is read any more
        assertThat(pace().interval()).isEqualTo(LONGEST);
    }

    @Test
    void anEventHasItsHostPolledSoon() {
        quiet();
        polls = 0;
        lab.event(ALPHA, event -> event.running(VM, stamp++, status(VmStatus.PAUSED)));
        pass(SECOND.multipliedBy(5));
        assertThat(polls).isPositive();
        assertThat(pace().interval()).isLessThan(ordinary);
    }

    @Test
    void aCommandGetsTheShortestInterval() {
        quiet();
        lab.engine.commandAccess().order(ALPHA, new VmOrder.Destroy(VM, 0), _ -> {});
        lab.pump();
        assertThat(pace().interval()).isEqualTo(SHORTEST);
        assertThat(pace().reason().code()).isEqualTo("operation");
    }

    @Test
    void aRuleBoundsTheInterval() {
        quiet();
        lab.engine.fleet().attention().ruled(ALPHA, Duration.ofHours(1), ordinary);
        lab.pump();
        assertThat(pace().interval()).isEqualTo(LONGEST);
        lab.engine.fleet().attention().ruled(ALPHA, Duration.ofMinutes(1), ordinary);
        lab.pump();
        assertThat(pace().interval()).isEqualTo(Duration.ofSeconds(30));
        assertThat(pace().reason().code()).isEqualTo("rule");
    }

    @Test
    void aRuleOnMeasuredNumbersHasItsHostsPolledFourTimesInAnInterval() throws Exception {
        quiet();
        FakeSeries series = new FakeSeries();
        series.newest = 7;
        String path = ALPHA + "/00000000-0000-0000-0000-00000000000a";
        series.put(
                RegressionMetric.STORAGE_DELAY,
                new SeriesOwner(
                        path,
                        List.of(
                                new SeriesOwner.Shared(SeriesOwner.STORAGE_PATH, path),
                                new SeriesOwner.Shared(
                                        SeriesOwner.STORAGE_DOMAIN,
                                        "00000000-0000-0000-0000-00000000000a"))),
                2);
        AlertMonitor rules =
                new AlertMonitor(
                        RuleSettings.DEFAULT,
                        FakeSeries.NO_NUMBERS,
                        lab.engine.fleet(),
                        new RuleSubjects(lab.engine.fleet(), ObjectTags.NONE, List::of, series),
                        new InMemoryAlertStore(),
                        (_, _, _, _) -> {},
                        lab.clock,
                        lab.meters);
        AlertMonitor.Change _ =
                rules.save(
                        new AlertRule(
                                new UUID(5, 5),
                                1,
                                "Slow",
                                "storage-domain.delayMilliseconds > 10",
                                Duration.ofHours(1),
                                AlertScope.ALL,
                                AlertSeverity.INFO,
                                Map.of(),
                                Map.of(),
                                true,
                                5));
        rules.turn();
        lab.pump();

        assertThat(pace().interval()).isEqualTo(series.interval().dividedBy(4));
        assertThat(pace().reason().code()).isEqualTo("rule");
    }

    /** S81: a host is forgiven 60 s of silence, which begin when it falls silent. */
    @Test
    void aHostThatFallsSilentLongAfterItsLastPollIsForgivenAsLongAsAnyOther() {
        quiet();
        polls = 0;
        while (polls == 0) {
            pass(SECOND);
        }
        pass(Duration.ofSeconds(110));
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("no route"));
        lab.settle();
        Duration refresh = lab.settings.hosts().refresh();
        Duration silent = Duration.ZERO;
        while (silent.compareTo(Duration.ofSeconds(40)) < 0) {
            lab.clock.advance(refresh);
            silent = silent.plus(refresh);
            lab.settle();
            assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        }
        while (silent.compareTo(Duration.ofSeconds(75)) < 0) {
            lab.clock.advance(refresh);
            silent = silent.plus(refresh);
            lab.settle();
        }
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
    }

    @Test
    void aPushedHostKeepsTheOrdinaryInterval() {
        quiet();
        lab.host(ALPHA).pushes(null);
        pass(LONGEST.plusSeconds(1));
        assertThat(pace().interval()).isEqualTo(ordinary);
        assertThat(pace().reason().code()).isEqualTo("pushed");
    }

    @Test
    void aVmThatChangesItsStatusIsFollowed() {
        quiet();
        polls = 0;
        while (polls == 0) {
            lab.clock.advance(SECOND);
            answerIfAsked(VmStatus.POWERING_DOWN);
        }
        assertThat(pace().interval()).isEqualTo(SHORTEST);
    }

    @Test
    void withoutItThereIsNoPaceAndTheIntervalIsTheOrdinaryOne() throws Exception {
        Lab flat = new Lab().storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        assertThat(flat.engine.fleet().pace(ALPHA)).isNull();
        assertThat(flat.engine.fleet().slackMillis(ALPHA)).isZero();
        assertThat(flat.engine.fleet().attention().isOn()).isFalse();
        flat.engine.fleet().attention().viewed(VM);
        flat.engine.fleet().attention().ruled(ALPHA, Duration.ZERO, ordinary);
        flat.answer(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP))).settle();
        for (int i = 0; i < 40; i++) {
            flat.cycle(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP)));
            assertThat(flat.host(ALPHA).pollsWaiting()).isZero();
        }
    }

    @Test
    void itIsTurnedOnBeforeTheStartAndWithTheIntervalOfTheCycle() {
        assertThatThrownBy(() -> lab.engine.adaptCadence(settings(), () -> -1))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() ->
                        new Lab()
                                .engine.adaptCadence(
                                        CadenceSettings.of(
                                                new CadenceLimits(SHORTEST, LONGEST, LONGEST),
                                                new CpuBudget(0)),
                                        () -> -1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
