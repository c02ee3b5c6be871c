package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;

import java.time.Duration;
import java.util.ArrayList;
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
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesOwner.Shared;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.alert.ObjectTags;
import org.stillwater.monitoring.alert.RuleSettings;
import org.stillwater.monitoring.alert.RuleSubjects;
import org.stillwater.monitoring.regression.SeriesValues;
import org.stillwater.testkit.memory.InMemoryAlertStore;

/** Rules on single disks and interfaces and on storage domains. */
@DisplayName("Alert rules on measured numbers")
class MeasuredRulesTest {

    private static final UUID FAST = new UUID(0, 10);
    private static final UUID SLOW = new UUID(0, 11);

    private final Lab lab = new Lab();
    private final InMemoryAlertStore store = new InMemoryAlertStore();
    private final List<Alert> told = new ArrayList<>();
    private final List<String> audited = new ArrayList<>();
    private final FakeSeries fleet = new FakeSeries();
    private AlertMonitor monitor;

    @BeforeEach
    void start() throws Exception {
        lab.storedHosts(ALPHA, BETA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, BETA, VmStatus.UP)
                .started();
        disk(VM, ALPHA, FAST, 4);
        disk(OTHER, BETA, SLOW, 40);
        fleet.newest = 100;
        monitor = newMonitor();
    }

    private AlertMonitor newMonitor() {
        AlertMonitor made =
                new AlertMonitor(
                        RuleSettings.DEFAULT,
                        FakeSeries.NO_NUMBERS,
                        lab.engine.fleet(),
                        new RuleSubjects(lab.engine.fleet(), ObjectTags.NONE, List::of, fleet),
                        store,
                        (AuditEvent event, VmId vm, HostId host, Map<String, String> details) ->
                                audited.add(
                                        event
                                                + " "
                                                + vm
                                                + " "
                                                + host
                                                + " "
                                                + details.get("object")),
                        lab.clock,
                        lab.meters);
        made.follow(told::add);
        return made;
    }

    private void disk(VmId vm, HostId host, UUID domain, double latency) {
        String name = vm + "/vda";
        fleet.put(
                RegressionMetric.DISK_READ_LATENCY,
                new SeriesOwner(
                        name,
                        List.of(
                                new Shared(SeriesOwner.DISK, name),
                                new Shared(SeriesOwner.VM, vm.toString()),
                                new Shared(SeriesOwner.HOST, host.toString()),
                                new Shared(SeriesOwner.STORAGE_DOMAIN, domain.toString()))),
                latency);
    }

    private void path(HostId host, UUID domain, double delay) {
        String name = host + "/" + domain;
        fleet.put(
                RegressionMetric.STORAGE_DELAY,
                new SeriesOwner(
                        name,
                        List.of(
                                new Shared(SeriesOwner.STORAGE_PATH, name),
                                new Shared(SeriesOwner.HOST, host.toString()),
                                new Shared(SeriesOwner.STORAGE_DOMAIN, domain.toString()))),
                delay);
    }

    private void loss(Object owner, String nic, double value) {
        String name = owner + "/" + nic;
        fleet.put(
                RegressionMetric.INTERFACE_LOSS,
                new SeriesOwner(name, List.of(new Shared(SeriesOwner.INTERFACE, name))),
                value);
    }

    private void rule(String expr, AlertScope scope) throws Exception {
        rule(expr, scope, Duration.ZERO);
    }

    private void rule(String expr, AlertScope scope, Duration lasting) throws Exception {
        AlertRule rule =
                new AlertRule(
                        new UUID(5, 5),
                        1,
                        "Slow",
                        expr,
                        lasting,
                        scope,
                        AlertSeverity.WARNING,
                        Map.of(),
                        Map.of("summary", "{{ $labels.object }}: {{ $value }}"),
                        true,
                        5);
        assertThat(monitor.save(rule)).isEqualTo(AlertMonitor.Change.DONE);
        monitor.turn();
    }

    /** Ends an interval, with the values that are set. */
    private void interval() {
        lab.clock.advance(fleet.interval());
        fleet.newest++;
        monitor.turn();
    }

    private List<String> firing() {
        return monitor.alerts().stream()
                .filter(Alert::isFiring)
                .map(alert -> alert.subject().name())
                .sorted()
                .toList();
    }

    private static AlertScope domains(UUID... ids) {
        return new AlertScope(Set.of(), Set.of(), Set.of(), Set.of(), Set.of(ids));
    }

    private static AlertScope hosts(HostId... ids) {
        return new AlertScope(
                Set.of(),
                Set.of(),
                Set.of(),
                java.util.Arrays.stream(ids)
                        .map(HostId::value)
                        .collect(java.util.stream.Collectors.toSet()));
    }

    @Test
    @DisplayName("the alert of a disk names it, its VM and its value")
    void disk() throws Exception {
        rule("disk.readLatencyMilliseconds > 20", AlertScope.ALL);

        Alert alert = told.getLast();
        String words = "disk vda of VM " + lab.engine.fleet().vm(OTHER).definition().name();
        assertThat(firing()).containsExactly(words);
        assertThat(alert.labels()).containsEntry("kind", "disk").containsEntry("object", words);
        assertThat(alert.annotations()).containsEntry("summary", words + ": 40");
        assertThat(alert.subject().kind()).isEqualTo(AlertSubject.Kind.DISK);
        assertThat(alert.subject().vmOrOwner()).isEqualTo(OTHER.toUuid());
        assertThat(alert.subject().hostOrOwner()).isNull();
        assertThat(audited).containsExactly("ALERT_FIRED " + OTHER + " null " + words);

        disk(OTHER, BETA, SLOW, 19);
        interval();
        assertThat(firing()).isEmpty();
        assertThat(told.getLast().resolution()).isEqualTo(AlertResolution.CONDITION);
    }

    @Test
    @DisplayName("a disk is watched by its VM, the host that runs it and its storage domain")
    void scopes() throws Exception {
        disk(VM, ALPHA, FAST, 40);
        rule("disk.readLatencyMilliseconds > 20", domains(FAST));
        assertThat(told.getLast().subject().vmOrOwner()).isEqualTo(VM.toUuid());
        assertThat(firing()).hasSize(1);

        rule("disk.readLatencyMilliseconds > 20", hosts(BETA));
        assertThat(firing()).hasSize(1);
        assertThat(told.getLast().subject().vmOrOwner()).isEqualTo(OTHER.toUuid());

        rule(
                "disk.readLatencyMilliseconds > 20",
                new AlertScope(Set.of(), Set.of(), Set.of(VM.toUuid()), Set.of(), Set.of(SLOW)));
        assertThat(firing()).as("none matches each list").isEmpty();
    }

    @Test
    @DisplayName("an interface of a VM and one of a host; without loss it drops nothing")
    void interfaces() throws Exception {
        loss(VM, "vnet0", 1);
        loss(OTHER, "vnet0", 4.5);
        loss(ALPHA, "eth0", 2);
        rule("interface.droppedRate > 0", AlertScope.ALL);
        assertThat(firing())
                .containsExactly(
                        "interface eth0 of host "
                                + lab.engine.fleet().host(ALPHA).state().definition().name(),
                        "interface vnet0 of VM "
                                + lab.engine.fleet().vm(OTHER).definition().name());
        assertThat(monitor.alerts())
                .extracting(alert -> alert.subject().hostOrOwner())
                .containsExactlyInAnyOrder(ALPHA.value(), null);

        rule("interface.droppedRate > 0", hosts(ALPHA));
        assertThat(firing()).as("a host's, and those of its VMs").hasSize(1);
    }

    @Test
    @DisplayName("a storage domain has the mean of the hosts in the scope that check it")
    void storageDomain() throws Exception {
        path(ALPHA, SLOW, 10);
        path(BETA, SLOW, 50);
        path(ALPHA, FAST, 1);
        path(BETA, FAST, Double.NaN);
        rule("storage-domain.delayMilliseconds >= 30", AlertScope.ALL);
        assertThat(firing()).containsExactly("storage domain " + SLOW);
        assertThat(told.getLast().value()).isEqualTo(30);
        assertThat(told.getLast().subject().id()).isEqualTo(SLOW);

        rule("storage-domain.delayMilliseconds >= 30", hosts(ALPHA));
        assertThat(firing()).isEmpty();
        rule("storage-domain.delayMilliseconds >= 50", hosts(BETA));
        assertThat(firing()).containsExactly("storage domain " + SLOW);
        rule("storage-domain.delayMilliseconds < 30", domains(FAST));
        assertThat(firing()).containsExactly("storage domain " + FAST);
        rule("storage-domain.readLatencyMilliseconds > 20", AlertScope.ALL);
        assertThat(firing()).containsExactly("storage domain " + SLOW);
    }

    @Test
    @DisplayName("late events, long migrations and long starts are numbers of their host")
    void durations() throws Exception {
        SeriesOwner alpha =
                new SeriesOwner(
                        ALPHA.toString(), List.of(new Shared(SeriesOwner.HOST, "" + ALPHA)));
        fleet.put(RegressionMetric.EVENT_LAG, alpha, 26);
        fleet.put(RegressionMetric.MIGRATION_DURATION, alpha, 90);
        fleet.put(RegressionMetric.BOOT_TIME, alpha, 40);
        String name = lab.engine.fleet().host(ALPHA).state().definition().name();
        rule("host.eventLagMilliseconds > 24.5", AlertScope.ALL);
        assertThat(firing()).containsExactly(name);
        assertThat(told.getLast().value()).as("without its offset").isEqualTo(25);
        rule("host.migrationSeconds > 60", hosts(ALPHA));
        assertThat(firing()).containsExactly(name);
        rule("host.bootSeconds > 60", hosts(ALPHA));
        assertThat(firing()).isEmpty();
        rule("host.bootSeconds > 30", hosts(ALPHA));
        assertThat(firing()).containsExactly(name);
    }

    @Test
    @DisplayName("for counts from the end of the first interval")
    void lasting() throws Exception {
        rule("disk.readLatencyMilliseconds > 20", AlertScope.ALL, Duration.ofMinutes(10));
        interval();
        assertThat(firing()).isEmpty();
        interval();
        assertThat(firing()).hasSize(1);
    }

    @Test
    @DisplayName("a disk without load keeps its alert for two intervals more than a metric")
    void noLoad() throws Exception {
        rule("disk.readLatencyMilliseconds > 20", AlertScope.ALL);
        disk(OTHER, BETA, SLOW, Double.NaN);
        for (int i = 0; i < 3; i++) {
            interval();
            assertThat(firing()).hasSize(1);
        }
        interval();
        assertThat(told.getLast().resolution()).isEqualTo(AlertResolution.NO_DATA);
    }

    @Test
    @DisplayName("after a restart alerts wait for the first whole interval")
    void restart() throws Exception {
        rule("disk.readLatencyMilliseconds > 20", AlertScope.ALL);
        Alert fired = told.getLast();
        monitor = newMonitor();
        fleet.newest = SeriesValues.UNKNOWN;
        fleet.series.clear();
        monitor.turn();
        assertThat(firing()).hasSize(1);

        disk(OTHER, BETA, SLOW, 40);
        fleet.newest = 102;
        monitor.turn();
        assertThat(monitor.alerts()).containsExactly(fired);
    }
}
