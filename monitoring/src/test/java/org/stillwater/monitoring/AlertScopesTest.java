package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.vm.ExitStatus.NORMAL;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertResolution;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.alert.ObjectTags;
import org.stillwater.monitoring.alert.RuleSettings;
import org.stillwater.monitoring.alert.RuleSubjects;
import org.stillwater.monitoring.history.durable.HistorySource;
import org.stillwater.monitoring.regression.SeriesValues;
import org.stillwater.testkit.memory.InMemoryAlertStore;

/** The objects of a rule while objects move, are tagged, and go. */
@DisplayName("Scopes of alert rules")
class AlertScopesTest {

    private static final ClusterId RED = new ClusterId(new UUID(9, 9));

    private final Lab lab = new Lab();
    private final InMemoryAlertStore store = new InMemoryAlertStore();
    private final Map<VmId, Set<String>> tags = new HashMap<>();
    private final List<Alert> told = new ArrayList<>();
    private final List<Alert> restored = new ArrayList<>();
    private List<Finding> findings = List.of(); // null: not known yet
    private AlertMonitor monitor;

    /** Every VM and host is busy all the time. */
    private final HistorySource numbers =
            new HistorySource() {
                @Override
                public int vmCount() {
                    return 2;
                }

                @Override
                public void vms(Visitor visitor) {
                    double[] values = new double[HistoryMetric.of(Subject.VM).size()];
                    values[HistoryMetric.VM_CPU_USAGE.index()] = 95;
                    lab.engine
                            .fleet()
                            .readings()
                            .forEach(vm ->
                                    visitor.look(
                                            vm.id().mostSignificantBits(),
                                            vm.id().leastSignificantBits(),
                                            lab.clock.now().toEpochMilli(),
                                            values));
                }

                @Override
                public void hosts(Visitor visitor) {
                    double[] values = new double[HistoryMetric.of(Subject.HOST).size()];
                    java.util.Arrays.fill(values, 95);
                    for (HostId host : List.of(ALPHA, BETA)) {
                        visitor.look(
                                host.value().getMostSignificantBits(),
                                host.value().getLeastSignificantBits(),
                                lab.clock.now().toEpochMilli(),
                                values);
                    }
                }
            };

    private final ObjectTags knownTags =
            new ObjectTags() {
                @Override
                public Set<String> of(VmId vm) {
                    return tags.getOrDefault(vm, Set.of());
                }

                @Override
                public Set<String> of(HostId host) {
                    return Set.of();
                }
            };

    @BeforeEach
    void start() throws Exception {
        lab.storedHosts(ALPHA, BETA).storedVm(OTHER, BETA, VmStatus.UP);
        lab.vms.put(
                new StoredVm(
                        VM,
                        Lab.defined(VM, VmOrigin.OVIRT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                        VmPlacement.on(ALPHA).withMigratingTo(BETA)));
        lab.started();
        monitor = newMonitor();
    }

    private AlertMonitor newMonitor() {
        AlertMonitor made =
                new AlertMonitor(
                        RuleSettings.DEFAULT,
                        numbers,
                        lab.engine.fleet(),
                        new RuleSubjects(
                                lab.engine.fleet(), knownTags, () -> findings, SeriesValues.NONE),
                        store,
                        (_, _, _, _) -> {},
                        lab.clock,
                        lab.meters);
        made.follow(told::add);
        made.followRestored(restored::add);
        return made;
    }

    private void rule(String expr, AlertScope scope) throws Exception {
        AlertRule rule =
                new AlertRule(
                        new UUID(5, 5),
                        1,
                        "Busy",
                        expr,
                        Duration.ZERO,
                        scope,
                        AlertSeverity.WARNING,
                        Map.of(),
                        Map.of(),
                        true,
                        5);
        assertThat(monitor.save(rule)).isEqualTo(AlertMonitor.Change.DONE);
    }

    private void watchVms(AlertScope scope) throws Exception {
        rule("vm.usageCpuPercent > 90", scope);
        turn();
    }

    private void turn() {
        monitor.turn();
        lab.clock.advance(Duration.ofSeconds(30));
    }

    private List<UUID> firing() {
        return monitor.alerts().stream()
                .filter(Alert::isFiring)
                .map(alert -> alert.subject().id())
                .toList();
    }

    private void endedAsGone(VmId vm) {
        assertThat(told.getLast().subject().id()).isEqualTo(vm.toUuid());
        assertThat(told.getLast().resolution()).isEqualTo(AlertResolution.GONE);
    }

    @Test
    @DisplayName("a VM that gets a tag is watched, one that loses it no longer")
    void tag() throws Exception {
        tags.put(VM, Set.of("production", "root"));
        watchVms(new AlertScope(Set.of(), Set.of("production", "test"), Set.of(), Set.of()));
        assertThat(firing()).containsExactly(VM.toUuid());

        tags.put(OTHER, Set.of("production"));
        turn();
        assertThat(firing()).containsExactlyInAnyOrder(VM.toUuid(), OTHER.toUuid());

        tags.put(VM, Set.of("root"));
        turn();
        assertThat(firing()).containsExactly(OTHER.toUuid());
        endedAsGone(VM);
    }

    @Test
    @DisplayName("a VM that leaves the cluster is no longer watched, one that comes is")
    void cluster() throws Exception {
        watchVms(new AlertScope(Set.of(RED.value()), Set.of(), Set.of(), Set.of()));
        assertThat(firing()).isEmpty();

        assertThat(lab.engine.commandAccess().redefine(VM, inCluster(RED))).isTrue();
        turn();
        assertThat(firing()).containsExactly(VM.toUuid());

        assertThat(lab.engine.commandAccess().redefine(VM, inCluster(ClusterId.DEFAULT))).isTrue();
        turn();
        assertThat(firing()).isEmpty();
        endedAsGone(VM);
    }

    private static VmStatic inCluster(ClusterId cluster) {
        VmStatic plain = Lab.defined(VM, VmOrigin.OVIRT);
        return new VmStatic(
                plain.name(),
                plain.origin(),
                plain.highlyAvailable(),
                plain.memoryMebibytes(),
                plain.guaranteedMemoryMebibytes(),
                plain.sockets(),
                plain.coresPerSocket(),
                plain.threadsPerCore(),
                plain.nics(),
                plain.leased(),
                cluster);
    }

    @Test
    @DisplayName("a VM is watched wherever it runs, by a rule of a host only while it runs there")
    void hostAndVm() throws Exception {
        watchVms(new AlertScope(Set.of(), Set.of(), Set.of(), Set.of(BETA.value())));
        assertThat(firing()).containsExactly(OTHER.toUuid());

        lab.event(ALPHA, event -> event.exited(VM, 9, NORMAL, ExitReason.MIGRATION_SUCCEEDED, ""))
                .settle();
        lab.event(BETA, event -> event.running(VM, 4, status(VmStatus.UP))).settle();
        turn();
        assertThat(firing()).containsExactlyInAnyOrder(VM.toUuid(), OTHER.toUuid());

        watchVms(new AlertScope(Set.of(), Set.of(), Set.of(VM.toUuid()), Set.of()));
        assertThat(firing()).containsExactly(VM.toUuid());
    }

    @Test
    @DisplayName("a rule on hosts watches the hosts of its scope")
    void hosts() throws Exception {
        rule(
                "host.memoryFreeMebibytes > 90",
                new AlertScope(Set.of(), Set.of(), Set.of(), Set.of(BETA.value())));
        turn();
        assertThat(firing()).containsExactly(BETA.value());
    }

    @Test
    @DisplayName("an alert outlives its VM, with its name, also in another life of the engine")
    void deletedVm() throws Exception {
        watchVms(new AlertScope(Set.of(), Set.of(), Set.of(VM.toUuid()), Set.of()));
        Alert fired = told.getLast();
        monitor = newMonitor();
        assertThat(lab.engine.commandAccess().forget(VM)).isTrue();
        told.clear();

        turn();

        assertThat(restored).containsExactly(fired);
        assertThat(told).hasSize(1);
        endedAsGone(VM);
        assertThat(monitor.alert(fired.id()).subject()).isEqualTo(fired.subject());
        assertThat(store.alerts(10)).containsExactly(told.getLast());
    }

    @Test
    @DisplayName("after a restart a rule on regressions waits until findings are known")
    void findings() throws Exception {
        findings = List.of(finding());
        rule("regression(storage-domain) >= 20", AlertScope.ALL);
        turn();
        assertThat(firing()).containsExactly(finding().id());

        monitor = newMonitor();
        findings = null;
        turn();
        turn();
        assertThat(firing()).containsExactly(finding().id());

        findings = List.of(finding());
        turn();
        assertThat(firing()).containsExactly(finding().id());
        assertThat(told).hasSize(1);

        findings = List.of(finding().ended(lab.clock.now(), Finding.Ending.RECOVERED));
        turn();
        assertThat(firing()).isEmpty();
        assertThat(told).hasSize(2);
    }

    private static Finding finding() {
        Instant begin = Instant.parse("2026-11-20T03:10:00Z");
        return new Finding(
                new UUID(7, 1),
                new SeriesOwner.Shared(SeriesOwner.STORAGE_DOMAIN, "domain"),
                begin,
                begin,
                begin,
                begin.plusSeconds(3_000),
                Duration.ofMinutes(5),
                List.of(
                        new Finding.Change(
                                RegressionMetric.STORAGE_DELAY, 0.5, 0.4, 0.6, 0.999, 2, 3, 4)),
                List.of("a"),
                1,
                1,
                List.of(),
                List.of(),
                null,
                null,
                null,
                null);
    }
}
