package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertResolution;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.alert.Silence;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.alert.ObjectTags;
import org.stillwater.monitoring.alert.RuleSettings;
import org.stillwater.monitoring.alert.RuleSubjects;
import org.stillwater.monitoring.history.durable.HistorySource;
import org.stillwater.monitoring.host.HostMonitorSettings;
import org.stillwater.monitoring.regression.SeriesValues;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.testkit.memory.InMemoryAlertStore;

/** From numbers to alerts, on virtual time. */
@DisplayName("Alert rules on a watched fleet")
class AlertRulesTest {

    private Lab lab = new Lab();
    private final InMemoryAlertStore store = new InMemoryAlertStore();
    private final List<Alert> told = new ArrayList<>();
    private final List<AuditEvent> recorded = new ArrayList<>();
    private double usage = 10;
    private Duration age = Duration.ZERO;
    private boolean isThere = true;
    private AlertMonitor monitor;

    private final HistorySource numbers =
            new HistorySource() {
                @Override
                public int vmCount() {
                    return 1;
                }

                @Override
                public void vms(Visitor visitor) {
                    double[] values = new double[HistoryMetric.of(Subject.VM).size()];
                    values[HistoryMetric.VM_CPU_USAGE.index()] = usage;
                    if (isThere) {
                        visitor.look(
                                VM.mostSignificantBits(),
                                VM.leastSignificantBits(),
                                lab.clock.now().minus(age).toEpochMilli(),
                                values);
                    }
                }

                @Override
                public void hosts(Visitor visitor) {}
            };

    @BeforeEach
    void start() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        monitor = newMonitor();
    }

    private AlertMonitor newMonitor() {
        return newMonitor(RuleSettings.DEFAULT);
    }

    private AlertMonitor newMonitor(RuleSettings settings) {
        AlertMonitor made =
                new AlertMonitor(
                        settings,
                        numbers,
                        lab.engine.fleet(),
                        new RuleSubjects(
                                lab.engine.fleet(), ObjectTags.NONE, List::of, SeriesValues.NONE),
                        store,
                        (event, _, _, _) -> recorded.add(event),
                        lab.clock,
                        lab.meters);
        made.follow(told::add);
        return made;
    }

    private static AlertRule rule(String expr) {
        return new AlertRule(
                new UUID(5, 5),
                1,
                "Busy",
                expr,
                Duration.ofMinutes(1),
                AlertScope.ALL,
                AlertSeverity.CRITICAL,
                Map.of("team", "web"),
                Map.of(),
                true,
                5);
    }

    private void turns(int count) {
        for (int i = 0; i < count; i++) {
            monitor.turn();
            lab.clock.advance(Duration.ofSeconds(30));
        }
    }

    private void firing() throws Exception {
        assertThat(monitor.save(rule("vm.usageCpuPercent > 90")))
                .isEqualTo(AlertMonitor.Change.DONE);
        usage = 95;
        turns(3);
    }

    @Test
    @Timeout(30)
    void aRestartedMonitorHasItsRulesAndAlertsBeforeTheFirstEvaluation() throws Exception {
        firing();
        told.clear();
        AlertMonitor restarted = newMonitor();
        CompletableFuture<Alert> restored = new CompletableFuture<>();
        restarted.followRestored(restored::complete);

        restarted.start(new Workers(WorkerSettings.DEFAULT, lab.clock, lab.meters));
        try {
            assertThat(restored.get().isFiring()).isTrue();
            assertThat(restarted.rules()).isEqualTo(monitor.rules());
            assertThat(restarted.alerts()).hasSize(1);
            assertThat(told).as("no evaluation").isEmpty();
        } finally {
            restarted.stop(Duration.ofSeconds(5));
        }
    }

    @Test
    void anAlertFiresIsStoredAndSentOnceThenResolves() throws Exception {
        firing();

        assertThat(told).hasSize(1);
        assertThat(told.getFirst().isFiring()).isTrue();
        assertThat(told.getFirst().labels())
                .containsEntry("team", "web")
                .containsEntry("severity", "critical")
                .containsEntry("objectId", VM.toString());
        assertThat(store.alerts(10)).containsExactly(told.getFirst());

        usage = 10;
        turns(1);
        assertThat(told.getLast().resolution()).isEqualTo(AlertResolution.CONDITION);
        assertThat(store.alerts(10)).containsExactly(told.getLast());
    }

    @Test
    void nothingIsWrittenWhileNothingChanges() throws Exception {
        firing();
        int before = store.calls();

        turns(20);

        assertThat(store.calls()).isEqualTo(before);
        assertThat(told).hasSize(1);
    }

    @Test
    void anAlertOutlivesARestartAndItsObject() throws Exception {
        firing();
        Alert alert = told.getFirst();
        Alert.Acknowledgement known =
                new Alert.Acknowledgement("eve@internal", lab.clock.now(), "known");
        assertThat(monitor.acknowledge(alert.id(), known)).isNotNull();
        told.clear();

        monitor = newMonitor();
        turns(2);
        assertThat(told).isEmpty();
        assertThat(monitor.alerts()).containsExactly(alert.acknowledged(known));

        isThere = false;
        turns(1);
        assertThat(monitor.alert(alert.id())).isNotNull();
        assertThat(told.getLast().resolution()).isEqualTo(AlertResolution.GONE);
        assertThat(told.getLast().subject()).isEqualTo(alert.subject());
    }

    @Test
    void anAlertThatOutlastsItsSilenceIsSentAgain() throws Exception {
        assertThat(monitor.save(silence(6))).isEqualTo(AlertMonitor.Change.DONE);
        firing();
        assertThat(monitor.isSilenced(told.getFirst())).isTrue();

        turns(2);

        assertThat(told).hasSize(2);
        assertThat(monitor.isSilenced(told.getLast())).isFalse();
    }

    @Test
    void aDeliveredAlertUnderASilenceIsRestored() throws Exception {
        firing();
        monitor.delivered("mail", Map.of(told.getFirst().id(), true));
        assertThat(monitor.save(silence(6))).isEqualTo(AlertMonitor.Change.DONE);

        List<Alert> restored = new ArrayList<>();
        monitor = newMonitor();
        monitor.followRestored(restored::add);
        turns(1);

        assertThat(restored).hasSize(1);
        assertThat(monitor.isSilenced(restored.getFirst())).isTrue();
    }

    @Test
    void theAuditLogHasTheEndOfAnAlertThatWasSilencedAfterItsBegin() throws Exception {
        firing();
        assertThat(monitor.save(silence(6))).isEqualTo(AlertMonitor.Change.DONE);
        usage = 10;
        turns(1);
        assertThat(told.getLast().isFiring()).isFalse();
        assertThat(monitor.isSilenced(told.getLast())).isTrue();
        assertThat(recorded).containsExactly(AuditEvent.ALERT_FIRED, AuditEvent.ALERT_RESOLVED);
    }

    @Test
    void theAuditLogHasNeitherBeginNorEndOfAnAlertThatASilenceCoversThroughout() throws Exception {
        assertThat(monitor.save(silence(6))).isEqualTo(AlertMonitor.Change.DONE);
        firing();
        assertThat(recorded).isEmpty();
        monitor = newMonitor();
        usage = 10;
        turns(1);
        assertThat(told.getLast().isFiring()).isFalse();
        assertThat(recorded).isEmpty();
    }

    @Test
    void theAuditLogHasTheBeginOfAnAlertWhenItsSilenceIsOver() throws Exception {
        assertThat(monitor.save(silence(6))).isEqualTo(AlertMonitor.Change.DONE);
        firing();
        turns(2);
        assertThat(recorded).containsExactly(AuditEvent.ALERT_FIRED);
        usage = 10;
        turns(1);
        assertThat(recorded).containsExactly(AuditEvent.ALERT_FIRED, AuditEvent.ALERT_RESOLVED);
    }

    private Silence silence(int number) {
        return new Silence(
                new UUID(6, number),
                List.of(new Silence.Matcher("alertname", "Busy", true)),
                lab.clock.now(),
                lab.clock.now().plusSeconds(120),
                "eve@internal",
                "");
    }

    private static MonitoringSettings withCycle(Duration interval) {
        HostMonitorSettings usual = MonitoringSettings.DEFAULT.hosts();
        return MonitoringSettings.DEFAULT
                .withDumpInterval(Duration.ZERO)
                .withHosts(
                        new HostMonitorSettings(
                                interval,
                                usual.pollDeadline(),
                                usual.connectSpread(),
                                usual.connectSpacing(),
                                usual.mailboxEvents(),
                                usual.mailboxBytes(),
                                usual.repollPause(),
                                usual.domainChunk(),
                                usual.unknownLimit(),
                                usual.claimLimit(),
                                usual.domainXmlLimit(),
                                usual.externalDataCalls(),
                                usual.quietPeriod(),
                                usual.limits(),
                                usual.hostedEngineName(),
                                usual.powerOffWindow(),
                                usual.handOver(),
                                usual.refresh(),
                                usual.policy(),
                                usual.watchdog(),
                                usual.slowAnswer(),
                                usual.checks(),
                                usual.flood()));
    }

    @Test
    @DisplayName("a number is no value after two minutes, or after two cycles if they take longer")
    void longCycle() throws Exception {
        age = Duration.ofMinutes(8);
        assertThat(monitor.save(rule("absent(vm.usageCpuPercent)")))
                .isEqualTo(AlertMonitor.Change.DONE);
        turns(4);
        assertThat(told).as("cycles of 15 s").hasSize(1);
        assertThat(monitor.removeRule(told.getFirst().rule())).isEqualTo(AlertMonitor.Change.DONE);
        told.clear();

        lab = new Lab().with(withCycle(Duration.ofMinutes(5)));
        start();
        assertThat(monitor.save(rule("absent(vm.usageCpuPercent)")))
                .isEqualTo(AlertMonitor.Change.DONE);
        turns(4);
        assertThat(told).as("cycles of 5 min").isEmpty();
        age = Duration.ofMinutes(11);
        turns(4);
        assertThat(told).hasSize(1);
    }

    @Test
    void aSilenceThatEndedMakesRoomForANewOne() throws Exception {
        RuleSettings usual = RuleSettings.DEFAULT;
        monitor =
                newMonitor(
                        new RuleSettings(
                                usual.interval(),
                                1,
                                usual.mostAlerts(),
                                usual.retention(),
                                usual.limits()));
        for (int i = 0; i < 10; i++) {
            assertThat(monitor.save(silence(i))).isEqualTo(AlertMonitor.Change.DONE);
            lab.clock.advance(Duration.ofSeconds(1));
        }
        assertThat(monitor.save(silence(10))).isEqualTo(AlertMonitor.Change.TOO_MANY);

        lab.clock.advance(Duration.ofSeconds(111)); // the first two ended
        assertThat(monitor.save(silence(10))).isEqualTo(AlertMonitor.Change.DONE);
        assertThat(monitor.silences()).hasSize(10);
        assertThat(store.silences())
                .hasSize(10)
                .noneMatch(each -> each.id().equals(new UUID(6, 0)));
    }

    @Test
    void aRuleThatChangesOrGoesEndsItsAlerts() throws Exception {
        firing();
        assertThat(monitor.save(rule("vm.usageCpuPercent > 99")))
                .isEqualTo(AlertMonitor.Change.DONE);
        assertThat(told.getLast().resolution()).isEqualTo(AlertResolution.RULE);
        assertThat(monitor.removeRule(rule("vm.usageCpuPercent > 99").id()))
                .isEqualTo(AlertMonitor.Change.DONE);
        assertThat(monitor.rules()).isEmpty();
    }

    @Test
    void withoutADatabaseRulesDoNotChangeAndAlertsWait() throws Exception {
        assertThat(monitor.save(rule("vm.usageCpuPercent > 90")))
                .isEqualTo(AlertMonitor.Change.DONE);
        store.unavailable("away");
        usage = 95;
        turns(3);
        assertThat(told).hasSize(1);

        store.unavailable(null);
        turns(1);
        assertThat(store.alerts(10)).containsExactly(told.getFirst());
    }

    @Test
    void deliveriesAreDurable() throws Exception {
        firing();
        Alert alert = told.getFirst();
        monitor.delivered("mail", Map.of(alert.id(), true, new UUID(1, 1), true));
        assertThat(store.alerts(10)).containsExactly(alert.delivered("mail", true));
        assertThat(told).as("followers are not told").hasSize(1);

        usage = 10;
        turns(1);
        List<Alert> restored = new ArrayList<>();
        monitor = newMonitor();
        monitor.followRestored(restored::add);
        turns(1);
        assertThat(restored).as("its end was not taken").containsExactly(told.getLast());

        monitor.delivered("mail", Map.of(alert.id(), false));
        restored.clear();
        monitor = newMonitor();
        monitor.followRestored(restored::add);
        turns(1);
        assertThat(restored).isEmpty();
    }

    @Test
    @DisplayName("a clock step forth or back neither fires a rule early nor delays it")
    void clockSteps() throws Exception {
        assertThat(monitor.save(rule("vm.usageCpuPercent > 90")))
                .isEqualTo(AlertMonitor.Change.DONE);
        usage = 95;
        turns(1);
        lab.clock.jump(Duration.ofHours(3));
        turns(1);
        assertThat(told).as("half a minute has passed").isEmpty();
        lab.clock.jump(Duration.ofHours(-7));
        turns(1);
        assertThat(told).as("a minute has passed").hasSize(1);
    }

    @Test
    @DisplayName("a leap second is no reason to fire a rule")
    void leapSecond() throws Exception {
        assertThat(monitor.save(rule("vm.usageCpuPercent > 90")))
                .isEqualTo(AlertMonitor.Change.DONE);
        usage = 95;
        turns(1);
        lab.clock.jump(Duration.ofSeconds(-1));
        turns(1);
        assertThat(told).isEmpty();
        turns(1);
        assertThat(told).as("a minute has passed, as 59 s of the wall clock").hasSize(1);
    }
}
