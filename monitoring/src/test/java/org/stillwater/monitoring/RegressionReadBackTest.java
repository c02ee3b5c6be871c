package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.id.HostId;
import org.stillwater.core.regression.Coincidence;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.RecordedChange;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesPoints;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.history.DurableHistory;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.RegressionSettings;
import org.stillwater.monitoring.regression.SeriesArchive;
import org.stillwater.monitoring.regression.SeriesArchiveState.Phase;
import org.stillwater.testkit.memory.InMemoryFindingStore;
import org.stillwater.testkit.memory.InMemorySeriesPointStore;

/** Lives of the search for regressions on one database, on virtual time: a point for each cycle. */
@DisplayName("The search for regressions after a restart")
class RegressionReadBackTest {

    private static final HostId GAMMA = Lab.hostId(3);
    private static final List<HostId> HOSTS = List.of(ALPHA, BETA, GAMMA);
    private static final String SLOW = "00000000-0000-0000-0000-00000000000a";
    private static final String OTHER = "00000000-0000-0000-0000-00000000000b";
    private static final int PATHS = 6;

    private final Lab lab = new Lab();
    private final InMemoryFindingStore findings = new InMemoryFindingStore();
    private final InMemorySeriesPointStore points = new InMemorySeriesPointStore();
    private final Random random = new Random(3);
    private DurableHistory.Reader history = (_, _, _, _, _) -> List.of();
    private Duration kept = Duration.ofHours(1);
    private boolean late;
    private Duration answers = Duration.ZERO;
    private RegressionMonitor monitor;
    private SeriesArchive archive;

    private Duration cycle() {
        return lab.settings.hosts().interval();
    }

    private void life() {
        monitor =
                new RegressionMonitor(
                        new RegressionSettings(
                                cycle(), cycle(), 100, 1_000, 0.1, 50, Duration.ofDays(1), 100),
                        lab.engine.fleet(),
                        _ -> Map.of(),
                        findings,
                        lab.engine.commandAccess()::audit,
                        lab.clock,
                        lab.meters);
        archive =
                new SeriesArchive(
                        monitor,
                        new Slow(),
                        lab.engine.events(),
                        history,
                        cycle(),
                        kept,
                        () -> late,
                        lab.clock,
                        lab.meters);
        monitor.turn();
    }

    /** Takes a time for each answer. */
    private final class Slow implements SeriesPointStore {

        @Override
        public void write(Duration width, List<SeriesPoints> batch) throws StoreUnavailable {
            points.write(width, batch);
        }

        @Override
        public List<SeriesPoints> read(
                Duration width, int slice, long from, Position before, int limit)
                throws StoreUnavailable {
            lab.clock.advance(answers);
            return points.read(width, slice, from, before, limit);
        }

        @Override
        public int removeBefore(Instant time) throws StoreUnavailable {
            return points.removeBefore(time);
        }
    }

    private RegressionReadBackTest started() throws Exception {
        lab.storedHosts(ALPHA, BETA, GAMMA).started();
        for (HostId host : HOSTS) {
            lab.answer(host, poll -> {});
        }
        life();
        return this;
    }

    private void version(String version) {
        for (HostId host : HOSTS) {
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
    }

    private void work() {
        int turns = 0;
        while (archive.turn()) {
            turns++;
            assertThat(turns).isLessThan(1_000);
        }
    }

    /** Cycles of all hosts; a domain that is slow is slower by half. */
    private void cycles(int count, boolean slow) {
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
                                                        SLOW,
                                                        delay(slow ? 1.5 : 1),
                                                        OTHER,
                                                        delay(1)))
                                        .statistics());
                lab.answer(host, poll -> {});
            }
            lab.settle();
            monitor.turn();
            work();
        }
    }

    private HostStatistics.StorageDomain delay(double factor) {
        double seconds = 0.001 * factor * Math.exp(0.05 * random.nextGaussian());
        return new HostStatistics.StorageDomain(0, 2.0, seconds, true, 5, true, true);
    }

    private int pointsUntilFound(int most) {
        for (int count = 1; count <= most; count++) {
            cycles(1, true);
            if (!monitor.findings().isEmpty()) {
                return count;
            }
        }
        return most + 1;
    }

    private List<SeriesPoints> rows() throws StoreUnavailable {
        SeriesPointStore.Position end = new SeriesPointStore.Position(interval() + 1, 0);
        List<SeriesPoints> all = new ArrayList<>();
        for (int slice = 0; slice < SeriesPoints.SLICES; slice++) {
            all.addAll(points.read(cycle(), slice, 0, end, 10_000));
        }
        return all;
    }

    private long stored() throws StoreUnavailable {
        return rows().stream().mapToLong(SeriesPoints::size).sum();
    }

    private long interval() {
        return lab.clock.now().toEpochMilli() / cycle().toMillis();
    }

    private List<AuditEvent> told() throws Exception {
        return lab.engine.events().newest(AuditFilter.ANY, null, 100).reversed().stream()
                .map(entry -> entry.event())
                .filter(event -> event.name().startsWith("REGRESSION"))
                .toList();
    }

    @Test
    @DisplayName("finds a step that began before it as soon as without the restart, once")
    void stepAcrossTheRestart() throws Exception {
        RegressionReadBackTest whole = new RegressionReadBackTest().started();
        whole.cycles(40, false);
        int usual = whole.pointsUntilFound(12);
        assertThat(usual).isLessThanOrEqualTo(12);

        started();
        cycles(40, false);
        cycles(5, true);
        assertThat(monitor.findings()).isEmpty();
        archive.stop(Duration.ofSeconds(1));
        life();
        archive.serve();
        work();

        assertThat(archive.state().phase()).isEqualTo(Phase.DONE);
        assertThat(archive.state().series()).isGreaterThanOrEqualTo(PATHS);
        assertThat(archive.state().points())
                .isEqualTo(stored())
                .isGreaterThanOrEqualTo(PATHS * 44L);
        assertThat(archive.state().from()).isNotNull();
        assertThat(archive.state().took()).isNotNull();
        assertThat(5 + pointsUntilFound(12)).isEqualTo(usual);
        assertThat(monitor.findings())
                .singleElement()
                .satisfies(finding ->
                        assertThat(finding.where())
                                .isEqualTo(
                                        new SeriesOwner.Shared(SeriesOwner.STORAGE_DOMAIN, SLOW)));
        cycles(20, true);
        UUID id = monitor.findings().getFirst().id();

        archive.stop(Duration.ofSeconds(1));
        life();
        archive.serve();
        cycles(20, true);
        assertThat(monitor.findings()).extracting(Finding::id).containsExactly(id);
        assertThat(monitor.finding(id).isOpen()).isTrue();
        assertThat(told()).containsExactly(AuditEvent.REGRESSION_FOUND);
        cycles(40, false);
        assertThat(monitor.finding(id).ending()).isEqualTo(Finding.Ending.RECOVERED);
        assertThat(monitor.findings()).hasSize(1);
    }

    @Test
    @DisplayName("names the change before it that coincides with a step before it")
    void coincidenceFromBefore() throws Exception {
        started();
        version("4.50.3");
        cycles(40, false);
        version("4.50.5");
        cycles(5, true);
        assertThat(monitor.findings()).isEmpty();
        archive.stop(Duration.ofSeconds(1));
        life();
        archive.serve();
        work();

        assertThat(pointsUntilFound(12)).isLessThanOrEqualTo(12);

        assertThat(monitor.findings())
                .singleElement()
                .satisfies(finding -> {
                    Coincidence first = finding.coincidences().getFirst();
                    assertThat(first.kind()).isEqualTo(RecordedChange.Kind.SOFTWARE);
                    assertThat(first.text()).isEqualTo("host agent 4.50.3 became 4.50.5");
                    assertThat(first.share()).isEqualTo(1);
                });
    }

    @Test
    @DisplayName("is blind for that step if points are not kept")
    void off() throws Exception {
        kept = Duration.ZERO;
        started();
        cycles(40, false);
        cycles(5, true);
        life();
        archive.serve();
        cycles(20, true);

        assertThat(monitor.findings()).isEmpty();
        assertThat(archive.state().phase()).isEqualTo(Phase.OFF);
        assertThat(points.calls()).isZero();
    }

    @Test
    @DisplayName("reads when the engine serves and the database is not late, some rows at a time")
    void paused() throws Exception {
        started();
        cycles(150, false);
        assertThat(points.size()).isGreaterThanOrEqualTo(149);
        archive.stop(Duration.ofSeconds(1));
        life();
        int calls = points.calls();
        work();
        assertThat(points.calls()).as("before it serves").isEqualTo(calls);
        assertThat(archive.state().phase()).isEqualTo(Phase.WAITING);

        late = true;
        archive.serve();
        work();
        lab.clock.advance(Duration.ofSeconds(2));
        work();
        assertThat(points.calls()).as("while the database is late").isEqualTo(calls);

        late = false;
        work();
        assertThat(points.calls()).as("the pause").isEqualTo(calls);
        lab.clock.advance(Duration.ofSeconds(2));
        work();
        assertThat(archive.state().phase()).isEqualTo(Phase.DONE);
        assertThat(points.mostRead()).isEqualTo(64);
        assertThat(archive.state().points()).isEqualTo(stored());
    }

    @Test
    @DisplayName("reads for a quarter of the time, and not at all after its end")
    void rests() throws Exception {
        started();
        cycles(40, false);
        archive.stop(Duration.ofSeconds(1));
        answers = Duration.ofSeconds(1);
        life();
        archive.serve();
        Instant began = lab.clock.now();
        int turns = 0;
        for (int second = 0; second < 1_000 && archive.state().took() == null; second++) {
            if (archive.turn()) {
                turns++;
            } else {
                lab.clock.advance(Duration.ofSeconds(1));
            }
        }
        assertThat(archive.state().phase()).isEqualTo(Phase.DONE);
        assertThat(turns).isBetween(17, 40);
        assertThat(Duration.between(began, lab.clock.now()))
                .as("16 answers of a second")
                .isGreaterThanOrEqualTo(Duration.ofSeconds(4 * 15 + 1));

        life();
        archive.serve();
        archive.stop(Duration.ofSeconds(1));
        int calls = points.calls();
        assertThat(archive.turn()).isFalse();
        assertThat(points.calls()).isEqualTo(calls);
        assertThat(archive.state().phase()).isEqualTo(Phase.WAITING);
    }

    @Test
    @DisplayName("looks for findings when all series are filled, or after two intervals")
    void filled() throws Exception {
        started();
        cycles(40, false);
        cycles(20, true);
        Finding open = monitor.findings().getFirst();
        archive.stop(Duration.ofSeconds(1));
        life();
        List<Finding> followed = new ArrayList<>();
        monitor.follow(followed::add);
        archive.serve();
        while (archive.state().points() < stored()) {
            assertThat(archive.turn()).isTrue();
        }
        assertThat(archive.turn()).as("the last series are filled").isTrue();
        assertThat(archive.state().phase()).isEqualTo(Phase.READING);
        late = true;
        cycles(2, true);
        assertThat(followed).isEmpty();

        cycles(1, true);

        assertThat(followed).extracting(Finding::id).containsExactly(open.id());
        assertThat(followed.getFirst().isOpen()).isTrue();
    }

    @Test
    @DisplayName("writes the points that wait when it ends")
    void lastPoints() throws Exception {
        started();
        cycles(5, false);
        long before = stored();
        lab.clock.advance(cycle());
        monitor.turn();
        assertThat(stored()).isEqualTo(before);

        archive.stop(Duration.ofSeconds(1));

        assertThat(stored()).isGreaterThanOrEqualTo(before + PATHS);
    }

    @Test
    @DisplayName("goes on without the database, and reads when it is back, with growing pauses")
    void unavailable() throws Exception {
        started();
        cycles(40, false);
        archive.stop(Duration.ofSeconds(1));
        life();
        archive.serve();
        points.unavailable("away");
        int calls = points.calls();
        work();
        assertThat(points.calls()).isEqualTo(calls + 1);
        assertThat(archive.state().failingSince()).isEqualTo(lab.clock.now());
        assertThat(archive.state().reason()).isEqualTo("away");
        Instant since = lab.clock.now();

        List<Long> tried = new ArrayList<>();
        for (int second = 1; second <= 100; second++) {
            lab.clock.advance(Duration.ofSeconds(1));
            int before = points.calls();
            work();
            if (points.calls() > before) {
                tried.add((long) second);
            }
        }
        assertThat(tried).containsExactly(5L, 15L, 35L, 75L);
        assertThat(archive.state().failingSince()).isEqualTo(since);
        assertThat(archive.state().phase()).isEqualTo(Phase.READING);

        points.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(80));
        work();
        assertThat(archive.state().phase()).isEqualTo(Phase.DONE);
        assertThat(archive.state().failingSince()).isNull();
        assertThat(archive.state().points()).isEqualTo(stored()).isPositive();
    }

    @Test
    @DisplayName("gives up the read-back when a window has passed without the database")
    void tooLate() throws Exception {
        started();
        cycles(40, false);
        archive.stop(Duration.ofSeconds(1));
        life();
        archive.serve();
        points.unavailable("away");
        cycles(101, false);
        lab.clock.advance(Duration.ofMinutes(5));
        work();

        assertThat(archive.state().phase()).isEqualTo(Phase.DONE);
        assertThat(archive.state().points()).isZero();
        assertThat(archive.state().waiting()).isEqualTo(12);
        assertThat(archive.state().leftOut()).isEqualTo(101 - 12);
        assertThat(lab.meters.get("stillwater.regressions.points.dropped").counter().count())
                .isEqualTo(101 - 12);

        points.unavailable(null);
        lab.clock.advance(Duration.ofMinutes(5));
        work();
        assertThat(archive.state().waiting()).isZero();
    }

    @Test
    @DisplayName("removes points that are older than they are kept")
    void pruned() throws Exception {
        kept = Duration.ofMinutes(5);
        started();
        cycles(230, false);
        assertThat(rows()).anyMatch(row -> row.interval() < interval() - 200);
        cycles(30, false); // once an hour

        assertThat(rows())
                .hasSize(points.size())
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.interval()).isGreaterThan(interval() - 60));
    }

    @Test
    @DisplayName("takes the swap space of hosts from durable minutes, before the oldest point")
    void minutes() throws Exception {
        started();
        cycles(40, false);
        archive.stop(Duration.ofSeconds(1));
        life();
        archive.serve();
        work();
        int series = archive.state().series();
        history =
                (metric, id, tier, from, to) -> {
                    assertThat(metric).isEqualTo(HistoryMetric.HOST_SWAP_USED);
                    assertThat(tier).isEqualTo(HistoryTier.MINUTE);
                    assertThat(from).isBefore(to.minus(cycle().multipliedBy(100)));
                    assertThat(to).isBeforeOrEqualTo(lab.clock.now());
                    List<HistoryPoint> samples = new ArrayList<>();
                    for (int i = 30; i > 0 && id.equals(BETA.value()); i--) {
                        Instant at = to.minus(cycle().multipliedBy(i));
                        samples.add(HistoryPoint.sample(at, i > 10 ? 100 + i : 0));
                    }
                    return samples;
                };
        life();
        archive.serve();
        work();

        assertThat(archive.state().phase()).isEqualTo(Phase.DONE);
        assertThat(archive.state().series()).isEqualTo(series + 1);
        assertThat(archive.state().points()).isEqualTo(stored() + 20);
    }
}
