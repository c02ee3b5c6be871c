package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.analysis.host.HostLimits;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostMonitorSettings;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.testkit.ScriptedReports;

class EventsAndPollsTest {

    private final Lab lab = new Lab();

    @Test
    void aChangeReachesMemoryAtOnceAndTheDatabaseSoonAfter() throws Exception {
        upOnAlpha();

        lab.event(ALPHA, event -> event.running(VM, 200, status(VmStatus.REBOOT_IN_PROGRESS)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.REBOOT_IN_PROGRESS);
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.UP);
        lab.settle();
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.REBOOT_IN_PROGRESS);
        assertThat(lab.vms.runtimeWrites())
                .singleElement()
                .satisfies(write ->
                        assertThat(write.fields())
                                .isEqualTo(RuntimeFields.of(RuntimeField.STATUS)));
    }

    @Test
    @DisplayName("8a.49 an event with a status only leaves all other data unchanged")
    void anEventWithAStatusOnlyLeavesOtherDataUnchanged() throws Exception {
        upOnAlpha();
        lab.cycle(
                ALPHA,
                poll ->
                        poll.running(
                                VM,
                                200,
                                draft ->
                                        draft.set(RuntimeField.STATUS, VmStatus.UP)
                                                .set(RuntimeField.GUEST_OS, "Linux")));

        lab.event(ALPHA, event -> event.running(VM, 300, status(VmStatus.POWERING_DOWN)));

        assertThat(lab.vm(VM).state().runtime().text(RuntimeField.GUEST_OS)).isEqualTo("Linux");
    }

    @Test
    @DisplayName("8a.51 a report older than the last accepted one of the same host is dropped")
    void anOlderReportOfTheSameHostIsDropped() throws Exception {
        upOnAlpha();
        lab.event(ALPHA, event -> event.running(VM, 300, status(VmStatus.POWERING_DOWN)));

        lab.event(ALPHA, event -> event.running(VM, 250, status(VmStatus.UP)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(lab.counter("stillwater.reports", "outcome", "stale_report")).isOne();
    }

    @Test
    @DisplayName("8a.52 after a reboot of the host its clock starts again and reports are accepted")
    void afterAHostRebootStampsStartAgain() throws Exception {
        upOnAlpha();
        lab.event(ALPHA, event -> event.running(VM, 1_000_000, status(VmStatus.POWERING_DOWN)));
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("reset"));
        lab.host(ALPHA).connect();
        lab.pump();
        lab.host(ALPHA).answerCapabilities("boot-2");
        lab.pump();

        lab.event(ALPHA, event -> event.running(VM, 5, status(VmStatus.POWERING_UP)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.POWERING_UP);
    }

    @Test
    @DisplayName("8a.52 the first complete poll of a new connection is accepted with any clock")
    void theFirstPollOfANewConnectionIsAccepted() throws Exception {
        upOnAlpha();
        lab.event(ALPHA, event -> event.running(VM, 1_000_000, status(VmStatus.POWERING_DOWN)));
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("reset"));
        lab.clock.advance(Duration.ofSeconds(1));
        lab.connect(ALPHA);

        lab.answer(ALPHA, poll -> poll.running(VM, 5, status(VmStatus.UP)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    /** A VM that migrates as it was ordered to. */
    private void migratesFrom(HostId source, HostId destination) throws Exception {
        lab.storedHosts(ALPHA, BETA);
        lab.vms.put(
                new StoredVm(
                        VM,
                        Lab.defined(VM, VmOrigin.OVIRT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                        VmPlacement.on(source).withMigratingTo(destination)));
        lab.started();
    }

    @Test
    @DisplayName("8a.53 a report of another host is not dropped for its stamp")
    void aReportOfAnotherHostIsNotDroppedForItsStamp() throws Exception {
        migratesFrom(ALPHA, BETA);
        lab.answer(ALPHA, poll -> poll.running(VM, 5_000, status(VmStatus.MIGRATING_FROM)));

        lab.event(BETA, event -> event.running(VM, 3, status(VmStatus.UP)));

        assertThat(lab.owner(VM)).isEqualTo(BETA);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("8a.54 an event that arrives while a poll is under way wins over the older poll")
    void anEventDuringAPollWinsOverTheOlderPoll() throws Exception {
        upOnAlpha();
        nextPollAsked();
        lab.event(ALPHA, event -> event.running(VM, 500, status(VmStatus.POWERING_DOWN)));

        lab.answer(ALPHA, poll -> poll.running(VM, 400, status(VmStatus.UP)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.POWERING_DOWN);
    }

    @Test
    @DisplayName("8a.54 a poll that was made after the event wins, though it was asked for before")
    void aPollMadeAfterTheEventWins() throws Exception {
        upOnAlpha();
        nextPollAsked();
        lab.event(ALPHA, event -> event.running(VM, 500, status(VmStatus.POWERING_DOWN)));

        lab.answer(ALPHA, poll -> poll.running(VM, 600, status(VmStatus.UP)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("8a.55 an event storm is bounded, counted, and repaired by a poll at once")
    void anEventStormIsBoundedAndRepairedByAPoll() throws Exception {
        lab.with(
                new MonitoringSettings(
                        new HostMonitorSettings(
                                Duration.ofSeconds(15),
                                Duration.ofMinutes(4),
                                Duration.ofSeconds(10),
                                Duration.ofMillis(10),
                                100,
                                1 << 20,
                                Duration.ofSeconds(1),
                                50,
                                1_000,
                                1_000,
                                DomainXmlReader.USUAL_LIMIT,
                                4,
                                Duration.ofMinutes(10),
                                HostLimits.DEFAULT,
                                "HostedEngine",
                                Duration.ofSeconds(20),
                                Duration.ofMinutes(5),
                                Duration.ofSeconds(3),
                                MonitoringSettings.DEFAULT.hosts().policy(),
                                MonitoringSettings.DEFAULT.hosts().watchdog(),
                                MonitoringSettings.DEFAULT.hosts().slowAnswer(),
                                MonitoringSettings.DEFAULT.hosts().checks(),
                                MonitoringSettings.DEFAULT.hosts().flood()),
                        MonitoringSettings.DEFAULT.writer(),
                        MonitoringSettings.DEFAULT.feed(),
                        40,
                        MonitoringSettings.DEFAULT.warehouse().withDumpInterval(Duration.ZERO)));
        upOnAlpha();
        ScriptedReports first = null;
        for (int i = 0; i < 10_000; i++) {
            int stamp = 1_000 + i;
            VmStatus seen = i % 2 == 0 ? VmStatus.POWERING_DOWN : VmStatus.UP;
            ScriptedReports event =
                    ScriptedReports.event(lab.clock.nanoTime()).running(VM, stamp, status(seen));
            first = first == null ? event : first;
            lab.host(ALPHA).listener().vmsChanged(event);
        }
        lab.clock.advance(Duration.ofSeconds(1));

        lab.pump();

        assertThat(first.isClosed()).as("dropped events free their buffers").isTrue();
        assertThat(lab.counter("stillwater.mailbox.dropped")).isEqualTo(9_900);
        assertThat(lab.status(VM)).as("the newest event is kept").isEqualTo(VmStatus.UP);
        assertThat(lab.host(ALPHA).pollsWaiting()).as("repairing poll").isOne();
        lab.settle();
        assertThat(lab.vms.rows()).as("the storm was written as one change at most").isZero();
    }

    @Test
    @DisplayName("8a.56 an exit leads to exactly one destroy, after the exit is durable")
    void anExitLeadsToExactlyOneDestroyAfterTheCommit() throws Exception {
        upOnAlpha();
        nextPollAsked();
        lab.event(ALPHA, event -> exited(event, 500));
        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.host(ALPHA).destroyed()).as("not before the commit").isEmpty();

        lab.settle();
        lab.event(ALPHA, event -> exited(event, 501));
        lab.answer(ALPHA, poll -> exited(poll, 502));
        lab.host(ALPHA).answerDestroys();
        lab.settle();

        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
        assertThat(lab.vms.vm(VM).runtime().exitMessage()).isEqualTo("bye");
        assertThat(lab.vms.vm(VM).placement().runOn()).isNull();
    }

    @Test
    @DisplayName("a shadow leaves an exited VM to the other engine, without an order or a warning")
    void aShadowDestroysNothing() throws Exception {
        upOnAlpha();
        lab.host(ALPHA).readOnly();
        lab.event(ALPHA, event -> exited(event, 500)).settle();
        lab.cycle(ALPHA, poll -> exited(poll, 600));

        assertThat(lab.host(ALPHA).destroyed()).isEmpty();
        assertThat(lab.counter("stillwater.vm.destroys")).isZero();
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.DOWN);
    }

    @Test
    void nothingIsDestroyedWhileTheDatabaseCannotTakeTheReason() throws Exception {
        upOnAlpha();
        lab.vms.unavailable("gone");

        lab.event(ALPHA, event -> exited(event, 500)).settle();
        assertThat(lab.host(ALPHA).destroyed()).isEmpty();

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(10));
        lab.settle();
        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
    }

    @Test
    void aFailedDestroyIsTriedAgainAtTheNextReport() throws Exception {
        upOnAlpha();
        lab.event(ALPHA, event -> exited(event, 500)).settle();
        lab.host(ALPHA).failCalls(new HostFailure.TimedOut("VM.destroy", 1));
        lab.pump();

        lab.cycle(ALPHA, poll -> exited(poll, 600));

        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM, VM);
    }

    @Test
    @DisplayName("8a.57 a VM that a complete poll does not mention has disappeared")
    void aVmThatACompletePollDoesNotMentionHasDisappeared() throws Exception {
        upOnAlpha();

        lab.cycle(ALPHA, _ -> {});

        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.vm(VM).state().runtime().exitStatus()).isEqualTo(ExitStatus.ERROR);
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.DOWN);
    }

    @Test
    @DisplayName("8a.57 a VM that an event does not mention is as it was")
    void aVmMissingInAnEventIsUnchanged() throws Exception {
        upOnAlpha();

        lab.event(ALPHA, event -> event.running(Lab.vmId(99), 1, status(VmStatus.MIGRATING_TO)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    void aFailedPollMakesNoVmAbsent() throws Exception {
        upOnAlpha();
        nextPollAsked();

        lab.host(ALPHA).failPoll(new HostFailure.TimedOut("Host.getAllVmStats", 180_000));
        lab.settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    void aRecoveringHostIsInitializingAndKeepsItsVms() throws Exception {
        upOnAlpha();
        nextPollAsked();

        lab.host(ALPHA).failPoll(new HostFailure.Recovering("starting"));
        lab.settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.INITIALIZING);
    }

    @Test
    void aPollThatEndsInNonsenseMakesNoVmAbsentAndIsNamed() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();

        lab.answer(
                ALPHA,
                poll ->
                        poll.running(VM, 100, status(VmStatus.POWERING_DOWN))
                                .thenNonsense("unexpected end"));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(lab.status(OTHER)).isEqualTo(VmStatus.UP);
        assertThat(lab.engine.health().unwell())
                .singleElement()
                .extracting(HostHealth::warnings)
                .satisfies(warnings -> assertThat(warnings).containsKey("poll not understood"));
    }

    @Test
    void aVmWithAnUnreadableReportIsNotAbsent() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();

        lab.answer(
                ALPHA,
                poll ->
                        poll.unreadable(VM, "status is a list")
                                .running(OTHER, 100, status(VmStatus.POWERING_DOWN)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.status(OTHER)).isEqualTo(VmStatus.POWERING_DOWN);
    }

    @Test
    void aVmThatAppearedAfterTheRequestOfThePollIsNotAbsent() throws Exception {
        migratesFrom(BETA, ALPHA);
        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
        lab.event(ALPHA, event -> event.running(VM, 10, status(VmStatus.UP)));

        lab.answer(ALPHA, _ -> {});

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.owner(VM)).isEqualTo(ALPHA);
    }

    @Test
    @DisplayName("8a.60 many polls of a stable VM store nothing")
    void manyPollsOfAStableVmStoreNothing() throws Exception {
        upOnAlpha();
        int calls = lab.sqlCalls();
        long revision = lab.engine.fleet().revision();

        for (int i = 0; i < 240; i++) {
            int stamp = 1_000 * (i + 1);
            lab.cycle(ALPHA, poll -> poll.running(VM, stamp, status(VmStatus.UP)));
        }

        assertThat(lab.sqlCalls() - calls).isZero();
        assertThat(lab.engine.fleet().revision()).isEqualTo(revision);
    }

    @Test
    void theSameReportTwiceWritesOnce() throws Exception {
        upOnAlpha();
        for (int i = 0; i < 2; i++) {
            lab.event(ALPHA, event -> event.running(VM, 300, status(VmStatus.POWERING_DOWN)));
            lab.settle();
        }

        assertThat(lab.vms.runtimeWrites()).hasSize(1);
        assertThat(lab.vms.rows()).isOne();
    }

    @Test
    @DisplayName("8a.64 a migration ends on its destination when the source speaks first")
    void aMigrationEndsOnItsDestinationWhenTheSourceSpeaksFirst() throws Exception {
        migrating();

        lab.event(ALPHA, event -> migratedAway(event, 600));
        assertThat(lab.status(VM)).isNotEqualTo(VmStatus.DOWN);
        lab.event(BETA, event -> event.running(VM, 20, status(VmStatus.UP)));
        lab.event(ALPHA, event -> migratedAway(event, 601));
        lab.settle();

        endedOnBeta();
    }

    @Test
    @DisplayName("8a.64 a migration ends on its destination when the destination speaks first")
    void aMigrationEndsOnItsDestinationWhenTheDestinationSpeaksFirst() throws Exception {
        migrating();

        lab.event(BETA, event -> event.running(VM, 20, status(VmStatus.UP)));
        lab.event(ALPHA, event -> migratedAway(event, 600));
        lab.settle();

        endedOnBeta();
    }

    @Test
    @DisplayName("8a.65 post-copy on the source is not shown as a paused VM")
    void postCopyOnTheSourceIsNotShownAsAPausedVm() throws Exception {
        migrating();

        lab.event(
                ALPHA,
                event ->
                        event.running(
                                VM,
                                600,
                                draft ->
                                        draft.set(RuntimeField.STATUS, VmStatus.PAUSED)
                                                .set(
                                                        RuntimeField.PAUSE_STATUS,
                                                        PauseStatus.POSTCOPY)));

        assertThat(lab.status(VM)).isNotEqualTo(VmStatus.PAUSED);
        lab.event(BETA, event -> event.running(VM, 20, status(VmStatus.UP)));
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(
                                VM,
                                700,
                                draft ->
                                        draft.set(RuntimeField.STATUS, VmStatus.PAUSED)
                                                .set(
                                                        RuntimeField.PAUSE_STATUS,
                                                        PauseStatus.POSTCOPY)));
        assertThat(lab.owner(VM)).isEqualTo(BETA);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    void aPausedProcessElsewhereIsDestroyedOnlyOnceItsHostProvesToRunTheVm() throws Exception {
        lab.storedHosts(ALPHA, BETA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answer(BETA, _ -> {});

        lab.event(BETA, event -> event.running(VM, 20, status(VmStatus.PAUSED)));
        lab.event(BETA, event -> event.running(VM, 30, status(VmStatus.PAUSED)));
        assertThat(lab.host(BETA).destroyed()).isEmpty();

        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        lab.answer(ALPHA, poll -> poll.running(VM, 2_000, status(VmStatus.UP)));
        lab.event(BETA, event -> event.running(VM, 40, status(VmStatus.PAUSED)));
        lab.settle();
        assertThat(lab.host(BETA).destroyed()).containsExactly(VM);
    }

    @Test
    void aReportAboutALockedVmIsParkedNewestFirstAndAnalysedOnUnlock() throws Exception {
        upOnAlpha();
        VmManager vm = lab.engine.manager(VM);
        Thread command = heldBy(vm, VmManager::lock);
        lab.event(ALPHA, event -> event.running(VM, 500, status(VmStatus.POWERING_DOWN)));
        lab.event(ALPHA, event -> event.running(VM, 501, status(VmStatus.REBOOT_IN_PROGRESS)));
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);

        release(command);
        lab.settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.REBOOT_IN_PROGRESS);
        assertThat(lab.counter("stillwater.reports", "outcome", "parked")).isEqualTo(2);
    }

    @Test
    void aReportThatWasOvertakenOnItsWayDoesNotReplaceTheNewerOneThatIsParked() throws Exception {
        upOnAlpha();
        VmManager vm = lab.engine.manager(VM);
        Thread command = heldBy(vm, VmManager::lock);
        lab.event(ALPHA, event -> event.running(VM, 501, status(VmStatus.REBOOT_IN_PROGRESS)));
        lab.event(
                ALPHA,
                event ->
                        event.exited(VM, 500, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "late"));

        release(command);
        lab.settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.REBOOT_IN_PROGRESS);
    }

    @Test
    void aReportOfANewerConnectionReplacesAParkedOneWithAnyStamp() throws Exception {
        upOnAlpha();
        VmManager vm = lab.engine.manager(VM);
        Thread command = heldBy(vm, VmManager::lock);
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM, 90_000, ExitStatus.ERROR, ExitReason.GENERIC_ERROR, "before"));
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("it boots"));
        lab.settle();
        lab.host(ALPHA).connect();
        lab.settle();
        lab.event(ALPHA, event -> event.running(VM, 700, status(VmStatus.POWERING_UP)));

        release(command);
        lab.settle();

        assertThat(lab.status(VM)).isNotEqualTo(VmStatus.DOWN);
    }

    /** The poll over the new connection is too old to change the VM, and orders later reports. */
    @Test
    void anEventThatIsOlderThanASkippedPollOfANewerConnectionIsOld() throws Exception {
        upOnAlpha();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("its cable was pulled"));
        lab.clock.advance(Duration.ofSeconds(1));
        lab.connect(ALPHA);
        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
        lab.clock.advance(Duration.ofSeconds(2));
        VmManager vm = lab.engine.manager(VM);
        vm.lock();
        vm.changed(lab.clock.nanoTime(), null);
        vm.unlock();
        lab.clock.advance(Duration.ofMillis(1));
        lab.answer(ALPHA, poll -> poll.running(VM, 90_000, status(VmStatus.UP)));
        assertThat(lab.counter("stillwater.reports", "outcome", "stale_change")).isOne();

        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM, 80_000, ExitStatus.ERROR, ExitReason.GENERIC_ERROR, "before"));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.counter("stillwater.reports", "outcome", "stale_report")).isOne();
    }

    @Test
    void aReportRequestedBeforeAChangeByACommandIsSkippedAndRequestedAgain() throws Exception {
        upOnAlpha();
        nextPollAsked();
        lab.clock.advance(Duration.ofSeconds(2));
        VmManager vm = lab.engine.manager(VM);
        vm.lock();
        vm.changed(lab.clock.nanoTime(), null);
        vm.unlock();
        lab.clock.advance(Duration.ofMillis(1));

        lab.answer(ALPHA, poll -> poll.running(VM, 900, status(VmStatus.POWERING_DOWN)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.counter("stillwater.reports", "outcome", "stale_change")).isOne();
        lab.cycle(ALPHA, poll -> poll.running(VM, 1_900, status(VmStatus.POWERING_DOWN)));
        assertThat(lab.status(VM)).isEqualTo(VmStatus.POWERING_DOWN);
    }

    @Test
    void aCycleIsLeftOutWhileAPollIsPending() throws Exception {
        upOnAlpha();
        nextPollAsked();

        lab.clock.advance(Duration.ofSeconds(60));
        lab.pump();

        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
        assertThat(lab.counter("stillwater.cycle.skipped")).isPositive();
    }

    @Test
    void aPollThatIsNeverAnsweredIsGivenUp() throws Exception {
        upOnAlpha();
        nextPollAsked();
        lab.clock.advance(Duration.ofMinutes(5));
        lab.pump();

        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        lab.host(ALPHA).answerCapabilities("boot-1");
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        lab.pump();

        assertThat(lab.host(ALPHA).pollsWaiting()).isEqualTo(2);
        assertThat(lab.engine.health().unwell())
                .singleElement()
                .satisfies(health -> assertThat(health.pollOverdue()).isTrue());
    }

    @Test
    void aSilentHostMakesItsVmsUnknownAndAnswersBringThemBack() throws Exception {
        upOnAlpha();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("connection refused"));
        lab.pump();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        for (int i = 0; i < 6; i++) {
            lab.clock.advance(Duration.ofSeconds(15));
            lab.pump();
        }
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(lab.owner(VM)).isEqualTo(ALPHA);
        assertThat(lab.hosts.status(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);

        lab.connect(ALPHA);
        lab.answer(ALPHA, poll -> poll.running(VM, 900, status(VmStatus.UP))).settle();

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.engine.health().unwell()).isEmpty();
    }

    @Test
    void aHostDuringItsFirstConnectionHasNotFailed() throws Exception {
        lab.storedHosts(ALPHA);
        lab.engine.startWithoutThreads();
        for (int i = 0; i < 4; i++) {
            lab.clock.advance(Duration.ofSeconds(15));
            lab.pump();
        }

        assertThat(lab.engine.fleet().hostHealth())
                .singleElement()
                .satisfies(health -> assertThat(health.warnings()).isEmpty());
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("connection refused"));
        lab.pump();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
    }

    @Test
    void healthHasTheTimeAndReasonOfAHostThatIsNotUp() throws Exception {
        upOnAlpha();
        lab.clock.advance(Duration.ofSeconds(3));
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("connection refused"));
        lab.pump();

        assertThat(lab.engine.health().unwell())
                .singleElement()
                .satisfies(health -> {
                    assertThat(health.since()).isEqualTo(lab.clock.now());
                    assertThat(health.reason()).contains("connection refused");
                });
    }

    @Test
    @DisplayName("8a.63 a host with a wrong clock is reported and treated like any other")
    void aWrongClockRaisesAnAlertAndNothingElse() throws Exception {
        upOnAlpha();
        int calls = lab.sqlCalls() - lab.audit.calls();
        nextCycleAnsweredWithClock(Duration.ofSeconds(299));
        assertThat(clockAlerts()).isEmpty();

        nextCycleAnsweredWithClock(Duration.ofSeconds(-301));
        nextCycleAnsweredWithClock(Duration.ofSeconds(100_000));

        assertThat(clockAlerts())
                .as("once in half an hour")
                .containsExactly("The clock of host host1 is 301 s behind the engine's");
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.sqlCalls() - lab.audit.calls()).isEqualTo(calls);
    }

    private List<String> clockAlerts() throws StoreUnavailable {
        return lab.engine.events().newest(AuditFilter.ANY, null, 100).stream()
                .filter(entry -> entry.event() == AuditEvent.VDS_TIME_DRIFT_ALERT)
                .map(AuditEntry::text)
                .toList();
    }

    private void nextCycleAnsweredWithClock(Duration ahead) {
        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        lab.host(ALPHA).answerStatistics(lab.clock.now().plus(ahead));
        lab.answer(ALPHA, poll -> poll.running(VM, 200, status(VmStatus.UP))).settle();
    }

    @Test
    void anEventDoesNotWaitForThePollThatIsBeingAnalysed() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();
        lab.answer(
                        ALPHA,
                        poll ->
                                poll.running(VM, 100, status(VmStatus.UP))
                                        .running(OTHER, 100, status(VmStatus.UP)))
                .settle();
        nextPollAsked();
        lab.clock.advance(Duration.ofMillis(1));
        ScriptedReports event =
                ScriptedReports.event(lab.clock.nanoTime())
                        .running(OTHER, 300, status(VmStatus.PAUSED));

        lab.answer(
                ALPHA,
                poll ->
                        poll.running(
                                        VM,
                                        200,
                                        draft -> {
                                            lab.host(ALPHA).listener().vmsChanged(event);
                                            draft.set(RuntimeField.STATUS, VmStatus.UP);
                                        })
                                .running(
                                        OTHER,
                                        201,
                                        draft -> {
                                            assertThat(lab.status(OTHER))
                                                    .isEqualTo(VmStatus.PAUSED);
                                            draft.set(RuntimeField.STATUS, VmStatus.UP);
                                        }));

        assertThat(lab.status(OTHER)).isEqualTo(VmStatus.PAUSED);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.counter("stillwater.reports", "outcome", "stale_report")).isEqualTo(1);
    }

    @Test
    @DisplayName("8a.30 after a reconnection everything is asked for before events are relied on")
    void aReconnectionReadsEverythingAtOnce() throws Exception {
        upOnAlpha();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("connection lost"));
        lab.pump();
        lab.host(ALPHA).connect();
        lab.event(ALPHA, event -> event.running(VM, 5, status(VmStatus.POWERING_DOWN)));

        assertThat(lab.host(ALPHA).capabilitiesWaiting()).isOne();
        lab.host(ALPHA).answerCapabilities("boot-2");
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        lab.pump();
        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
        lab.answer(ALPHA, poll -> poll.running(VM, 9, status(VmStatus.PAUSED))).settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.PAUSED);
    }

    @Test
    void aRestartedEngineAgreesWithItsHostsWithoutRewriting() throws Exception {
        upOnAlpha();
        lab.restarted();
        int rows = lab.vms.rows();
        int calls = lab.vms.calls();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.vm(VM).lastReportAt()).as("not confirmed yet").isNull();

        lab.answer(ALPHA, poll -> poll.running(VM, 7, status(VmStatus.UP))).settle();

        assertThat(lab.vm(VM).lastReportAt()).isNotNull();
        assertThat(lab.vms.rows() - rows).isZero();
        assertThat(lab.vms.calls() - calls).isZero();
    }

    private void upOnAlpha() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP))).settle();
    }

    private void nextPollAsked() {
        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        lab.pump();
        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
    }

    private void migrating() throws Exception {
        lab.storedHosts(ALPHA, BETA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answer(BETA, _ -> {});
        lab.event(ALPHA, event -> event.running(VM, 500, status(VmStatus.MIGRATING_FROM)));
        lab.event(BETA, event -> event.running(VM, 10, status(VmStatus.MIGRATING_TO)));
        lab.settle();
        assertThat(lab.owner(VM)).isEqualTo(ALPHA);
    }

    private void endedOnBeta() {
        assertThat(lab.owner(VM)).isEqualTo(BETA);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.vms.vm(VM).placement().runOn()).isEqualTo(BETA);
        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
        assertThat(lab.host(BETA).destroyed()).isEmpty();
    }

    private static void exited(ScriptedReports reports, long stamp) {
        reports.exited(VM, stamp, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "bye");
    }

    private static void migratedAway(ScriptedReports reports, long stamp) {
        reports.exited(VM, stamp, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED, "");
    }

    private final CountDownLatch letGo = new CountDownLatch(1);

    /** A command on a thread of its own that holds the VM until released. */
    private Thread heldBy(VmManager vm, Consumer<VmManager> take) throws InterruptedException {
        var held = new CountDownLatch(1);
        Thread command =
                Thread.ofVirtual()
                        .start(() -> {
                            take.accept(vm);
                            held.countDown();
                            try {
                                letGo.await();
                            } catch (InterruptedException _) {
                                Thread.currentThread().interrupt();
                            } finally {
                                vm.unlock();
                            }
                        });
        held.await();
        return command;
    }

    private void release(Thread command) throws InterruptedException {
        letGo.countDown();
        command.join();
    }
}
