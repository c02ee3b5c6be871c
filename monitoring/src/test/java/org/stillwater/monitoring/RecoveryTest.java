package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.groups.Tuple.tuple;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.ScriptedReports;

/** Recovery after an outage of the database, and after a restart of the engine. */
class RecoveryTest {

    private static final UUID OPERATION = new UUID(6, 6);

    private final Lab lab = new Lab();

    @Test
    @DisplayName(
            "S95 a highly available VM that is down with an error is queued without any report")
    void failuresBeforeTheStartAreQueuedWithoutAReport() throws Exception {
        stored(vmId(1), true, VmStatus.DOWN, ExitStatus.ERROR, 3);
        stored(vmId(2), false, VmStatus.DOWN, ExitStatus.ERROR, 3);
        stored(vmId(3), true, VmStatus.DOWN, ExitStatus.NORMAL, 3);
        stored(vmId(4), true, VmStatus.SUSPENDED, ExitStatus.ERROR, 3);
        // It moved and was not seen again: its end is unknown.
        stored(vmId(5), true, VmStatus.DOWN, ExitStatus.UNKNOWN, 3);

        lab.engine.startWithoutThreads();
        lab.settle();

        assertThat(lab.engine.pendingWork().open())
                .extracting(OpenWork::work)
                .containsExactly(
                        new PendingWork(
                                vmId(1),
                                WorkKind.HA_RESTART,
                                3,
                                null,
                                "it was down with an error when the engine started"));
        assertThat(lab.vms.openWork()).isEqualTo(lab.engine.pendingWork().open());
        assertThat(lab.meters.get("stillwater.work.open").gauge().value()).isOne();
    }

    @Test
    void aHostOfAClusterThatCannotBeReadIsNotWatchedAndCostsNoVm() throws Exception {
        HostDefinition odd =
                new HostDefinition(
                        BETA, "odd", "odd.example", 54321, new ClusterId(new UUID(0, 77)));
        lab.hosts.put(odd, HostStatus.UP);
        lab.storedHosts(ALPHA).storedVm(VM, BETA, VmStatus.UP).started();
        lab.answer(ALPHA, _ -> {}).settle();
        lab.clock.advance(Duration.ofHours(1));
        lab.settle();

        assertThat(lab.connector.opened()).containsOnly(ALPHA);
        assertThat(lab.engine.fleet().hosts())
                .extracting(host -> host.state().definition().id())
                .containsExactly(ALPHA);
        assertThat(lab.engine.pendingWork().open()).isEmpty();
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.UP);

        lab.engine
                .administration()
                .ensureHosts(
                        List.of(
                                new HostDefinition(
                                        new HostId(new UUID(0, 78)), "odd", "other.example", 1)));
        assertThat(lab.engine.health().refusedHosts())
                .singleElement()
                .asString()
                .contains("odd", "was not recovered");
        assertThat(lab.engine.fleet().hosts()).hasSize(1);
    }

    @Test
    @DisplayName("S95 starting again and again queues the restart of one run once")
    void startingAgainQueuesNothingTwice() throws Exception {
        stored(VM, true, VmStatus.DOWN, ExitStatus.ERROR, 1);
        lab.started().settle();
        List<OpenWork> first = lab.engine.pendingWork().open();
        assertThat(first).hasSize(1);

        lab.restarted().settle();
        assertThat(lab.engine.pendingWork().open()).isEqualTo(first);

        assertThat(lab.engine.pendingWork().takeOver(first.getFirst().work(), OPERATION)).isTrue();
        assertThat(lab.engine.pendingWork().open()).isEmpty();
        lab.restarted().settle();
        assertThat(lab.engine.pendingWork().open()).as("somebody does it already").isEmpty();
        assertThat(lab.vms.openWork()).isEmpty();
    }

    /** The point at which the engine crashes while it saves a failure. */
    enum Crash {
        BEFORE_THE_WRITE,
        AFTER_THE_COMMIT_BEFORE_ITS_ANSWER,
        AFTER_THE_WRITE,
        AFTER_THE_HOST_FORGOT_THE_VM
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "S95 a crash at any point between a failure and its restart loses and doubles nothing")
    void aCrashAtAnyPointLosesNothing(Crash crash) throws Exception {
        stored(VM, true, VmStatus.UP, ExitStatus.NORMAL, 4);
        StoredVm up = lab.vms.vm(VM);
        lab.vms.put(
                new StoredVm(VM, up.definition(), up.runtime(), up.placement().withRunOn(ALPHA)));
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP))).settle();
        lab.event(ALPHA, RecoveryTest::failed);
        switch (crash) {
            case BEFORE_THE_WRITE -> lab.vms.unavailable("gone");
            case AFTER_THE_COMMIT_BEFORE_ITS_ANSWER -> {
                lab.vms.loseNextAnswer();
                lab.settle();
                lab.vms.unavailable("gone");
            }
            case AFTER_THE_WRITE -> lab.settle();
            case AFTER_THE_HOST_FORGOT_THE_VM -> {
                lab.settle();
                lab.host(ALPHA).answerDestroys();
                lab.settle();
            }
        }
        boolean forgotten = crash == Crash.AFTER_THE_HOST_FORGOT_THE_VM;
        assertThat(lab.host(ALPHA).destroyed())
                .hasSize(forgotten || crash == Crash.AFTER_THE_WRITE ? 1 : 0);
        lab.engine.close();
        lab.vms.unavailable(null);

        List<WorkKind> told = new ArrayList<>();
        lab.restarted();
        lab.engine.pendingWork().listen(open -> told.add(open.work().kind()));
        lab.answer(
                        ALPHA,
                        poll -> {
                            if (!forgotten) {
                                failed(poll);
                            }
                        })
                .settle();
        lab.cycle(ALPHA, _ -> {});

        assertThat(told).containsExactlyInAnyOrder(WorkKind.HA_RESTART, WorkKind.PROCESS_DOWN);
        assertThat(lab.vms.openWork()).isEqualTo(lab.engine.pendingWork().open()).hasSize(2);
        assertThat(lab.vms.openWork()).allMatch(open -> open.work().generation() == 4);
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(lab.vms.vm(VM).runtime().text(RuntimeField.EXIT_MESSAGE)).isEqualTo("qemu died");

        for (OpenWork open : lab.engine.pendingWork().open()) {
            assertThat(lab.engine.pendingWork().takeOver(open.work(), OPERATION)).isTrue();
        }
        lab.restarted().settle();
        lab.answer(ALPHA, _ -> {}).settle();
        assertThat(lab.engine.pendingWork().open()).as("done is done").isEmpty();
    }

    private static void failed(ScriptedReports reports) {
        reports.exited(VM, 200, ExitStatus.ERROR, ExitReason.GENERIC_ERROR, "qemu died");
    }

    @Test
    void aListenerGetsEachOpenWorkOnceAtAnyTime() throws Exception {
        stored(vmId(1), true, VmStatus.DOWN, ExitStatus.ERROR, 1);
        lab.started().settle();
        lab.clock.advance(Duration.ofSeconds(1));
        stored(vmId(2), true, VmStatus.DOWN, ExitStatus.ERROR, 1);
        lab.restarted().settle();

        List<VmId> told = new ArrayList<>();
        lab.engine.pendingWork().listen(open -> told.add(open.work().vmId()));
        lab.settle();

        assertThat(told).as("recovered, then queued at start").containsExactly(vmId(1), vmId(2));
    }

    @Test
    void aListenerThatFailsKeepsNoWorkFromBeingOpen() throws Exception {
        stored(vmId(1), true, VmStatus.DOWN, ExitStatus.ERROR, 1);
        stored(vmId(2), true, VmStatus.DOWN, ExitStatus.ERROR, 1);
        List<VmId> told = new ArrayList<>();
        lab.engine
                .pendingWork()
                .listen(open -> {
                    told.add(open.work().vmId());
                    throw new IllegalStateException("bug");
                });

        lab.started().settle();

        assertThat(told).containsExactly(vmId(1), vmId(2));
        assertThat(lab.engine.pendingWork().open()).hasSize(2);
    }

    @Test
    void aRemovedVmLeavesNoOpenWork() throws Exception {
        stored(vmId(1), true, VmStatus.DOWN, ExitStatus.ERROR, 1);
        stored(vmId(2), true, VmStatus.DOWN, ExitStatus.ERROR, 1);
        lab.started().settle();

        assertThat(lab.engine.commandAccess().forget(vmId(1))).isTrue();

        assertThat(lab.engine.pendingWork().open())
                .extracting(open -> open.work().vmId())
                .containsExactly(vmId(2));
    }

    @Test
    void workHasOneOwner() throws Exception {
        stored(VM, true, VmStatus.DOWN, ExitStatus.ERROR, 1);
        lab.started().settle();
        PendingWork work = lab.engine.pendingWork().open().getFirst().work();

        assertThat(lab.engine.pendingWork().takeOver(work, OPERATION)).isTrue();
        assertThat(lab.engine.pendingWork().takeOver(work, new UUID(7, 7))).isFalse();
        assertThat(lab.engine.pendingWork().takeOver(work, OPERATION)).as("asked again").isTrue();
    }

    @Test
    void workStaysOpenWhileTheDatabaseCannotGiveItAway() throws Exception {
        stored(VM, true, VmStatus.DOWN, ExitStatus.ERROR, 1);
        lab.started().settle();
        PendingWork work = lab.engine.pendingWork().open().getFirst().work();
        lab.vms.unavailable("gone");

        assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(() -> lab.engine.pendingWork().takeOver(work, OPERATION));
        assertThat(lab.engine.pendingWork().open()).hasSize(1);

        lab.vms.unavailable(null);
        assertThat(lab.engine.pendingWork().takeOver(work, OPERATION)).isTrue();
        assertThat(lab.engine.pendingWork().open()).isEmpty();
    }

    @Test
    @DisplayName(
            "S14 S16 a VM that fails leaves its run and its host, and its restart, in one write")
    void aFailureIsOneWriteWithItsWork() throws Exception {
        stored(VM, true, VmStatus.UP, ExitStatus.NORMAL, 1);
        StoredVm plain = lab.vms.vm(VM);
        VmRun run = Samples.run(4);
        lab.vms.put(
                new StoredVm(
                        VM,
                        plain.definition(),
                        plain.runtime(),
                        VmPlacement.on(ALPHA).withRun(run)));
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP))).settle();
        int writes = lab.vms.writes().size();

        lab.event(
                ALPHA,
                event -> event.exited(VM, 200, ExitStatus.ERROR, ExitReason.GENERIC_ERROR, "qemu"));
        lab.settle();

        assertThat(lab.vms.writes().subList(writes, lab.vms.writes().size()))
                .singleElement()
                .satisfies(write ->
                        assertThat(write.work())
                                .extracting(open -> open.work().kind())
                                .containsExactlyInAnyOrder(
                                        WorkKind.PROCESS_DOWN, WorkKind.HA_RESTART));
        assertThat(lab.vms.vm(VM).placement().runOn()).isNull();
        assertThat(lab.vms.vm(VM).placement().run()).isEqualTo(run.ended());
        assertThat(lab.vms.openWork())
                .allMatch(open -> open.work().generation() == run.generation())
                .hasSize(2);
        assertThat(lab.engine.pendingWork().open()).isEqualTo(lab.vms.openWork());
    }

    @Test
    @DisplayName("T12 a VM with an unsaved end does not count as vanished")
    void anEndThatCouldNotBeSavedIsKept() throws Exception {
        upOnAlpha();
        lab.vms.unavailable("gone");
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM, 200, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "by user"));
        lab.settle();
        assertThat(lab.host(ALPHA).destroyed()).as("not before it is durable").isEmpty();

        lab.cycle(ALPHA, _ -> {});
        lab.cycle(ALPHA, _ -> {});
        assertEndedByUser(lab.vm(VM).state().runtime());

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(5));
        lab.settle();
        assertEndedByUser(lab.vms.vm(VM).runtime());
        assertThat(lab.vms.vm(VM).placement().runOn()).isNull();
        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
    }

    @Test
    @DisplayName("T12 after a crash before the end was saved, the host still reports the exit data")
    void aCrashBeforeTheEndWasSavedLosesNoExitData() throws Exception {
        upOnAlpha();
        lab.vms.unavailable("gone");
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM, 200, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "by user"));
        lab.settle();
        lab.engine.close();
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.UP);
        assertThat(lab.host(ALPHA).destroyed()).as("so the host still has it").isEmpty();

        lab.vms.unavailable(null);
        lab.restarted();
        lab.answer(
                ALPHA,
                poll ->
                        poll.exited(
                                VM, 200, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "by user"));
        lab.settle();

        assertEndedByUser(lab.vms.vm(VM).runtime());
    }

    private static void assertEndedByUser(VmRuntime runtime) {
        assertThat(runtime.status()).isEqualTo(VmStatus.DOWN);
        assertThat(runtime.exitStatus()).isEqualTo(ExitStatus.NORMAL);
        assertThat(runtime.value(RuntimeField.EXIT_REASON)).isEqualTo(ExitReason.USER_SHUTDOWN);
    }

    @Test
    @DisplayName(
            "T14 while the database is down for a minute polls and events go on, then all is saved")
    void aMinuteWithoutADatabaseIsMadeUpFor() throws Exception {
        upOnAlpha();
        lab.storedVm(OTHER, ALPHA, VmStatus.UP);
        lab.vms.unavailable("connection refused");
        lab.hosts.unavailable("connection refused");
        double polls = lab.counter("stillwater.cycle.vms");

        for (int cycle = 0; cycle < 4; cycle++) {
            int stamp = 1_000 * (cycle + 1);
            lab.cycle(
                    ALPHA,
                    poll ->
                            poll.running(
                                    VM,
                                    stamp,
                                    draft ->
                                            draft.set(RuntimeField.STATUS, VmStatus.UP)
                                                    .set(RuntimeField.GUEST_OS, "OS " + stamp)));
            lab.event(ALPHA, event -> event.running(VM, stamp + 1, status(VmStatus.POWERING_DOWN)));
            assertThat(lab.status(VM)).isEqualTo(VmStatus.POWERING_DOWN);
        }
        assertThat(lab.counter("stillwater.cycle.vms") - polls).isEqualTo(4);
        assertThat(lab.engine.health().isDurable()).isFalse();
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.UP);

        lab.vms.unavailable(null);
        lab.hosts.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(5));
        lab.settle();

        assertThat(lab.engine.health().isDurable()).isTrue();
        assertThat(lab.vms.vm(VM).runtime()).isEqualTo(lab.vm(VM).state().runtime());
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(lab.vms.vm(VM).runtime().text(RuntimeField.GUEST_OS)).isEqualTo("OS 4000");
    }

    @Test
    void hostsAreConnectedOneAfterTheOtherAfterAStart() throws Exception {
        HostId[] few = hosts(20);
        lab.storedHosts(few);
        lab.engine.startWithoutThreads();
        lab.pump();
        for (int i = 0; i < few.length; i++) {
            assertThat(lab.connector.opened()).hasSize(i + 1);
            lab.clock.advance(lab.settings.hosts().connectSpacing());
            lab.pump();
        }
        assertThat(lab.connector.opened()).containsExactly(few);
    }

    @Test
    void manyHostsShareTheTimeThatIsSpreadOver() throws Exception {
        HostId[] many = hosts(2_000);
        lab.storedHosts(many);
        lab.engine.startWithoutThreads();
        Duration spread = lab.settings.hosts().connectSpread();
        for (int tenth = 0; tenth < 10; tenth++) {
            lab.pump();
            assertThat(lab.connector.opened().size())
                    .isBetween(tenth * many.length / 10, tenth * many.length / 10 + 1);
            lab.clock.advance(spread.dividedBy(10));
        }
        lab.pump();
        assertThat(lab.connector.opened()).hasSize(many.length);
    }

    private static HostId[] hosts(int count) {
        HostId[] ids = new HostId[count];
        Arrays.setAll(ids, i -> Lab.hostId(i + 1));
        return ids;
    }

    @Test
    @DisplayName("S94 after a restart statistics are empty until the first poll")
    void statisticsAreEmptyBeforeTheFirstPoll() throws Exception {
        upOnAlpha();
        assertThat(lab.engine.fleet().statistics(VM)).isNotNull();

        lab.restarted();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.vm(VM).lastReportAt()).isNull();
        assertThat(lab.engine.fleet().statistics(VM)).isNull();
        lab.answer(ALPHA, poll -> poll.running(VM, 300, status(VmStatus.UP)));
        assertThat(lab.engine.fleet().statistics(VM)).isNotNull();
    }

    @Test
    @DisplayName("S93 what its host no longer has after a restart went down with an error, once")
    void vmsGoneAfterARestartGoDownOnce() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(VM, 100, status(VmStatus.UP))
                                .running(OTHER, 100, status(VmStatus.UP)));
        lab.settle();
        lab.restarted();
        int writes = lab.vms.writes().size();

        lab.answer(ALPHA, poll -> poll.running(VM, 200, status(VmStatus.UP))).settle();
        lab.cycle(ALPHA, poll -> poll.running(VM, 300, status(VmStatus.UP)));
        lab.restarted();
        lab.answer(ALPHA, poll -> poll.running(VM, 400, status(VmStatus.UP))).settle();

        assertThat(lab.vms.writes().subList(writes, lab.vms.writes().size()))
                .as("the VM that is there is quiet, the other is written once")
                .singleElement()
                .satisfies(write -> assertThat(write.vmId()).isEqualTo(OTHER));
        assertThat(lab.vms.vm(OTHER).runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(lab.vms.vm(OTHER).runtime().exitStatus()).isEqualTo(ExitStatus.ERROR);
        assertThat(lab.vms.vm(OTHER).placement().runOn()).isNull();
        assertThat(lab.engine.pendingWork().open())
                .extracting(open -> open.work().kind(), open -> open.work().vmId())
                .containsExactly(tuple(WorkKind.PROCESS_DOWN, OTHER));
    }

    private void upOnAlpha() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP))).settle();
    }

    private void stored(VmId id, boolean available, VmStatus status, ExitStatus exit, int runs) {
        VmPlacement placement = VmPlacement.NOWHERE;
        for (int run = 0; run < runs; run++) {
            placement = placement.withRun(placement.run().next());
        }
        VmStatic plain = Lab.defined(id, VmOrigin.OVIRT);
        lab.vms.put(
                new StoredVm(
                        id,
                        new VmStatic(
                                plain.name(),
                                plain.origin(),
                                available,
                                plain.memoryMebibytes(),
                                plain.guaranteedMemoryMebibytes(),
                                plain.sockets(),
                                plain.coresPerSocket(),
                                plain.threadsPerCore(),
                                plain.nics()),
                        VmRuntime.INITIAL
                                .with(RuntimeField.STATUS, status)
                                .with(RuntimeField.EXIT_STATUS, exit),
                        placement));
    }
}
