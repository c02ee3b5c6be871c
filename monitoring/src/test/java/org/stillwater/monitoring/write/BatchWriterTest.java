package org.stillwater.monitoring.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

class BatchWriterTest {

    private static final HostId HOST = new HostId(new UUID(1, 1));
    private static final Duration LINGER = WriterSettings.DEFAULT.linger();
    private static final RuntimeFields STATUS = RuntimeFields.of(RuntimeField.STATUS);
    private static final RuntimeFields OS = RuntimeFields.of(RuntimeField.GUEST_OS);

    private final VirtualClock clock = new VirtualClock();
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore();
    private final List<OpenWork> opened = new ArrayList<>();
    private final List<OpenHostWork> openedAboutHosts = new ArrayList<>();
    private final List<Long> episodes = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final BatchWriter writer =
            new BatchWriter(
                    WriterSettings.DEFAULT,
                    vms,
                    hosts,
                    clock,
                    new MonitoringMeters(meters),
                    id -> "vm" + id.leastSignificantBits(),
                    id -> "host" + id.value().getLeastSignificantBits(),
                    new Told());

    private final class Told implements DurableWork {

        @Override
        public void opened(OpenWork work) {
            opened.add(work);
        }

        @Override
        public void opened(OpenHostWork work) {
            openedAboutHosts.add(work);
        }

        @Override
        public void episodeReached(HostId host, long episode) {
            episodes.add(episode);
        }
    }

    @Test
    void changesOfOneVmAreWrittenOnceWithTheNewestValues() {
        VmId vm = stored(1);
        change(vm, VmStatus.POWERING_UP, STATUS, null);
        change(vm, VmStatus.UP, OS, "Linux");
        change(vm, VmStatus.UP, STATUS, "Linux");

        write();

        assertThat(vms.runtimeWrites())
                .singleElement()
                .satisfies(write -> assertThat(write.fields()).isEqualTo(STATUS.union(OS)));
        assertThat(vms.vm(vm).runtime().status()).isEqualTo(VmStatus.UP);
        assertThat(vms.vm(vm).runtime().text(RuntimeField.GUEST_OS)).isEqualTo("Linux");
        assertThat(writer.state().waiting()).isZero();
    }

    @Test
    void nothingIsWrittenBeforeTheLingerHasPassedUnlessTheBatchIsFull() {
        VmId vm = stored(1);
        change(vm, VmStatus.UP, STATUS, null);
        assertThat(writer.writeDue()).isFalse();

        for (int i = 2; i <= WriterSettings.DEFAULT.batch(); i++) {
            change(stored(i), VmStatus.UP, STATUS, null);
        }

        assertThat(writer.writeDue()).isTrue();
    }

    @Test
    void aChangeAfterAPauseWaitsForThoseOfItsReportOnly() {
        clock.advance(LINGER);
        change(stored(1), VmStatus.UP, STATUS, null);
        assertThat(writer.writeDue()).isFalse();
        clock.advance(Duration.ofMillis(1));
        assertThat(writer.writeDue()).isTrue();

        change(stored(2), VmStatus.UP, STATUS, null);
        clock.advance(LINGER.minusNanos(1));
        assertThat(writer.writeDue()).as("a batch has just begun").isFalse();
        clock.advance(Duration.ofNanos(1));
        assertThat(writer.writeDue()).isTrue();

        clock.advance(LINGER.minusMillis(3));
        change(stored(3), VmStatus.UP, STATUS, null);
        clock.advance(Duration.ofMillis(2));
        assertThat(writer.writeDue()).isFalse();
        clock.advance(Duration.ofMillis(1));
        assertThat(writer.writeDue()).as("no later than without a pause").isTrue();
    }

    @Test
    void rowsAreSortedForAnyOrderOfChanges() {
        for (int i = 50; i > 0; i--) {
            change(stored(i), VmStatus.UP, STATUS, null);
        }

        write();

        assertThat(vms.runtimeWrites())
                .hasSize(50)
                .isSortedAccordingTo((a, b) -> a.vmId().compareTo(b.vmId()));
    }

    @Test
    void whileTheDatabaseIsAwayChangesCoalesceAndNothingIsLost() {
        VmId vm = stored(1);
        vms.unavailable("connection refused");
        change(vm, VmStatus.POWERING_UP, OS, "Linux");
        write();
        for (int i = 0; i < 1_000; i++) {
            change(vm, i % 2 == 0 ? VmStatus.UP : VmStatus.POWERING_DOWN, STATUS, "Linux");
        }
        assertThat(writer.state().waiting()).isOne();
        assertThat(writer.state().notDurableSince()).isNotNull();
        assertThat(writer.state().notDurableReason()).isEqualTo("connection refused");

        vms.unavailable(null);
        assertThat(writer.writeDue()).as("it pauses before it tries again").isFalse();
        clock.advance(Duration.ofSeconds(1));
        writer.writeDue();

        assertThat(vms.vm(vm).runtime().status()).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(vms.vm(vm).runtime().text(RuntimeField.GUEST_OS)).isEqualTo("Linux");
        assertThat(writer.state().waiting()).isZero();
        assertThat(writer.state().notDurableSince()).isNull();
    }

    @Test
    void thePauseBetweenAttemptsDoublesUpToItsLimit() {
        vms.unavailable("gone");
        change(stored(1), VmStatus.UP, STATUS, null);
        clock.advance(Duration.ofMillis(10));
        writer.writeDue();
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            long millis = 0;
            while (!writer.writeDue()) {
                clock.advance(Duration.ofMillis(100));
                millis += 100;
            }
            pauses.add(millis);
        }

        assertThat(pauses).containsExactly(200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L);
    }

    @Test
    void aRefusedRowIsNamedAndTriedAgainOnlyWhenItChanges() {
        VmId bad = stored(1);
        VmId good = stored(2);
        vms.refuse(bad, "value too long");
        change(bad, VmStatus.UP, OS, "long");
        change(good, VmStatus.UP, STATUS, null);
        write();
        assertThat(vms.vm(good).runtime().status()).isEqualTo(VmStatus.UP);
        assertThat(writer.state().rejected())
                .containsEntry("vm1", "value too long; columns: guest_os");
        clock.advance(Duration.ofMinutes(1));
        assertThat(writer.writeDue()).isFalse();

        vms.refuse(bad, null);
        change(bad, VmStatus.POWERING_DOWN, STATUS, "short");
        write();

        assertThat(vms.vm(bad).runtime().status()).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(vms.vm(bad).runtime().text(RuntimeField.GUEST_OS))
                .as("the field refused before is written too")
                .isEqualTo("short");
        assertThat(writer.state().rejected()).isEmpty();
    }

    @Test
    void anActionWaitsForTheCommitOfItsReasonOnly() {
        VmId vm = stored(1);
        VmId idle = stored(2);
        List<String> done = new ArrayList<>();
        change(vm, VmStatus.DOWN, STATUS, null);
        writer.afterCommit(vm, () -> done.add("after commit"));
        writer.afterCommit(idle, () -> done.add("at once"));
        assertThat(done).containsExactly("at once");

        write();

        assertThat(done).containsExactly("at once", "after commit");
    }

    @Test
    void anActionThatFailsDoesNotStopTheOthers() {
        VmId vm = stored(1);
        List<String> done = new ArrayList<>();
        change(vm, VmStatus.DOWN, STATUS, null);
        writer.afterCommit(
                vm,
                () -> {
                    throw new IllegalStateException("bug");
                });
        writer.afterCommit(vm, () -> done.add("second"));

        write();

        assertThat(done).containsExactly("second");
    }

    @Test
    @DisplayName("T13 an action that fails badly keeps neither work nor actions of other VMs back")
    void anActionThatFailsBadlyKeepsNothingElseBack() {
        VmId first = stored(1);
        VmId second = stored(2);
        List<String> done = new ArrayList<>();
        change(first, VmStatus.DOWN, STATUS, null);
        writer.afterCommit(
                first,
                () -> {
                    throw new StackOverflowError("a bug deep down");
                });
        fail(second, work(second, WorkKind.HA_RESTART, 1));
        writer.afterCommit(second, () -> done.add("second"));

        write();

        assertThat(done).containsExactly("second");
        assertThat(opened)
                .extracting(OpenWork::work)
                .containsExactly(work(second, WorkKind.HA_RESTART, 1));
        assertThat(vms.openWork()).isEqualTo(opened);
    }

    @Test
    void workBecomesOpenWithTheStateItFollowsFromAndNotBefore() {
        VmId vm = stored(1);
        PendingWork restart = work(vm, WorkKind.HA_RESTART, 1);
        fail(vm, restart);
        assertThat(opened).isEmpty();

        write();

        assertThat(opened).containsExactly(new OpenWork(restart, clock.now().minus(LINGER)));
        assertThat(vms.openWork()).isEqualTo(opened);
        assertThat(vms.vm(vm).runtime().status()).isEqualTo(VmStatus.DOWN);
    }

    @Test
    void workWithoutAChangeIsWrittenToo() {
        VmId vm = stored(1);
        writer.changed(
                vm,
                VmRuntime.INITIAL,
                RuntimeFields.NONE,
                VmPlacement.NOWHERE,
                PlacementFields.NONE,
                List.of(work(vm, WorkKind.PROCESS_DOWN, 1)),
                clock.nanoTime());

        write();

        assertThat(opened).hasSize(1);
        assertThat(vms.runtimeWrites()).isEmpty();
    }

    @Test
    void whileTheDatabaseIsAwayWorkWaitsWithItsVmAndIsBounded() {
        VmId vm = stored(1);
        vms.unavailable("gone");
        for (int run = 1; run <= 1_000; run++) {
            for (WorkKind kind : WorkKind.values()) {
                fail(vm, work(vm, kind, run));
                fail(vm, work(vm, kind, run));
            }
            if (run % 100 == 0) {
                clock.advance(Duration.ofSeconds(10));
                writer.writeDue();
            }
        }
        assertThat(opened).isEmpty();
        assertThat(writer.state().waiting()).isOne();

        vms.unavailable(null);
        clock.advance(Duration.ofSeconds(10));
        writer.writeDue();

        assertThat(opened)
                .as("of each kind what follows from the last run")
                .extracting(OpenWork::work)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(WorkKind.values())
                                .map(kind -> work(vm, kind, 1_000))
                                .toList());
        assertThat(vms.openWork()).containsExactlyInAnyOrderElementsOf(opened);
    }

    @Test
    void workWithALostAnswerIsAnnouncedAtTheSecondAttempt() {
        VmId vm = stored(1);
        fail(vm, work(vm, WorkKind.HA_RESTART, 1));
        vms.loseNextAnswer();
        write();
        assertThat(vms.openWork()).as("committed").hasSize(1);
        assertThat(opened).as("but nobody knows").isEmpty();

        clock.advance(Duration.ofSeconds(1));
        writer.writeDue();

        assertThat(opened).isEqualTo(vms.openWork()).hasSize(1);
        assertThat(writer.state().waiting()).isZero();
    }

    @Test
    @DisplayName(
            "T11 a refused VM keeps its work, and both are written once it is no longer refused")
    void aRefusedVmKeepsItsWork() {
        VmId bad = stored(1);
        VmId good = stored(2);
        List<String> done = new ArrayList<>();
        vms.refuse(bad, "value too long");
        fail(bad, work(bad, WorkKind.HA_RESTART, 1));
        fail(good, work(good, WorkKind.HA_RESTART, 1));
        write();
        assertThat(opened).extracting(open -> open.work().vmId()).containsExactly(good);
        assertThat(writer.state().rejected()).containsOnlyKeys("vm1");
        writer.afterCommit(bad, () -> done.add("what must only follow a durable state"));
        write();
        assertThat(done).isEmpty();
        assertThat(writer.state().rejected()).containsOnlyKeys("vm1");

        vms.refuse(bad, null);
        change(bad, VmStatus.DOWN, OS, "Linux");
        write();

        assertThat(vms.vm(bad).runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(opened).extracting(open -> open.work().vmId()).containsExactly(good, bad);
        assertThat(vms.openWork()).containsExactlyInAnyOrderElementsOf(opened);
    }

    @Test
    void aRefusedRowIsTriedAgainWhenSomethingWaitsForIt() {
        VmId vm = stored(1);
        List<String> done = new ArrayList<>();
        vms.refuse(vm, "value too long");
        fail(vm, work(vm, WorkKind.HA_RESTART, 1));
        write();

        vms.refuse(vm, null);
        writer.afterCommit(vm, () -> done.add("after commit"));
        assertThat(done).isEmpty();
        write();

        assertThat(done).containsExactly("after commit");
        assertThat(vms.vm(vm).runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(opened).hasSize(1);
        assertThat(writer.state().rejected()).isEmpty();
    }

    @Test
    void aRefusedRowIsTriedAgainWithTheNextChange() {
        VmId vm = stored(1);
        vms.refuse(vm, "value too long");
        fail(vm, work(vm, WorkKind.HA_RESTART, 1));
        writer.perform(
                task(
                        () -> {
                            change(vm, VmStatus.DOWN, OS, "Linux");
                            return new WriteOutcome.Written(0, List.of());
                        },
                        new ArrayList<>()));
        write();
        assertThat(opened).isEmpty();

        vms.refuse(vm, null);
        write();

        assertThat(vms.vm(vm).runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(vms.vm(vm).runtime().text(RuntimeField.GUEST_OS)).isEqualTo("Linux");
        assertThat(opened).hasSize(1);
        assertThat(writer.state().rejected()).isEmpty();
    }

    @Test
    void workOfAnotherVmIsAMistakeOfTheCaller() {
        VmId vm = stored(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fail(vm, work(stored(2), WorkKind.HA_RESTART, 1)));
        assertThat(writer.state().waiting()).isZero();
    }

    @Test
    void onlyTheChangedColumnsOfAPlacementAreWritten() {
        VmId vm = stored(1);
        VmPlacement placement = VmPlacement.on(HOST).withRun(VmRun.NEVER.next());
        writer.changed(
                vm,
                VmRuntime.INITIAL,
                RuntimeFields.NONE,
                placement,
                PlacementFields.of(PlacementField.RUN_ON),
                List.of(),
                clock.nanoTime());

        write();

        assertThat(vms.vm(vm).placement()).isEqualTo(VmPlacement.on(HOST));
    }

    private void fail(VmId vm, PendingWork work) {
        writer.changed(
                vm,
                VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.DOWN),
                STATUS,
                VmPlacement.NOWHERE,
                PlacementFields.NONE,
                List.of(work),
                clock.nanoTime());
    }

    private static PendingWork work(VmId vm, WorkKind kind, long generation) {
        return new PendingWork(vm, kind, generation, HOST, "it failed");
    }

    @Test
    void runtimeAndPlacementAreWrittenSeparatelyAndSoAreHosts() {
        VmId vm = stored(1);
        hosts.put(new HostDefinition(HOST, "alpha", "192.0.2.1", 1), HostStatus.UNASSIGNED);
        writer.changed(
                vm,
                VmRuntime.INITIAL,
                RuntimeFields.NONE,
                VmPlacement.on(HOST),
                PlacementFields.of(PlacementField.RUN_ON),
                List.of(),
                clock.nanoTime());
        writer.changed(HostChange.of(HOST, HostCondition.of(HostStatus.CONNECTING)));
        writer.changed(HostChange.of(HOST, HostCondition.of(HostStatus.UP)));

        write();

        assertThat(vms.runtimeWrites()).isEmpty();
        assertThat(vms.vm(vm).placement().runOn()).isEqualTo(HOST);
        assertThat(hosts.status(HOST)).isEqualTo(HostStatus.UP);
        assertThat(hosts.calls()).isOne();
    }

    @Test
    void aHostsConditionIsDurableWithItsWork() {
        storedHost(HOST);
        List<String> done = new ArrayList<>();
        writer.changed(HostChange.of(HOST, silent(3)), List.of(fence(HOST, 3)));
        writer.afterCommit(HOST, () -> done.add("told"));
        assertThat(done).isEmpty();

        write();

        assertThat(hosts.condition(HOST)).isEqualTo(silent(3));
        assertThat(hosts.openWork()).isEqualTo(openedAboutHosts).hasSize(1);
        assertThat(episodes).containsExactly(3L);
        assertThat(done).containsExactly("told");
        writer.afterCommit(HOST, () -> done.add("at once"));
        assertThat(done).containsExactly("told", "at once");
    }

    @Test
    void whileTheDatabaseIsAwayOneWorkOfEachKindOfTheNewestEpisodeIsKept() {
        storedHost(HOST);
        hosts.unavailable("gone");
        writer.changed(HostChange.of(HOST, silent(1)), List.of(fence(HOST, 1)));
        write();
        writer.changed(HostChange.of(HOST, silent(2)), List.of(fence(HOST, 2), fence(HOST, 2)));
        for (int attempt = 1; attempt <= 100; attempt++) {
            writer.changed(
                    HostChange.of(HOST, silent(2)),
                    List.of(new HostWork(HOST, HostWorkKind.DRAIN, 2, attempt, "again")));
        }
        assertThat(writer.state().waiting()).isOne();

        hosts.unavailable(null);
        clock.advance(Duration.ofSeconds(1));
        writer.writeDue();

        assertThat(openedAboutHosts)
                .extracting(open -> open.work().key())
                .containsExactlyInAnyOrder(
                        fence(HOST, 2).key(), new HostWork.Key(HOST, HostWorkKind.DRAIN, 2, 100));
        assertThat(writer.state().waiting()).isZero();
    }

    @Test
    void aLostAnswerAboutAHostQueuesNothingTwice() {
        storedHost(HOST);
        hosts.loseNextAnswer();
        writer.changed(HostChange.of(HOST, silent(1)), List.of(fence(HOST, 1)));
        write();
        assertThat(openedAboutHosts).as("but nobody knows").isEmpty();

        clock.advance(Duration.ofSeconds(1));
        writer.writeDue();

        assertThat(openedAboutHosts).isEqualTo(hosts.openWork()).hasSize(1);
    }

    @Test
    @DisplayName("T11 a refused host costs that host only, is named, and is written later")
    void aRefusedHostCostsThatHostOnly() {
        HostId bad = new HostId(new UUID(1, 2));
        storedHost(HOST);
        storedHost(bad);
        hosts.refuse(bad, "check constraint");
        List<String> done = new ArrayList<>();
        writer.changed(HostChange.of(HOST, silent(1)), List.of(fence(HOST, 1)));
        writer.changed(HostChange.of(bad, silent(1)), List.of(fence(bad, 1)));
        writer.afterCommit(HOST, () -> done.add("good"));
        writer.afterCommit(bad, () -> done.add("bad"));

        write();

        assertThat(done).containsExactly("good");
        assertThat(openedAboutHosts).extracting(open -> open.work().host()).containsExactly(HOST);
        assertThat(episodes).hasSize(1);
        assertThat(writer.state().rejected()).containsEntry("host2", "check constraint");
        assertThat(writer.state().waiting()).isZero();

        hosts.refuse(bad, null);
        writer.afterCommit(bad, () -> done.add("bad"));
        write();

        assertThat(done).containsExactly("good", "bad");
        assertThat(openedAboutHosts)
                .extracting(open -> open.work().host())
                .containsExactly(HOST, bad);
        assertThat(hosts.condition(bad)).isEqualTo(silent(1));
        assertThat(writer.state().rejected()).isEmpty();
    }

    @Test
    void nothingOfAHostThatWasRemovedIsWritten() {
        storedHost(HOST);
        List<String> done = new ArrayList<>();
        writer.changed(HostChange.of(HOST, silent(1)), List.of(fence(HOST, 1)));
        writer.afterCommit(
                HOST,
                new BatchWriter.CommitAction() {
                    @Override
                    public void run() {
                        done.add("committed");
                    }

                    @Override
                    public void refused() {
                        done.add("left out");
                    }
                });

        writer.forget(HOST);

        assertThat(done).containsExactly("left out");
        assertThat(writer.state().waiting()).isZero();
        clock.advance(LINGER);
        assertThat(writer.writeDue()).isFalse();
    }

    private void storedHost(HostId id) {
        hosts.put(new HostDefinition(id, id.toString(), "192.0.2.1", 1), HostStatus.UNASSIGNED);
    }

    private static HostCondition silent(long episode) {
        return new HostCondition(
                HostStatus.NON_RESPONSIVE,
                HostStatus.CONNECTING,
                NonOperationalReason.NONE,
                null,
                episode,
                0);
    }

    private static HostWork fence(HostId host, long episode) {
        return new HostWork(host, HostWorkKind.FENCE, episode, 0, "it does not respond");
    }

    @Test
    void tasksAreKeptUntilTheyAreDurable() {
        VmId vm = new VmId(9, 9);
        List<String> done = new ArrayList<>();
        vms.unavailable("gone");
        writer.perform(task(() -> vms.add(List.of(fresh(vm))), done));
        write();
        assertThat(done).isEmpty();

        vms.unavailable(null);
        clock.advance(Duration.ofSeconds(1));
        writer.writeDue();

        assertThat(done).containsExactly("written");
        assertThat(vms.vm(vm)).isNotNull();
    }

    @Test
    void aTaskWithABugIsGivenUpAndKeepsNothingElseFromBeingWritten() {
        VmId vm = new VmId(9, 9);
        List<String> done = new ArrayList<>();
        writer.perform(
                task(
                        () -> {
                            throw new IllegalStateException("bug");
                        },
                        done));
        writer.perform(task(() -> vms.add(List.of(fresh(vm))), done));

        write();

        assertThat(done).containsExactly("abandoned", "written");
        assertThat(vms.vm(vm)).isNotNull();
    }

    private static StoreTask task(Supplier<WriteOutcome> work, List<String> log) {
        return new StoreTask() {
            @Override
            public WriteOutcome write() {
                return work.get();
            }

            @Override
            public void written(WriteOutcome.Written outcome) {
                log.add("written");
            }

            @Override
            public void abandoned() {
                log.add("abandoned");
            }
        };
    }

    /** An error ends neither the thread nor the change; health is down with a reason meanwhile. */
    @Test
    @Timeout(30)
    void anErrorOfTheStoreLosesNothing() {
        VmId vm = stored(1);
        AtomicBoolean broken = new AtomicBoolean(true);
        VmStore failing =
                (VmStore)
                        Proxy.newProxyInstance(
                                VmStore.class.getClassLoader(),
                                new Class<?>[] {VmStore.class},
                                (_, method, arguments) -> {
                                    if (broken.get() && method.getName().equals("write")) {
                                        throw new OutOfMemoryError("full");
                                    }
                                    return method.invoke(vms, arguments);
                                });
        BatchWriter running =
                new BatchWriter(
                        WriterSettings.DEFAULT,
                        failing,
                        hosts,
                        clock,
                        new MonitoringMeters(new SimpleMeterRegistry()),
                        VmId::toString,
                        HostId::toString,
                        new Told());
        running.start(
                new Workers(
                        org.stillwater.monitoring.worker.WorkerSettings.DEFAULT,
                        clock,
                        new SimpleMeterRegistry()));
        running.changed(
                vm,
                VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                STATUS,
                VmPlacement.NOWHERE,
                PlacementFields.NONE,
                List.of(),
                clock.nanoTime());
        until(() -> running.state().notDurableSince() != null);
        assertThat(running.state().waiting()).isOne();

        broken.set(false);
        until(() -> running.state().notDurableSince() == null && running.state().waiting() == 0);

        assertThat(vms.vm(vm).runtime().status()).isEqualTo(VmStatus.UP);
        assertThat(running.stop(Duration.ofSeconds(20))).isTrue();
    }

    private void until(BooleanSupplier over) {
        while (!over.getAsBoolean()) {
            clock.advance(Duration.ofMillis(1));
            assertThat(Thread.currentThread().isInterrupted()).as("out of time").isFalse();
            Thread.onSpinWait();
        }
    }

    @Test
    void theThreadWritesTheRestAndEnds() throws Exception {
        VmId vm = stored(1);
        BatchWriter running =
                new BatchWriter(
                        new WriterSettings(
                                Duration.ofHours(1),
                                10,
                                Duration.ofMillis(1),
                                Duration.ofMillis(1),
                                Duration.ofMinutes(1)),
                        vms,
                        hosts,
                        clock,
                        new MonitoringMeters(new SimpleMeterRegistry()),
                        VmId::toString,
                        HostId::toString,
                        new Told());
        running.start(
                new Workers(
                        org.stillwater.monitoring.worker.WorkerSettings.DEFAULT,
                        clock,
                        new SimpleMeterRegistry()));
        running.changed(
                vm,
                VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                STATUS,
                VmPlacement.NOWHERE,
                PlacementFields.NONE,
                List.of(),
                clock.nanoTime());

        assertThat(running.flush(Duration.ofSeconds(30))).isTrue();
        assertThat(vms.vm(vm).runtime().status()).isEqualTo(VmStatus.UP);
        assertThat(running.stop(Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void theTimeFromObservationToCommitIsMeasured() {
        change(stored(1), VmStatus.UP, STATUS, null);
        clock.advance(Duration.ofMillis(30));
        writer.writeDue();

        assertThat(
                        meters.get("stillwater.change.committed")
                                .timer()
                                .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(30);
    }

    /** A store that fails by an exception with some VMs, as a bug in binding a column would. */
    private static final class Fragile implements VmStore {
        private final InMemoryVmStore inner = new InMemoryVmStore();
        private final Set<VmId> breaking = new HashSet<>();
        private boolean badly;
        private int goesAwayAfter = Integer.MAX_VALUE;
        private int writes;

        @Override
        public WriteOutcome write(List<VmChange> changes) {
            writes++;
            if (writes > goesAwayAfter) {
                return new WriteOutcome.Unavailable("away");
            }
            if (changes.stream().anyMatch(change -> breaking.contains(change.vmId()))) {
                if (badly) {
                    throw new StackOverflowError("cannot bind");
                }
                throw new IllegalStateException("cannot bind");
            }
            return inner.write(changes);
        }

        @Override
        public WriteOutcome add(List<StoredVm> added) {
            return inner.add(added);
        }

        @Override
        public Map<UUID, VmId> interfaceOwners(Collection<UUID> interfaces)
                throws StoreUnavailable {
            return inner.interfaceOwners(interfaces);
        }

        @Override
        public void loadAll(Consumer<StoredVm> receiver) throws StoreUnavailable {
            inner.loadAll(receiver);
        }

        @Override
        public void loadWork(Consumer<OpenWork> receiver) throws StoreUnavailable {
            inner.loadWork(receiver);
        }

        @Override
        public boolean takeOver(PendingWork work, UUID owner, Instant at) throws StoreUnavailable {
            return inner.takeOver(work, owner, at);
        }
    }

    /** Hosts with which the store of hosts fails by an exception. */
    private final Set<HostId> breakingHosts = new HashSet<>();

    private final HostStore fragileHosts =
            (HostStore)
                    Proxy.newProxyInstance(
                            HostStore.class.getClassLoader(),
                            new Class<?>[] {HostStore.class},
                            (_, method, arguments) -> {
                                if (method.getName().equals("write")
                                        && ((List<?>) arguments[0])
                                                .stream()
                                                        .map(HostChange.class::cast)
                                                        .anyMatch(change ->
                                                                breakingHosts.contains(
                                                                        change.id()))) {
                                    throw new IllegalStateException("cannot bind");
                                }
                                return method.invoke(hosts, arguments);
                            });

    private final Fragile fragile = new Fragile();
    private final BatchWriter onFragile =
            new BatchWriter(
                    WriterSettings.DEFAULT,
                    fragile,
                    fragileHosts,
                    clock,
                    new MonitoringMeters(new SimpleMeterRegistry()),
                    id -> "vm" + id.leastSignificantBits(),
                    id -> "host" + id.value().getLeastSignificantBits(),
                    new Told());

    private VmId fragileVm(int n) {
        VmId vm = new VmId(1, n);
        fragile.inner.put(fresh(vm));
        return vm;
    }

    private void changeFragile(VmId vm, String os) {
        onFragile.changed(
                vm,
                VmRuntime.INITIAL.with(RuntimeField.GUEST_OS, os),
                OS,
                VmPlacement.NOWHERE,
                PlacementFields.NONE,
                List.of(),
                clock.nanoTime());
    }

    private void writeFragile() {
        clock.advance(LINGER);
        onFragile.writeDue();
    }

    private String osOf(VmId vm) {
        return fragile.inner.vm(vm).runtime().text(RuntimeField.GUEST_OS);
    }

    @Test
    void aVmWithWhichTheStoreFailsKeepsNoNeighbourFromBeingWritten() {
        List<VmId> all = new ArrayList<>();
        for (int n = 0; n < 500; n++) {
            all.add(fragileVm(n));
        }
        VmId bad = all.get(137);
        fragile.breaking.add(bad);
        for (int round = 0; round < 5; round++) {
            String os = "os " + round;
            all.forEach(vm -> changeFragile(vm, os));
            writeFragile();
            assertThat(all)
                    .filteredOn(vm -> !vm.equals(bad))
                    .allSatisfy(vm -> assertThat(osOf(vm)).isEqualTo(os));
            assertThat(onFragile.state().notDurableSince()).isNull();
            assertThat(onFragile.state().rejected())
                    .containsOnlyKeys("vm137")
                    .allSatisfy((name, why) ->
                            assertThat(why).contains("cannot bind").contains("columns: guest_os"));
        }
        assertThat(fragile.writes).isLessThan(5 * 25);

        fragile.breaking.clear();
        changeFragile(bad, "well");
        writeFragile();
        assertThat(osOf(bad)).isEqualTo("well");
        assertThat(onFragile.state().rejected()).isEmpty();
    }

    @Test
    void aLostDatabaseDuringTheSearchForABadVmLosesNothing() {
        List<VmId> all = new ArrayList<>();
        for (int n = 0; n < 16; n++) {
            all.add(fragileVm(n));
        }
        fragile.breaking.add(all.get(3));
        all.forEach(vm -> changeFragile(vm, "a"));
        fragile.goesAwayAfter = 4;
        writeFragile();
        assertThat(onFragile.state().notDurableReason()).isNotNull();
        assertThat(onFragile.state().waiting()).isEqualTo(16);

        fragile.goesAwayAfter = Integer.MAX_VALUE;
        clock.advance(WriterSettings.DEFAULT.firstRetry());
        onFragile.writeDue();
        assertThat(all)
                .filteredOn(vm -> !vm.equals(all.get(3)))
                .allSatisfy(vm -> assertThat(osOf(vm)).isEqualTo("a"));
        assertThat(onFragile.state().rejected()).containsOnlyKeys("vm3");
    }

    @Test
    void aStoreThatFailsWithEveryVmLosesNothingAndIsNotTriedForEach() {
        List<VmId> all = new ArrayList<>();
        for (int n = 0; n < 1_000; n++) {
            VmId vm = fragileVm(n);
            all.add(vm);
            fragile.breaking.add(vm);
            changeFragile(vm, "a");
        }
        writeFragile();
        assertThat(fragile.writes).isLessThan(15);
        assertThat(onFragile.state().rejected()).isEmpty();
        assertThat(onFragile.state().notDurableReason()).contains("cannot bind");

        fragile.breaking.clear();
        clock.advance(WriterSettings.DEFAULT.firstRetry());
        onFragile.writeDue();
        assertThat(all).allSatisfy(vm -> assertThat(osOf(vm)).isEqualTo("a"));
    }

    @Test
    void aVmThatFailsAloneIsRefusedAfterThreeAttempts() {
        VmId bad = fragileVm(1);
        fragile.breaking.add(bad);
        changeFragile(bad, "a");
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThat(onFragile.state().rejected()).isEmpty();
            clock.advance(WriterSettings.DEFAULT.longestRetry());
            onFragile.writeDue();
        }
        assertThat(onFragile.state().rejected()).containsOnlyKeys("vm1");
        assertThat(onFragile.state().notDurableSince()).isNull();
    }

    @Test
    void aVmThatFailsAloneIsNotBlamedForTheAttemptsOfAnother() {
        VmId first = fragileVm(1);
        VmId second = fragileVm(2);
        fragile.breaking.addAll(List.of(first, second));
        changeFragile(first, "a");
        for (int attempt = 0; attempt < 3; attempt++) {
            tryAgain();
        }
        assertThat(onFragile.state().rejected()).containsOnlyKeys("vm1");

        changeFragile(second, "a");
        tryAgain();
        assertThat(onFragile.state().rejected()).containsOnlyKeys("vm1");
        tryAgain();
        tryAgain();
        assertThat(onFragile.state().rejected()).containsOnlyKeys("vm1", "vm2");
    }

    private void tryAgain() {
        clock.advance(WriterSettings.DEFAULT.longestRetry());
        onFragile.writeDue();
    }

    @Test
    void hostsThatCannotBeWrittenKeepNeitherVmsNorTasksFromBeingWritten() {
        HostId bad = new HostId(new UUID(1, 2));
        storedHost(HOST);
        storedHost(bad);
        breakingHosts.addAll(List.of(HOST, bad));
        VmId vm = fragileVm(1);
        List<String> done = new ArrayList<>();
        onFragile.changed(HostChange.of(HOST, silent(1)));
        onFragile.changed(HostChange.of(bad, silent(1)));
        onFragile.perform(task(() -> new WriteOutcome.Written(0, List.of()), done));
        changeFragile(vm, "a");

        tryAgain();

        assertThat(osOf(vm)).isEqualTo("a");
        assertThat(done).containsExactly("written");
        assertThat(onFragile.state().rejected()).isEmpty();
        assertThat(onFragile.state().notDurableReason()).contains("cannot bind");

        for (int attempt = 0; attempt < 3; attempt++) {
            changeFragile(vm, "b" + attempt);
            tryAgain();
            assertThat(osOf(vm)).isEqualTo("b" + attempt);
        }
        assertThat(onFragile.state().rejected()).containsOnlyKeys("host1", "host2");
        assertThat(onFragile.state().notDurableSince())
                .as("the database works, for VMs, all the time")
                .isNull();

        breakingHosts.clear();
        onFragile.changed(HostChange.of(HOST, silent(1)));
        onFragile.changed(HostChange.of(bad, silent(1)));
        tryAgain();
        assertThat(hosts.condition(bad)).isEqualTo(silent(1));
        assertThat(onFragile.state().rejected()).isEmpty();
    }

    @Test
    void hostsAreNotRefusedWhileNothingElseIsWritten() {
        HostId bad = new HostId(new UUID(1, 2));
        storedHost(HOST);
        storedHost(bad);
        breakingHosts.addAll(List.of(HOST, bad));
        VmId vm = fragileVm(1);
        onFragile.changed(HostChange.of(HOST, silent(1)));
        onFragile.changed(HostChange.of(bad, silent(1)));
        for (int attempt = 0; attempt < 20; attempt++) {
            tryAgain();
        }
        fragile.goesAwayAfter = 0;
        changeFragile(vm, "a");
        for (int attempt = 0; attempt < 20; attempt++) {
            tryAgain();
        }

        assertThat(onFragile.state().rejected()).isEmpty();
        assertThat(onFragile.state().waiting()).isEqualTo(3);
    }

    @Test
    void anUnavailableStoreStopsTheOthers() {
        storedHost(HOST);
        hosts.unavailable("gone");
        onFragile.changed(HostChange.of(HOST, silent(1)));
        changeFragile(fragileVm(1), "a");

        tryAgain();

        assertThat(fragile.writes).isZero();
        assertThat(onFragile.state().waiting()).isEqualTo(2);
    }

    @Test
    void brokenVmsHideOthersFromSomeAttemptsOnlyWhereverTheyAre() {
        for (int size : new int[] {3, 5, 20, 1_000}) {
            for (int step : new int[] {1, 2, 3}) {
                brokenVmsHideNoOther(size, step);
            }
        }
    }

    /** All are broken but each second or third; of step 1 the lowest two only. */
    private void brokenVmsHideNoOther(int size, int step) {
        List<VmId> all = new ArrayList<>();
        for (int n = 1; n <= size; n++) {
            VmId vm = fragileVm(n);
            all.add(vm);
            if (step == 1 ? n <= 2 : n % step != 0) {
                fragile.breaking.add(vm);
            }
            changeFragile(vm, size + " " + step);
        }
        for (int attempt = 0; attempt < 2 + size / 2; attempt++) {
            tryAgain();
        }
        assertThat(all)
                .filteredOn(vm -> !fragile.breaking.contains(vm))
                .isNotEmpty()
                .allSatisfy(vm -> assertThat(osOf(vm)).isEqualTo(size + " " + step));
        assertThat(onFragile.state().rejected()).hasSize(Math.min(100, fragile.breaking.size()));
        assertThat(onFragile.state().notDurableSince()).isNull();
        fragile.breaking.clear();
        all.forEach(onFragile::forget);
    }

    @Test
    void aRowWithWhichTheStoreRunsOutOfItsStackKeepsNoOtherFromBeingWritten() {
        VmId good = fragileVm(1);
        VmId bad = fragileVm(2);
        fragile.badly = true;
        fragile.breaking.add(bad);
        List<String> done = new ArrayList<>();
        onFragile.perform(
                task(
                        () -> {
                            throw new NoClassDefFoundError("gone");
                        },
                        done));
        changeFragile(good, "a");
        changeFragile(bad, "a");

        writeFragile();

        assertThat(done).containsExactly("abandoned");
        assertThat(osOf(good)).isEqualTo("a");
        assertThat(onFragile.state().rejected()).containsOnlyKeys("vm2");
        assertThat(onFragile.state().waiting()).isZero();
    }

    private void write() {
        clock.advance(LINGER);
        writer.writeDue();
    }

    private VmId stored(int n) {
        VmId vm = new VmId(1, n);
        vms.put(fresh(vm));
        return vm;
    }

    private static StoredVm fresh(VmId vm) {
        return new StoredVm(
                vm,
                new VmStatic(
                        "vm" + vm.leastSignificantBits(),
                        VmOrigin.OVIRT,
                        false,
                        1,
                        1,
                        1,
                        1,
                        1,
                        List.of()),
                VmRuntime.INITIAL,
                VmPlacement.NOWHERE);
    }

    private void change(VmId vm, VmStatus status, RuntimeFields fields, String os) {
        VmRuntime runtime =
                VmRuntime.INITIAL.with(RuntimeField.STATUS, status).with(RuntimeField.GUEST_OS, os);
        writer.changed(
                vm,
                runtime,
                fields,
                VmPlacement.NOWHERE,
                PlacementFields.NONE,
                List.of(),
                clock.nanoTime());
    }
}
