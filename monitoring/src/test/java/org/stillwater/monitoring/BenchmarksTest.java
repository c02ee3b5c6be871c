package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.benchmark.BenchmarkOperation;
import org.stillwater.core.benchmark.BenchmarkResult;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.benchmark.BenchmarkMonitor;
import org.stillwater.monitoring.benchmark.BenchmarkPermit;
import org.stillwater.monitoring.benchmark.BenchmarkPermit.Reason;
import org.stillwater.monitoring.benchmark.BenchmarkSettings;
import org.stillwater.monitoring.benchmark.PermittedRun;
import org.stillwater.monitoring.regression.FindingNames;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.RegressionSettings;
import org.stillwater.testkit.memory.InMemoryBenchmarkStore;
import org.stillwater.testkit.memory.InMemoryFindingStore;

/** From posted runs to findings, and from latencies of storage to permits; on virtual time. */
@DisplayName("Benchmark runs of a watched fleet")
class BenchmarksTest {

    private static final UUID DOMAIN = new UUID(0, 10);
    private static final VmId IMAGE = new VmId(7, 7);
    private static final VmId OTHER_VM = new VmId(3, 2);
    private static final Duration EVERY = Duration.ofHours(6);
    private static final BenchmarkSubject SUBJECT =
            new BenchmarkSubject(BenchmarkSubject.Kind.VM, VM.toUuid());
    private static final BenchmarkSubject OTHER =
            new BenchmarkSubject(BenchmarkSubject.Kind.VM, OTHER_VM.toUuid());
    private static final BenchmarkSubject HOST =
            new BenchmarkSubject(BenchmarkSubject.Kind.HOST, ALPHA.value());

    private final Lab lab = new Lab();
    private final InMemoryBenchmarkStore store = new InMemoryBenchmarkStore();
    private final InMemoryFindingStore findings = new InMemoryFindingStore();
    private final Random random = new Random(3);
    private int stamp = 100;
    private int number;
    private RegressionMonitor regressions;
    private BenchmarkMonitor monitor;

    @BeforeEach
    void start() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER_VM, ALPHA, VmStatus.UP)
                .started();
        regressions = newRegressions();
        monitor = newMonitor(BenchmarkSettings.DEFAULT);
        regressions.turn();
    }

    private RegressionMonitor newRegressions() {
        Duration cycle = lab.settings.hosts().interval();
        return new RegressionMonitor(
                new RegressionSettings(
                        cycle, cycle, 100, 1_000, 0.1, 50, Duration.ofDays(400), 100),
                lab.engine.fleet(),
                vms -> Map.of(),
                findings,
                lab.engine.commandAccess()::audit,
                lab.clock,
                lab.meters);
    }

    private BenchmarkMonitor newMonitor(BenchmarkSettings settings) {
        return new BenchmarkMonitor(
                settings,
                lab.engine.fleet(),
                _ ->
                        Map.of(
                                VM, Map.of(IMAGE.toUuid(), DOMAIN),
                                OTHER_VM, Map.of(new UUID(7, 8), DOMAIN)),
                store,
                regressions,
                lab.engine.commandAccess()::audit,
                lab.clock,
                lab.meters);
    }

    private BenchmarkRun run(BenchmarkSubject subject, double factorAtOneMebibyte) {
        List<BenchmarkResult> results = new ArrayList<>();
        for (int size = 64 << 10; size <= 16 << 20; size *= 2) {
            double speed =
                    400
                            * (size == 1 << 20 ? factorAtOneMebibyte : 1)
                            * Math.exp(0.03 * random.nextGaussian());
            long bytes = Math.round(speed * 1_000_000 * 5);
            results.add(
                    new BenchmarkResult(
                            BenchmarkOperation.SEQUENTIAL_READ, size, bytes, 5_000, bytes / 5e6));
        }
        number++;
        return new BenchmarkRun(
                new UUID(9, number),
                subject,
                lab.clock.now(),
                lab.clock.now(),
                "direct",
                "web-1",
                "Linux",
                true,
                1L << 30,
                5,
                results,
                "agent@internal");
    }

    private void posted(int count, double factor) throws StoreUnavailable {
        for (int i = 0; i < count; i++) {
            lab.clock.advance(EVERY);
            assertThat(monitor.post(run(SUBJECT, factor))).isEqualTo(BenchmarkMonitor.Posted.ADDED);
        }
    }

    private List<AuditEvent> told() throws Exception {
        return lab.engine.events().newest(AuditFilter.ANY, null, 100).reversed().stream()
                .map(entry -> entry.event())
                .filter(event -> event.name().startsWith("REGRESSION"))
                .toList();
    }

    @Test
    @DisplayName("a dip at one record size is one finding about that cell, until it recovers")
    void dip() throws Exception {
        posted(20, 1);
        assertThat(regressions.findings()).isEmpty();
        Instant begin = lab.clock.now().plus(EVERY);

        posted(10, 0.6);

        Finding finding = regressions.findings().getFirst();
        assertThat(regressions.findings()).hasSize(1);
        assertThat(finding.where().level()).isEqualTo(BenchmarkMatrix.CELL);
        assertThat(finding.where().name())
                .startsWith("vm:" + VM)
                .endsWith("/sequential-read/1048576");
        assertThat(new FindingNames(lab.engine.fleet()).of(finding.where()))
                .startsWith("sequential-read with 1 MiB records of VM ");
        assertThat(finding.begin()).isBetween(begin.minus(EVERY), begin.plus(EVERY));
        assertThat(finding.changes().getFirst().relativeChange()).isBetween(-0.45, -0.35);
        assertThat(finding.changes().getFirst().before()).isBetween(380.0, 420.0);
        assertThat(finding.vms()).isEqualTo(1);
        assertThat(finding.evidence())
                .singleElement()
                .satisfies(points -> {
                    assertThat(points.member()).isEqualTo(finding.where().name());
                    assertThat(points.values()).hasSize(30);
                    assertThat(points.times())
                            .isEqualTo(
                                    monitor.runs().reversed().stream()
                                            .map(BenchmarkRun::startedAt)
                                            .toList());
                    assertThat(points.first()).isEqualTo(points.times().getFirst());
                    assertThat(points.values().subList(0, 20))
                            .allMatch(speed -> speed > 320 && speed < 480);
                    assertThat(points.values().subList(20, 30))
                            .allMatch(speed -> speed > 190 && speed < 290);
                });
        assertThat(told()).containsExactly(AuditEvent.REGRESSION_FOUND);
        assertThat(findings.newest(5)).containsExactly(finding);
        BenchmarkMatrix matrix = monitor.history(SUBJECT).newest();
        assertThat(matrix.cells().stream().filter(cell -> cell.dip() != null))
                .singleElement()
                .satisfies(cell ->
                        assertThat(monitor.finding(matrix, cell).id()).isEqualTo(finding.id()));

        posted(12, 1);

        Finding ended = regressions.finding(finding.id());
        assertThat(ended.ending()).isEqualTo(Finding.Ending.RECOVERED);
        assertThat(ended.evidence().getFirst().values())
                .as("the recovery shows, too")
                .hasSizeGreaterThan(30)
                .last()
                .satisfies(speed -> assertThat(speed).isGreaterThan(320));
        assertThat(told())
                .containsExactly(AuditEvent.REGRESSION_FOUND, AuditEvent.REGRESSION_ENDED);
    }

    @Test
    @DisplayName("another life of the engine knows runs and finding, and writes nothing about them")
    void restarted() throws Exception {
        posted(20, 1);
        posted(10, 0.6);
        UUID id = regressions.findings().getFirst().id();
        regressions = newRegressions();
        monitor = newMonitor(BenchmarkSettings.DEFAULT);
        monitor.turn();
        assertThat(monitor.runs()).hasSize(30);
        assertThat(regressions.findings()).isEmpty();
        regressions.turn();
        int calls = findings.calls();

        monitor.turn();

        assertThat(regressions.findings()).extracting(Finding::id).containsExactly(id);
        assertThat(findings.calls()).isEqualTo(calls);
        assertThat(told()).containsExactly(AuditEvent.REGRESSION_FOUND);
    }

    @Test
    @DisplayName("receivers that have the begin of a dip get only its end after a restart")
    void restartedReceivers() throws Exception {
        posted(20, 1);
        posted(10, 0.6);
        Finding before = regressions.findings().getFirst();
        List<Finding> known = new ArrayList<>();
        regressions = newRegressions();
        regressions.followRestored(known::add);
        regressions.turn();

        assertThat(known).containsExactly(before);
    }

    @Test
    @DisplayName("removed runs and runs that are too old take their finding with them")
    void removed() throws Exception {
        posted(20, 1);
        posted(10, 0.6);
        for (BenchmarkRun run : monitor.runs().subList(0, 10)) {
            assertThat(monitor.remove(run.id())).isTrue();
            assertThat(monitor.remove(run.id())).isFalse();
        }
        assertThat(regressions.findings().getFirst().isOpen()).isFalse();
        assertThat(store.newest(100)).hasSize(20);

        lab.clock.advance(Duration.ofDays(200));
        monitor.turn();

        assertThat(store.newest(100)).isEmpty();
        assertThat(monitor.runs()).isEmpty();
    }

    @Test
    @DisplayName("a removed VM has no more dips, also after a restart")
    void removedVm() throws Exception {
        posted(20, 1);
        posted(10, 0.6);
        UUID id = regressions.findings().getFirst().id();
        assertThat(lab.engine.commandAccess().forget(VM)).isTrue();

        monitor.turn();

        assertThat(regressions.finding(id).ending()).isEqualTo(Finding.Ending.ADOPTED);
        assertThat(told())
                .containsExactly(AuditEvent.REGRESSION_FOUND, AuditEvent.REGRESSION_ENDED);
        regressions = newRegressions();
        regressions.turn();
        monitor = newMonitor(BenchmarkSettings.DEFAULT);
        monitor.turn();
        assertThat(regressions.findings()).hasSize(1).noneMatch(Finding::isOpen);
        assertThat(monitor.runs()).hasSize(30);
    }

    @Test
    @DisplayName("a run counts once; another run with its identity is refused; a day has a limit")
    void idempotent() throws Exception {
        BenchmarkRun run = run(SUBJECT, 1);
        assertThat(monitor.post(run)).isEqualTo(BenchmarkMonitor.Posted.ADDED);
        assertThat(monitor.post(run)).isEqualTo(BenchmarkMonitor.Posted.KNOWN);
        number--;
        assertThat(monitor.post(run(SUBJECT, 1))).isEqualTo(BenchmarkMonitor.Posted.CONFLICT);
        assertThat(monitor.runs()).containsExactly(run);

        for (int i = 1; i < 48; i++) {
            assertThat(monitor.post(run(SUBJECT, 1))).isEqualTo(BenchmarkMonitor.Posted.ADDED);
        }
        assertThat(monitor.post(run(SUBJECT, 1))).isEqualTo(BenchmarkMonitor.Posted.TOO_MANY);
        assertThat(monitor.post(run(OTHER, 1))).isEqualTo(BenchmarkMonitor.Posted.ADDED);
    }

    @Test
    @DisplayName("memory keeps the newest runs of each object and of all")
    void bounded() throws Exception {
        BenchmarkSettings small =
                new BenchmarkSettings(
                        8,
                        5,
                        100,
                        Duration.ofDays(9),
                        0.1,
                        Duration.ofHours(1),
                        Duration.ofMillis(50),
                        2);
        monitor = newMonitor(small);
        for (int i = 0; i < 7; i++) {
            lab.clock.advance(EVERY);
            monitor.post(run(SUBJECT, 1));
            monitor.post(run(OTHER, 1));
        }
        assertThat(monitor.runs()).hasSize(8);
        assertThat(monitor.history(SUBJECT).runs()).hasSize(4);
        assertThat(store.newest(100)).hasSize(14);

        monitor = newMonitor(small);
        monitor.turn();
        assertThat(monitor.runs()).hasSize(8);
    }

    @Test
    @DisplayName("without the database nothing is taken, and it is taken afterwards")
    void unavailable() throws Exception {
        store.unavailable("away");
        BenchmarkRun run = run(SUBJECT, 1);
        assertThatThrownBy(() -> monitor.post(run)).isInstanceOf(StoreUnavailable.class);
        monitor.turn();
        assertThat(monitor.runs()).isEmpty();
        store.unavailable(null);
        assertThat(monitor.post(run)).isEqualTo(BenchmarkMonitor.Posted.ADDED);
    }

    private BenchmarkPermit ask(BenchmarkSubject subject, int seconds, @Nullable Duration every)
            throws Exception {
        return monitor.permit(
                new BenchmarkPermit.Request(subject, Duration.ofSeconds(seconds), every, null));
    }

    private void refused(BenchmarkPermit permit, Reason reason) {
        assertThat(permit)
                .isInstanceOfSatisfying(
                        BenchmarkPermit.Refused.class,
                        no -> {
                            assertThat(no.reason()).as(no.text()).isEqualTo(reason);
                            assertThat(no.retryAt()).isAfter(lab.clock.now());
                        });
    }

    private void granted(BenchmarkPermit permit) {
        assertThat(permit).as(permit.text()).isInstanceOf(BenchmarkPermit.Granted.class);
    }

    /** Cycles of the host, whose storage domain answers in so many milliseconds. */
    private void cycles(int count, double millis) {
        for (int i = 0; i < count; i++) {
            lab.clock.advance(lab.settings.hosts().interval());
            lab.pump();
            lab.host(ALPHA)
                    .answerStatistics(
                            new HostValues()
                                    .put(
                                            HostField.STORAGE_DOMAINS,
                                            Map.of(
                                                    DOMAIN.toString(),
                                                    new HostStatistics.StorageDomain(
                                                            0,
                                                            2.0,
                                                            millis / 1_000,
                                                            true,
                                                            5,
                                                            true,
                                                            true)))
                                    .statistics());
            lab.answer(
                    ALPHA,
                    poll -> {
                        poll.running(VM, stamp++, status(VmStatus.UP));
                        poll.running(OTHER_VM, stamp++, status(VmStatus.UP));
                    });
            lab.settle();
            regressions.turn();
        }
    }

    @Test
    @DisplayName("no run is permitted while its storage domain is slow, absolutely or relatively")
    void guard() throws Exception {
        cycles(20, 2);
        granted(ask(SUBJECT, 60, null));

        cycles(1, 5);
        refused(ask(SUBJECT, 60, null), Reason.STORAGE_BUSY);

        cycles(2, 2);
        granted(ask(SUBJECT, 60, null));
        monitor.post(run(SUBJECT, 1));
        cycles(1, 5);
        refused(ask(HOST, 60, null), Reason.STORAGE_BUSY);

        cycles(1, 80);
        refused(ask(SUBJECT, 60, null), Reason.STORAGE_BUSY);
    }

    @Test
    @DisplayName("one run at a time uses a storage domain; a permit ends with its run or its time")
    void otherRun() throws Exception {
        cycles(2, 2);
        granted(ask(SUBJECT, 60, null));
        granted(ask(SUBJECT, 60, null));
        refused(ask(OTHER, 60, null), Reason.OTHER_RUN);
        refused(ask(HOST, 60, null), Reason.OTHER_RUN);

        monitor.post(run(SUBJECT, 1));
        granted(ask(OTHER, 60, null));

        lab.clock.advance(Duration.ofMinutes(4));
        granted(ask(SUBJECT, 60, null));
    }

    private double lost() {
        return lab.meters.counter("stillwater.benchmarks.runs", "outcome", "lost").count();
    }

    @Test
    @DisplayName("a permitted run that is not posted in time counts as failed and takes no budget")
    void lostRun() throws Exception {
        cycles(2, 2);
        granted(ask(SUBJECT, 60, null));
        assertThat(monitor.permitted())
                .singleElement()
                .satisfies(run -> {
                    assertThat(run.subject()).isEqualTo(SUBJECT);
                    assertThat(run.isLost()).isFalse();
                });
        lab.clock.advance(Duration.ofSeconds(179)); // twice its time and a minute, less a second
        monitor.turn();
        assertThat(lost()).isZero();

        lab.clock.advance(Duration.ofSeconds(1));
        monitor.turn();
        monitor.turn();

        assertThat(lost()).isEqualTo(1);
        assertThat(monitor.permitted()).singleElement().matches(PermittedRun::isLost);
        assertThat(lab.engine.events().newest(AuditFilter.ANY, null, 100))
                .filteredOn(entry -> entry.event() == AuditEvent.BENCHMARK_LOST)
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.vmId()).isEqualTo(VM);
                    assertThat(entry.text()).contains("The benchmark run of VM ");
                });
        granted(ask(SUBJECT, 30 * 60, EVERY));
        assertThat(monitor.permitted())
                .extracting(PermittedRun::isLost)
                .containsExactly(false, true);
    }

    @Test
    @DisplayName("a run that is posted late is not among the failed ones")
    void lateRun() throws Exception {
        cycles(2, 2);
        granted(ask(SUBJECT, 60, null));
        lab.clock.advance(Duration.ofMinutes(4));
        monitor.turn();
        assertThat(monitor.permitted()).singleElement().matches(PermittedRun::isLost);

        monitor.post(run(OTHER, 1));
        assertThat(monitor.permitted()).hasSize(1);
        monitor.post(run(SUBJECT, 1));
        assertThat(monitor.permitted()).isEmpty();
    }

    @Test
    @DisplayName("runs keep their distance and their budget, also over a restart")
    void budget() throws Exception {
        cycles(2, 2);
        monitor.post(run(SUBJECT, 1)); // its nine cells took 45 s
        refused(ask(SUBJECT, 60, EVERY), Reason.TOO_SOON);
        monitor = newMonitor(BenchmarkSettings.DEFAULT);
        refused(ask(SUBJECT, 60, EVERY), Reason.TOO_SOON);
        granted(ask(SUBJECT, 60, Duration.ofSeconds(10)));
        granted(ask(SUBJECT, 30 * 60 - 45, null));
        refused(ask(SUBJECT, 30 * 60 - 44, null), Reason.BUDGET);
        refused(ask(SUBJECT, 30 * 60 + 1, null), Reason.BUDGET);
        refused(
                monitor.permit(
                        new BenchmarkPermit.Request(
                                SUBJECT, Duration.ofSeconds(60), null, Duration.ofSeconds(100))),
                Reason.BUDGET);
    }

    @Test
    @DisplayName("no run is permitted whose result the engine would refuse")
    void limitOfADay() throws Exception {
        monitor =
                newMonitor(
                        new BenchmarkSettings(
                                5_000,
                                200,
                                2,
                                Duration.ofDays(180),
                                0.1,
                                Duration.ofMinutes(30),
                                Duration.ofMillis(50),
                                2));
        cycles(2, 2);
        Instant first = lab.clock.now();
        monitor.post(run(SUBJECT, 1));
        lab.clock.advance(Duration.ofHours(1));
        granted(ask(SUBJECT, 60, null));
        monitor.post(run(SUBJECT, 1));

        BenchmarkPermit permit = ask(SUBJECT, 60, null);

        refused(permit, Reason.TOO_MANY);
        assertThat(((BenchmarkPermit.Refused) permit).retryAt())
                .isEqualTo(first.plus(Duration.ofDays(1)));
        assertThat(monitor.post(run(SUBJECT, 1))).isEqualTo(BenchmarkMonitor.Posted.TOO_MANY);
        lab.clock.advance(Duration.ofHours(23));
        granted(ask(SUBJECT, 60, null));
        assertThat(monitor.post(run(SUBJECT, 1))).isEqualTo(BenchmarkMonitor.Posted.ADDED);
    }

    @Test
    @DisplayName("an object that does not run, or is unknown, gets no permit")
    void notRunning() throws Exception {
        refused(
                ask(new BenchmarkSubject(BenchmarkSubject.Kind.VM, new UUID(5, 5)), 60, null),
                Reason.NOT_RUNNING);
        refused(
                ask(new BenchmarkSubject(BenchmarkSubject.Kind.HOST, new UUID(5, 5)), 60, null),
                Reason.NOT_RUNNING);
        assertThat(
                        lab.meters
                                .counter("stillwater.benchmarks.permits", "outcome", "not-running")
                                .count())
                .isEqualTo(2);
    }
}
