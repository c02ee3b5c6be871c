package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Coincidence;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.RecordedChange;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.regression.FindingNames;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.RegressionSettings;
import org.stillwater.testkit.memory.InMemoryFindingStore;

/** From the answers of hosts to findings, on virtual time: a point for each cycle. */
@DisplayName("Regressions of a watched fleet")
class RegressionsTest {

    private static final HostId GAMMA = Lab.hostId(3);
    private static final List<HostId> HOSTS = List.of(ALPHA, BETA, GAMMA);
    private static final String SLOW = "00000000-0000-0000-0000-00000000000a";
    private static final String OTHER = "00000000-0000-0000-0000-00000000000b";
    private static final VmId IMAGE = new VmId(7, 7);

    private final Lab lab = new Lab();
    private final InMemoryFindingStore store = new InMemoryFindingStore();
    private final Random random = new Random(3);
    private double diskLatencyNanos = 2_000_000;
    private double cpuWaitPercent = Double.NaN;
    private long balloonKibibytes;
    private RegressionMonitor monitor;

    private RegressionSettings settings() {
        Duration cycle = lab.settings.hosts().interval();
        return new RegressionSettings(cycle, cycle, 100, 1_000, 0.1, 50, Duration.ofDays(1), 100);
    }

    private RegressionMonitor newMonitor() {
        return newMonitor(settings());
    }

    private RegressionMonitor newMonitor(RegressionSettings of) {
        return new RegressionMonitor(
                of,
                lab.engine.fleet(),
                _ -> Map.of(VM, Map.of(IMAGE.toUuid(), UUID.fromString(SLOW))),
                store,
                lab.engine.commandAccess()::audit,
                lab.clock,
                lab.meters);
    }

    private void started() throws Exception {
        lab.storedHosts(ALPHA, BETA, GAMMA).storedVm(VM, ALPHA, VmStatus.UP).started();
        for (HostId host : HOSTS) {
            capabilities(host, "4.50.3");
            lab.answer(
                    host,
                    host.equals(ALPHA)
                            ? poll -> poll.running(VM, asked(), status(VmStatus.UP))
                            : poll -> {});
        }
        monitor = newMonitor();
    }

    private void capabilities(HostId host, String version) {
        lab.host(host).listener().networkChanged();
        lab.pump();
        lab.host(host)
                .answerCapabilities(
                        new HostValues()
                                .put(HostField.SELINUX_MODE, 1)
                                .put(HostField.BOOT_UUID, "boot-1")
                                .put(HostField.SOFTWARE_VERSION, version)
                                .capabilities());
        lab.pump();
    }

    /** Cycles of all hosts; the delays are factors of a millisecond. */
    private void cycles(int count, ToDoubleBiFunction<HostId, String> factor) {
        for (int i = 0; i < count; i++) {
            lab.clock.advance(lab.settings.hosts().interval());
            lab.pump();
            for (HostId host : HOSTS) {
                lab.host(host)
                        .answerStatistics(
                                new HostValues()
                                        .put(
                                                HostField.STORAGE_DOMAINS,
                                                Map.of(
                                                        SLOW,
                                                        delay(factor.applyAsDouble(host, SLOW)),
                                                        OTHER,
                                                        delay(factor.applyAsDouble(host, OTHER))))
                                        .statistics());
                lab.answer(
                        host,
                        host.equals(ALPHA)
                                ? poll ->
                                        poll.running(VM, asked(), null, status(VmStatus.UP), disk())
                                : poll -> {});
            }
            lab.settle();
            monitor.turn();
        }
    }

    private HostStatistics.StorageDomain delay(double factor) {
        double seconds = 0.001 * factor * Math.exp(0.05 * random.nextGaussian());
        return new HostStatistics.StorageDomain(0, 2.0, seconds, true, 5, true, true);
    }

    private Consumer<VmSample> disk() {
        double noise = Math.exp(0.05 * random.nextGaussian());
        double waited =
                Double.isNaN(cpuWaitPercent) ? Double.NaN : cpuWaitPercent + random.nextDouble();
        return sample -> {
            sample.cpuUserPercent = 50;
            sample.cpuSystemPercent = 0;
            sample.cpuWaitPercent = waited;
            if (balloonKibibytes > 0) {
                sample.balloonMaximumKibibytes = 4_000_000;
                sample.balloonMinimumKibibytes = 1_000_000;
                sample.balloonCurrentKibibytes = balloonKibibytes;
            }
            sample.disksReported = true;
            VmSample.Disk disk = sample.addDisk();
            disk.name = "vda";
            disk.imageId = IMAGE;
            disk.readRate = 1_000_000;
            disk.writeRate = 0;
            disk.readLatencyNanos = diskLatencyNanos * noise;
        };
    }

    private List<AuditEvent> told() throws Exception {
        return lab.engine.events().newest(AuditFilter.ANY, null, 100).reversed().stream()
                .map(entry -> entry.event())
                .filter(event -> event.name().startsWith("REGRESSION"))
                .toList();
    }

    @Test
    @DisplayName("a slow storage domain is one finding within 12 points, with the new version")
    void slowStorageDomain() throws Exception {
        started();
        cycles(40, (_, _) -> 1);
        assertThat(monitor.findings()).isEmpty();
        Instant begin = lab.clock.now();
        for (HostId host : HOSTS) {
            capabilities(host, "4.50.5");
        }

        cycles(12, (_, domain) -> domain.equals(SLOW) ? 1.5 : 1);

        assertThat(monitor.findings())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.where())
                            .isEqualTo(new SeriesOwner.Shared(SeriesOwner.STORAGE_DOMAIN, SLOW));
                    assertThat(finding.memberCount()).isEqualTo(3);
                    assertThat(finding.vms()).isEqualTo(1);
                    assertThat(Duration.between(begin, finding.begin()).abs())
                            .isLessThanOrEqualTo(settings().interval().multipliedBy(2));
                    Coincidence first = finding.coincidences().getFirst();
                    assertThat(first.kind()).isEqualTo(RecordedChange.Kind.SOFTWARE);
                    assertThat(first.text()).isEqualTo("host agent 4.50.3 became 4.50.5");
                    assertThat(first.share()).isEqualTo(1);
                    FindingNames names = new FindingNames(lab.engine.fleet());
                    assertThat(names.clusterOf(finding.where())).as("in no cluster").isNull();
                    assertThat(finding.members())
                            .allSatisfy(member ->
                                    assertThat(
                                                    names.clusterOf(
                                                            new SeriesOwner.Shared(
                                                                    SeriesOwner.STORAGE_PATH,
                                                                    member)))
                                            .isEqualTo(clusterOfAlpha()));
                });
        assertThat(told()).containsExactly(AuditEvent.REGRESSION_FOUND);
        assertThat(store.newest(10)).isEqualTo(monitor.findings());
        assertThat(monitor.state().open()).isEqualTo(1);
        assertThat(monitor.state().unsaved()).isZero();

        cycles(40, (_, _) -> 1);

        assertThat(told())
                .containsExactly(AuditEvent.REGRESSION_FOUND, AuditEvent.REGRESSION_ENDED);
        assertThat(store.newest(10).getFirst().ending()).isEqualTo(Finding.Ending.RECOVERED);
    }

    private ClusterId clusterOfAlpha() {
        return Objects.requireNonNull(lab.engine.fleet().host(ALPHA))
                .state()
                .definition()
                .cluster();
    }

    @Test
    @DisplayName("members of a finding with several metrics have names of their own kind")
    void namesOfMembers() throws Exception {
        started();
        String host = ALPHA.value().toString();
        Finding finding =
                new Finding(
                        new UUID(7, 1),
                        new SeriesOwner.Shared(SeriesOwner.CLUSTER, clusterOfAlpha().toString()),
                        lab.clock.now(),
                        lab.clock.now(),
                        lab.clock.now(),
                        lab.clock.now(),
                        Duration.ofMinutes(5),
                        Stream.of(
                                        RegressionMetric.STORAGE_DELAY,
                                        RegressionMetric.HOST_ANSWER,
                                        RegressionMetric.DISK_READ_LATENCY,
                                        RegressionMetric.CPU_WAIT,
                                        RegressionMetric.INTERFACE_LOSS)
                                .map(metric ->
                                        new Finding.Change(metric, 0.5, 0.4, 0.6, 0.999, 2, 3, 4))
                                .toList(),
                        List.of(host + "/" + SLOW, host, host + "/bond0", VM + "/vda", "" + VM),
                        5,
                        1,
                        List.of(),
                        List.of(),
                        null,
                        null,
                        null,
                        null);
        FindingNames names = new FindingNames(lab.engine.fleet());

        assertThat(finding.members())
                .extracting(member -> names.member(finding, member).level())
                .containsExactly(
                        SeriesOwner.STORAGE_PATH,
                        SeriesOwner.HOST,
                        SeriesOwner.INTERFACE,
                        SeriesOwner.DISK,
                        SeriesOwner.VM);
        assertThat(finding.members())
                .extracting(member -> names.of(names.member(finding, member)).split(" ")[0])
                .containsExactly("storage", "host", "interface", "disk", "VM");
    }

    @Test
    @DisplayName("a slow disk is a finding about this disk")
    void slowDisk() throws Exception {
        started();
        cycles(40, (_, _) -> 1);
        diskLatencyNanos *= 2;

        cycles(14, (_, _) -> 1);

        assertThat(monitor.findings())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.where().level()).isEqualTo(SeriesOwner.DISK);
                    assertThat(finding.where().name()).isEqualTo(VM + "/vda");
                    assertThat(new FindingNames(lab.engine.fleet()).clusterOf(finding.where()))
                            .isNotNull()
                            .isEqualTo(clusterOfAlpha());
                    assertThat(finding.changes().getFirst().metric())
                            .isEqualTo(RegressionMetric.DISK_READ_LATENCY);
                    assertThat(finding.changes().getFirst().before()).isBetween(1.9, 2.1);
                    assertThat(finding.changes().getFirst().after()).isBetween(3.8, 4.2);
                });
    }

    @Test
    @DisplayName("another life of the engine knows the finding, and ends it")
    void restarted() throws Exception {
        started();
        cycles(40, (_, _) -> 1);
        cycles(12, (_, domain) -> domain.equals(SLOW) ? 1.5 : 1);
        UUID id = monitor.findings().getFirst().id();
        monitor = newMonitor();

        cycles(20, (_, domain) -> domain.equals(SLOW) ? 1.5 : 1);
        assertThat(monitor.findings()).extracting(Finding::id).containsExactly(id);
        assertThat(monitor.finding(id).isOpen()).isTrue();

        cycles(20, (_, _) -> 1);
        assertThat(monitor.finding(id).ending()).isEqualTo(Finding.Ending.RECOVERED);
        assertThat(told())
                .containsExactly(AuditEvent.REGRESSION_FOUND, AuditEvent.REGRESSION_ENDED);
    }

    @Test
    @DisplayName("after a restart receivers may get the end of a silenced finding, too")
    void silencedAcrossTheRestart() throws Exception {
        started();
        cycles(40, (_, _) -> 1);
        cycles(12, (_, domain) -> domain.equals(SLOW) ? 1.5 : 1);
        UUID id = monitor.findings().getFirst().id();
        Instant silence = lab.clock.now().plus(Duration.ofHours(9));
        assertThat(monitor.decide(id, finding -> finding.silenced(silence))).isNotNull();
        monitor = newMonitor();
        List<UUID> known = new ArrayList<>();
        monitor.followRestored(finding -> known.add(finding.id()));

        monitor.turn();

        assertThat(known).containsExactly(id);
    }

    @Test
    @DisplayName("a finding ends with a change of the interval, and receivers get its end")
    void anotherInterval() throws Exception {
        started();
        cycles(40, (_, _) -> 1);
        cycles(12, (_, domain) -> domain.equals(SLOW) ? 1.5 : 1);
        UUID id = monitor.findings().getFirst().id();
        Duration cycle = lab.settings.hosts().interval();
        monitor =
                newMonitor(
                        new RegressionSettings(
                                cycle.multipliedBy(2),
                                cycle,
                                100,
                                1_000,
                                0.1,
                                50,
                                Duration.ofDays(1),
                                100));
        List<UUID> known = new ArrayList<>();
        List<Finding> news = new ArrayList<>();
        monitor.followRestored(finding -> known.add(finding.id()));
        monitor.follow(news::add);

        monitor.turn();

        assertThat(known).containsExactly(id);
        assertThat(news)
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.id()).isEqualTo(id);
                    assertThat(finding.ending()).isEqualTo(Finding.Ending.ADOPTED);
                });
        assertThat(store.newest(10)).isEqualTo(news);
        assertThat(told())
                .containsExactly(AuditEvent.REGRESSION_FOUND, AuditEvent.REGRESSION_ENDED);
    }

    @Test
    @DisplayName(
            "a VM with longer waits of its processors is a finding, where the host reports them")
    void cpuWait() throws Exception {
        started();
        cpuWaitPercent = 2;
        cycles(40, (_, _) -> 1);
        cpuWaitPercent = 9;

        cycles(14, (_, _) -> 1);

        assertThat(monitor.findings())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.where())
                            .isEqualTo(new SeriesOwner.Shared(SeriesOwner.VM, VM.toString()));
                    Finding.Change change = finding.changes().getFirst();
                    assertThat(change.metric()).isEqualTo(RegressionMetric.CPU_WAIT);
                    assertThat(change.before()).isBetween(3.0, 4.0);
                    assertThat(change.after()).isBetween(10.0, 11.0);
                });
    }

    @Test
    @DisplayName("a VM that loses memory to its balloon for good is a finding")
    void balloon() throws Exception {
        started();
        balloonKibibytes = 4_000_000;
        cycles(40, (_, _) -> 1);
        assertThat(monitor.findings()).isEmpty();
        balloonKibibytes = 2_800_000;

        cycles(14, (_, _) -> 1);

        assertThat(monitor.findings())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.where())
                            .isEqualTo(new SeriesOwner.Shared(SeriesOwner.VM, VM.toString()));
                    Finding.Change change = finding.changes().getFirst();
                    assertThat(change.metric()).isEqualTo(RegressionMetric.VM_BALLOON);
                    assertThat(change.before()).isEqualTo(1);
                    assertThat(change.after()).isEqualTo(31);
                });
    }

    @Test
    @DisplayName("events that arrive later than before are a finding about their host")
    void lateEvents() throws Exception {
        started();
        for (int i = 0; i < 60; i++) {
            int late = (i < 45 ? 20 : 60) + random.nextInt(4);
            cycles(1, (_, _) -> 1);
            lab.clock.advance(Duration.ofSeconds(1));
            lab.event(ALPHA, event -> event.running(VM, millis() - late, status(VmStatus.UP)));
        }
        cycles(1, (_, _) -> 1);

        assertThat(monitor.findings())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.where().level()).isEqualTo(SeriesOwner.HOST);
                    assertThat(finding.where().name()).isEqualTo(ALPHA.toString());
                    Finding.Change change = finding.changes().getFirst();
                    assertThat(change.metric()).isEqualTo(RegressionMetric.EVENT_LAG);
                    assertThat(change.before()).isBetween(19.0, 26.0);
                    assertThat(change.after()).isBetween(58.0, 66.0);
                });
    }

    /** When the poll that is answered was asked for, by the clock of the host. */
    private long asked() {
        return lab.host(ALPHA).oldestPollNanos() / 1_000_000;
    }

    /** The clock of a host. */
    private long millis() {
        return lab.clock.nanoTime() / 1_000_000;
    }

    @Test
    @DisplayName("without the database findings wait in memory; a silenced one raises no event")
    void unavailable() throws Exception {
        started();
        cycles(40, (_, _) -> 1);
        store.unavailable("away");
        cycles(12, (_, domain) -> domain.equals(SLOW) ? 1.5 : 1);
        assertThat(monitor.findings()).hasSize(1);
        assertThat(monitor.state().unsaved()).isEqualTo(1);

        store.unavailable(null);
        cycles(1, (_, domain) -> domain.equals(SLOW) ? 1.5 : 1);
        assertThat(store.newest(10)).hasSize(1);
        UUID id = monitor.findings().getFirst().id();
        List<UUID> followed = new ArrayList<>();
        monitor.follow(finding -> followed.add(finding.id()));

        assertThat(
                        monitor.decide(
                                id,
                                finding ->
                                        finding.silenced(lab.clock.now().plus(Duration.ofDays(1)))))
                .isNotNull();
        cycles(40, (_, _) -> 1);

        assertThat(monitor.finding(id).isOpen()).isFalse();
        assertThat(told()).containsExactly(AuditEvent.REGRESSION_FOUND);
        assertThat(followed).isNotEmpty().containsOnly(id);
        assertThat(monitor.decide(new UUID(1, 1), finding -> finding)).isNull();
    }

    @Test
    @DisplayName("a fleet without a change for the worse writes nothing")
    void nothing() throws Exception {
        started();
        cycles(1, (_, _) -> 1);
        int calls = store.calls();

        cycles(60, (_, _) -> 1);

        assertThat(store.calls()).isEqualTo(calls);
        assertThat(monitor.findings()).isEmpty();
    }
}
