package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.alert.ObjectTags;
import org.stillwater.monitoring.alert.RuleBackTest;
import org.stillwater.monitoring.alert.RuleSettings;
import org.stillwater.monitoring.alert.RuleSubjects;
import org.stillwater.monitoring.history.durable.HistorySource;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.RegressionSettings;
import org.stillwater.monitoring.regression.SeriesArchive;
import org.stillwater.monitoring.regression.SeriesReader;
import org.stillwater.testkit.memory.InMemoryAlertStore;
import org.stillwater.testkit.memory.InMemoryFindingStore;
import org.stillwater.testkit.memory.InMemorySeriesPointStore;

/** A rule on a storage domain, live and over the stored past, across a restart. */
@DisplayName("The back-test of a rule on a measured number")
class MeasuredBackTestTest {

    private static final List<HostId> HOSTS = List.of(ALPHA, BETA);
    private static final UUID DOMAIN = new UUID(0, 10);
    private static final UUID OTHER = new UUID(0, 11);

    private final Lab lab = new Lab();
    private final InMemorySeriesPointStore points = new InMemorySeriesPointStore();
    private Duration kept = Duration.ofHours(1);
    private RegressionMonitor search;
    private SeriesArchive archive;
    private AlertMonitor monitor;
    private RuleBackTest backTest;

    private Duration cycle() {
        return lab.settings.hosts().interval();
    }

    private void life() {
        search =
                new RegressionMonitor(
                        new RegressionSettings(
                                cycle(), cycle(), 100, 1_000, 0.1, 50, Duration.ofDays(1), 100),
                        lab.engine.fleet(),
                        _ -> Map.of(),
                        new InMemoryFindingStore(),
                        (_, _, _, _) -> {},
                        lab.clock,
                        lab.meters);
        archive =
                new SeriesArchive(
                        search,
                        points,
                        lab.engine.events(),
                        (_, _, _, _, _) -> List.of(),
                        cycle(),
                        kept,
                        () -> false,
                        lab.clock,
                        lab.meters);
        SeriesReader reader = new SeriesReader(search, points, kept);
        monitor =
                new AlertMonitor(
                        RuleSettings.DEFAULT,
                        new HistorySource() {
                            @Override
                            public int vmCount() {
                                return 0;
                            }

                            @Override
                            public void vms(Visitor visitor) {}

                            @Override
                            public void hosts(Visitor visitor) {}
                        },
                        lab.engine.fleet(),
                        new RuleSubjects(lab.engine.fleet(), ObjectTags.NONE, List::of, reader),
                        new InMemoryAlertStore(),
                        (_, _, _, _) -> {},
                        lab.clock,
                        lab.meters);
        backTest =
                new RuleBackTest(
                        monitor, lab.engine.fleet(), reader, Duration.ofSeconds(30), lab.clock);
        search.turn();
    }

    private void started() throws Exception {
        lab.storedHosts(ALPHA, BETA).started();
        for (HostId host : HOSTS) {
            lab.answer(host, poll -> {});
        }
        life();
    }

    /** Cycles with a delay of the domain at both hosts, in ms; the other domain has 1 ms. */
    private void cycles(int count, double alpha, double beta) {
        for (int i = 0; i < count; i++) {
            lab.clock.advance(cycle());
            lab.pump();
            for (HostId host : HOSTS) {
                lab.host(host)
                        .answerStatistics(
                                new HostValues()
                                        .put(
                                                HostField.STORAGE_DOMAINS,
                                                Map.of(
                                                        DOMAIN.toString(),
                                                        delay(host.equals(ALPHA) ? alpha : beta),
                                                        OTHER.toString(),
                                                        delay(1)))
                                        .statistics());
                lab.answer(host, poll -> {});
            }
            lab.settle();
            search.turn();
            while (archive.turn()) {}
            monitor.turn();
        }
    }

    private static HostStatistics.StorageDomain delay(double millis) {
        return new HostStatistics.StorageDomain(0, 2.0, millis / 1_000, true, 5, true, true);
    }

    private static AlertRule rule(AlertScope scope) {
        return new AlertRule(
                new UUID(5, 5),
                1,
                "SlowDomain",
                "storage-domain.delayMilliseconds > 10",
                Duration.ofSeconds(1),
                scope,
                AlertSeverity.WARNING,
                Map.of(),
                Map.of(),
                true,
                5);
    }

    private RuleBackTest.Answer tested(AlertScope scope) throws Exception {
        Instant now = lab.clock.now();
        return backTest.run(rule(scope), now.minus(Duration.ofHours(1)), now);
    }

    @Test
    @DisplayName("fires and ends at the times of the live rule, also those of an earlier life")
    void asLive() throws Exception {
        started();
        assertThat(monitor.save(rule(AlertScope.ALL))).isEqualTo(AlertMonitor.Change.DONE);
        cycles(6, 2, 2);
        cycles(6, 30, 4);
        cycles(5, 2, 2);
        List<Alert> live = monitor.alerts();
        assertThat(live).hasSize(1);
        assertThat(live.getFirst().value()).isEqualTo(17, org.assertj.core.data.Offset.offset(0.1));
        archive.stop(Duration.ofSeconds(1));

        life();
        cycles(5, 2, 2);
        cycles(3, 40, 40);
        RuleBackTest.Answer answer = tested(AlertScope.ALL);

        assertThat(answer.fired()).isEqualTo(2);
        assertThat(answer.objects()).isEqualTo(2);
        assertThat(answer.leftOut()).isZero();
        assertThat(answer.step()).isEqualTo(cycle());
        RuleBackTest.Fired first = answer.intervals().getFirst();
        assertThat(first.subject())
                .isEqualTo(
                        new AlertSubject(
                                AlertSubject.Kind.STORAGE_DOMAIN,
                                DOMAIN,
                                "storage domain " + DOMAIN));
        assertThat(Duration.between(first.from(), live.getFirst().firedAt()).abs())
                .isLessThan(cycle());
        assertThat(Duration.between(first.until(), live.getFirst().resolvedAt()).abs())
                .isLessThan(cycle());
        assertThat(answer.intervals().getLast().until()).isNull();
    }

    @Test
    @DisplayName("has the scope of the rule")
    void scope() throws Exception {
        started();
        cycles(6, 2, 2);
        cycles(6, 30, 4);
        AlertScope beta = new AlertScope(Set.of(), Set.of(), Set.of(), Set.of(BETA.value()));
        assertThat(tested(beta).fired()).isZero();
        assertThat(tested(AlertScope.ALL).fired()).isEqualTo(1);
        AlertScope other = new AlertScope(Set.of(), Set.of(), Set.of(), Set.of(), Set.of(OTHER));
        assertThat(tested(other).objects()).isEqualTo(1);
        assertThat(tested(other).fired()).isZero();
    }

    @Test
    @DisplayName("reads memory alone where points are not kept")
    void notKept() throws Exception {
        kept = Duration.ZERO;
        started();
        cycles(6, 2, 2);
        cycles(6, 30, 30);
        assertThat(tested(AlertScope.ALL).fired()).isEqualTo(1);
        assertThat(points.calls()).isZero();
    }
}
