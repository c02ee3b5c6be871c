package org.stillwater.server.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.stillwater.server.profile.Interval.StatementKey;

/** Folding of recorded stacks, without a flight recorder. */
class ProfileTest {

    private static final Instant START = Instant.parse("2026-11-20T03:00:00Z");
    private static final long SECOND = 1_000_000_000;
    private static final long MILLI = 1_000_000;

    private static final List<Frame> DECODING =
            List.of(
                    new Frame("java.lang.String", "equals"),
                    new Frame("org.stillwater.vdsm.wire.MessageReader", "read"),
                    new Frame("org.stillwater.vdsm.client.HostSession", "run"),
                    new Frame("java.lang.VirtualThread", "run"));
    private static final List<Frame> WRITING =
            List.of(
                    new Frame("org.stillwater.monitoring.write.BatchWriter", "flush"),
                    new Frame("java.lang.VirtualThread", "run"));

    private static Profile profile(int nodes, int names) {
        return new Profile(
                new Profile.Limits(Duration.ofSeconds(10), Duration.ofMinutes(2), nodes, names));
    }

    private static ProfileReport.Cpu cpu(Profile profile, int seconds) {
        return ProfileReport.cpu(profile, Objects.requireNonNull(profile.window(seconds)), true);
    }

    @Test
    void theMostExpensiveStageIsFirstWithItsShare() {
        Profile profile = profile(1_000, 100);
        profile.process(START, 5 * SECOND, 100, 40);
        for (int i = 0; i < 30; i++) {
            profile.sample(START.plusMillis(i), DECODING, ThreadKind.HOST);
        }
        for (int i = 0; i < 10; i++) {
            profile.sample(START.plusMillis(i), WRITING, ThreadKind.WORKER);
            profile.nativeSample(START.plusMillis(i), WRITING);
        }
        profile.collector(START.plusSeconds(1), 6 * SECOND / 10);
        profile.process(START.plusSeconds(1), 11 * SECOND, 1_100, 440);

        ProfileReport.Cpu cpu = cpu(profile, 60);

        assertThat(cpu.cpuMillis()).isEqualTo(6_000);
        assertThat(cpu.items().subList(0, 2))
                .extracting(
                        ProfileReport.StageItem::stage,
                        ProfileReport.StageItem::samples,
                        ProfileReport.StageItem::cpuMillis,
                        ProfileReport.StageItem::share,
                        ProfileReport.StageItem::nativeSamples)
                .containsExactly(
                        tuple("decode", 30L, 3_000L, 0.5, 0L),
                        tuple("write", 10L, 1_000L, 0.1667, 10L));
        assertThat(cpu.items().subList(cpu.items().size() - 2, cpu.items().size()))
                .extracting(ProfileReport.StageItem::stage, ProfileReport.StageItem::cpuMillis)
                .containsExactly(tuple("gc", 1_000L), tuple("jit", 1_000L));
        assertThat(cpu.items()).hasSize(Stage.values().length);
        assertThat(cpu.threads())
                .extracting(ProfileReport.ThreadItem::kind, ProfileReport.ThreadItem::samples)
                .containsExactly(tuple("host", 30L), tuple("worker", 10L));
        assertThat(cpu.samples()).isEqualTo(40);
        assertThat(cpu.nativeSamples()).isEqualTo(10);
    }

    @Test
    void theTreeBeginsWithStagesAndGoesFromTheOutermostMethodInwards() {
        Profile profile = profile(1_000, 100);
        profile.sample(START, DECODING, ThreadKind.HOST);
        profile.sample(START, DECODING, ThreadKind.HOST);
        profile.sample(START, DECODING.subList(2, 4), ThreadKind.HOST);

        ProfileReport.Call tree = cpu(profile, 60).tree();

        assertThat(tree.samples()).isEqualTo(3);
        assertThat(tree.children())
                .extracting(ProfileReport.Call::name, ProfileReport.Call::samples)
                .containsExactly(tuple("decode", 2L), tuple("receive", 1L));
        ProfileReport.Call decode = tree.children().getFirst();
        ProfileReport.Call session = decode.children().getFirst().children().getFirst();
        assertThat(session.name()).isEqualTo("org.stillwater.vdsm.client.HostSession.run");
        assertThat(session.children().getFirst().children().getFirst().name())
                .isEqualTo("java.lang.String.equals");
    }

    @Test
    void aReportIsAboutTheLastSecondsBeforeTheNewestEvent() {
        Profile profile = profile(1_000, 100);
        profile.sample(START, DECODING, ThreadKind.HOST);
        profile.sample(START.plusSeconds(100), WRITING, ThreadKind.WORKER);

        assertThat(cpu(profile, 30).samples()).isEqualTo(1);
        assertThat(cpu(profile, 30).items().getFirst().stage()).isEqualTo("write");
        assertThat(cpu(profile, 120).samples()).isEqualTo(2);
        assertThat(cpu(profile, 120).since()).isEqualTo(START);
        assertThat(cpu(profile, 120).until()).isEqualTo(START.plusSeconds(100));
    }

    @Test
    void oldEventsAreForgottenAndLateOnesAreCounted() {
        Profile profile = profile(1_000, 100);
        profile.sample(START, DECODING, ThreadKind.HOST);
        profile.sample(START.plusSeconds(600), WRITING, ThreadKind.WORKER);
        profile.sample(START, DECODING, ThreadKind.HOST);

        assertThat(cpu(profile, 3_600).samples()).isEqualTo(1);
        assertThat(profile.total(Stage.DECODE).samples).as("never forgotten").isEqualTo(1);
        assertThat(profile.late()).isEqualTo(1);
    }

    @Test
    void theTreeIsBoundedAndForgetsPathsThatNoIntervalHas() {
        Profile profile = profile(20, 100);
        for (int i = 0; i < 100; i++) {
            profile.sample(
                    START,
                    List.of(new Frame("org.stillwater.dal.Sql", "m" + i)),
                    ThreadKind.WORKER);
        }
        assertThat(profile.cut()).isPositive();
        ProfileReport.Call full = cpu(profile, 60).tree();
        assertThat(full.samples()).isEqualTo(100);
        assertThat(full.children().getFirst().samples()).isEqualTo(100);
        assertThat(full.children().getFirst().children()).hasSizeLessThan(20);

        long before = profile.cut();
        profile.sample(START.plusSeconds(600), DECODING, ThreadKind.HOST);
        profile.sample(START.plusSeconds(610), DECODING, ThreadKind.HOST);
        assertThat(cpu(profile, 60).tree().children().getFirst().name()).isEqualTo("decode");
        profile.sample(START.plusSeconds(611), WRITING, ThreadKind.WORKER);
        assertThat(profile.cut()).as("room again").isLessThanOrEqualTo(before + 1);
        assertThat(cpu(profile, 60).samples()).isEqualTo(3);
    }

    @Test
    void statementsHaveCallsDurationsAndShares() {
        Profile profile = profile(1_000, 100);
        StatementKey slow = new StatementKey("JdbcUserStore.users", "SELECT users", "users");
        StatementKey fast = new StatementKey("JdbcVmStore.writeRuntimes", "UPDATE v", "state");
        for (int i = 0; i < 99; i++) {
            profile.statement(START, fast, MILLI, 5, false);
        }
        profile.statement(START.plusSeconds(10), fast, 2 * MILLI, 5, true);
        profile.statement(START.plusSeconds(20), slow, 899 * MILLI, 0, false);

        ProfileReport.Statements report =
                ProfileReport.statements(Objects.requireNonNull(profile.window(60)));

        assertThat(report.items())
                .extracting(
                        ProfileReport.StatementItem::name,
                        ProfileReport.StatementItem::calls,
                        ProfileReport.StatementItem::failed,
                        ProfileReport.StatementItem::rows,
                        ProfileReport.StatementItem::meanMicros,
                        ProfileReport.StatementItem::longestMicros,
                        ProfileReport.StatementItem::share)
                .containsExactly(
                        tuple("JdbcUserStore.users", 1L, 0L, 0L, 899_000L, 899_000L, 0.899),
                        tuple("JdbcVmStore.writeRuntimes", 100L, 1L, 500L, 1_010L, 2_000L, 0.101));
        assertThat(report.items().getLast().p99Micros()).isBetween(1_000L, 1_100L);
        assertThat(report.calls()).isEqualTo(101);
        assertThat(report.monitoringCalls()).isEqualTo(100);
        assertThat(report.summary()).isEqualTo("Monitoring sent 100 statements and commits.");
        assertThat(report.stages())
                .containsExactly(
                        new ProfileReport.StatementSeries("state", List.of(99L, 1L, 0L)),
                        new ProfileReport.StatementSeries("users", List.of(0L, 0L, 1L)));
        assertThat(report.at()).hasSize(3);
    }

    @Test
    void aStableMinuteShowsNoStatementsOfMonitoring() {
        Profile profile = profile(1_000, 100);
        profile.statement(START, new StatementKey("a", "SELECT b", "health"), MILLI, 0, false);

        ProfileReport.Statements report =
                ProfileReport.statements(Objects.requireNonNull(profile.window(60)));

        assertThat(report.monitoringCalls()).isZero();
        assertThat(report.summary()).isEqualTo("Monitoring sent no statement.");
    }

    @Test
    void waitsForALockAreNamedByLockAndPlace() {
        Profile profile = profile(1_000, 100);
        profile.waited(START, "monitor", "java.lang.Object", DECODING, 30 * MILLI);
        profile.waited(START, "monitor", "java.lang.Object", DECODING, 50 * MILLI);
        profile.waited(START, "lock", "java.util.concurrent.Semaphore", WRITING, 40 * MILLI);

        assertThat(cpu(profile, 60).waits())
                .containsExactly(
                        new ProfileReport.WaitItem(
                                "java.lang.Object",
                                "monitor",
                                "decode",
                                "org.stillwater.vdsm.wire.MessageReader.read",
                                2,
                                80,
                                50),
                        new ProfileReport.WaitItem(
                                "java.util.concurrent.Semaphore",
                                "lock",
                                "write",
                                "org.stillwater.monitoring.write.BatchWriter.flush",
                                1,
                                40,
                                40));
    }

    @Test
    void memoryIsListedByTypeAndStageAndOtherTypesTogether() {
        Profile profile = profile(1_000, 2);
        profile.allocation(START, DECODING, "byte[]", 600);
        profile.allocation(START, WRITING, "long[]", 300);
        profile.allocation(START, WRITING, "int[]", 60);
        profile.allocation(START, WRITING, "char[]", 40);
        profile.heapAfterCollection(START, 5_000);
        profile.heapAfterCollection(START.plusSeconds(15), 4_000);
        profile.resident(START, 9_000);
        profile.collection(START, 3 * MILLI, 2 * MILLI);

        ProfileReport.Memory report =
                ProfileReport.memory(Objects.requireNonNull(profile.window(60)));

        assertThat(report.types())
                .containsExactly(
                        new ProfileReport.TypeItem("byte[]", 600, 0.6),
                        new ProfileReport.TypeItem("long[]", 300, 0.3),
                        new ProfileReport.TypeItem("(further)", 100, 0.1));
        assertThat(report.stages())
                .containsExactly(
                        new ProfileReport.AllocationItem("decode", 600, 0.6),
                        new ProfileReport.AllocationItem("write", 400, 0.4));
        assertThat(report.heapAfterCollectionBytes()).isEqualTo(4_000);
        assertThat(report.residentBytes()).isEqualTo(9_000);
        assertThat(report.directBytes()).isNull();
        assertThat(report.collections()).isEqualTo(1);
        assertThat(report.pauseMillis()).isEqualTo(3.0);
        assertThat(report.longestPauseMillis()).isEqualTo(2.0);
    }

    @Test
    void beforeTheFirstEventThereIsNoReport() {
        assertThat(profile(1_000, 100).window(60)).isNull();
    }

    @Test
    void aPercentileIsCloseAndNeverBeyondTheLongest() {
        Latencies latencies = new Latencies();
        for (int i = 1; i <= 1_000; i++) {
            latencies.add(i * MILLI);
        }
        Latencies sum = new Latencies();
        sum.add(latencies);
        assertThat(sum.calls()).isEqualTo(1_000);
        assertThat(sum.micros(0.5)).isBetween(500_000L, 540_000L);
        assertThat(sum.micros(0.99)).isBetween(990_000L, 1_000_000L);
        assertThat(sum.micros(1)).isEqualTo(1_000_000L);
        assertThat(sum.meanMicros()).isEqualTo(500_500);
        assertThat(new Latencies().micros(0.99)).isZero();
    }

    @Test
    void onlyLocksAreLocks() {
        assertThat(EventFold.isLock("java.util.concurrent.locks.ReentrantLock$NonfairSync"))
                .isTrue();
        assertThat(EventFold.isLock("java.util.concurrent.Semaphore$FairSync")).isTrue();
        assertThat(
                        EventFold.isLock(
                                "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"))
                .isFalse();
        assertThat(EventFold.isLock("java.util.concurrent.SynchronousQueue$Transferer")).isFalse();
    }

    @Test
    void typesHaveTheirNamesInJava() {
        assertThat(EventFold.typeName("[B")).isEqualTo("byte[]");
        assertThat(EventFold.typeName("[[Ljava.lang.String;")).isEqualTo("java.lang.String[][]");
        assertThat(EventFold.typeName("java.lang.String")).isEqualTo("java.lang.String");
    }
}
