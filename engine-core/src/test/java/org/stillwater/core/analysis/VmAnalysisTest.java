package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.Decision.DestroyOnHost;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

class VmAnalysisTest {

    private static final VmId VM = new VmId(1, 2);
    private static final HostId H1 = new HostId(new UUID(0, 1));
    private static final HostId H2 = new HostId(new UUID(0, 2));
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final VmStatic DEFINITION =
            new VmStatic("vm", VmOrigin.EXTERNAL, false, 1024, 1024, 1, 1, 1, List.of());

    private static VmRuntime runtime(VmStatus status) {
        return VmRuntime.INITIAL.with(RuntimeField.STATUS, status);
    }

    private static VmRuntime paused(PauseStatus cause) {
        return runtime(VmStatus.PAUSED).with(RuntimeField.PAUSE_STATUS, cause);
    }

    private static KnownVm known(VmRuntime runtime, VmPlacement placement) {
        return new KnownVm(VM, DEFINITION, runtime, placement);
    }

    private static KnownVm on(HostId host, VmStatus status) {
        return known(runtime(status), VmPlacement.on(host));
    }

    private static KnownVm migrating() {
        return known(runtime(VmStatus.MIGRATING_FROM), VmPlacement.on(H1).withMigratingTo(H2));
    }

    private static VmReport running(VmRuntime seen) {
        return new VmReport.Running(VM, 1, null, seen, null);
    }

    private static VmReport running(VmStatus status) {
        return running(runtime(status));
    }

    private static VmReport exited(ExitStatus status, ExitReason reason) {
        return new VmReport.Exited(VM, 1, status, reason, "bye");
    }

    private static VmOutcome decide(KnownVm known, VmReport report, HostId reporter) {
        return VmAnalysis.decide(
                known,
                report,
                new AnalysisContext(reporter, NOW, Set.of()::contains, Set.of()::contains, false));
    }

    private static VmOutcome.Change change(KnownVm known, VmReport report, HostId reporter) {
        return (VmOutcome.Change) decide(known, report, reporter);
    }

    private static List<HostId> destroys(VmOutcome.Change change) {
        return change.decisions().stream()
                .filter(DestroyOnHost.class::isInstance)
                .map(decision -> ((DestroyOnHost) decision).host())
                .toList();
    }

    @Test
    void anEqualReportIsQuiet() {
        KnownVm known = on(H1, VmStatus.UP);

        assertThat(decide(known, running(known.runtime()), H1)).isEqualTo(VmOutcome.Quiet.QUIET);
        assertThat(decide(known, running(VmStatus.UP), H1)).isEqualTo(VmOutcome.Quiet.QUIET);
    }

    @Test
    void aChangedFieldIsAppliedAndNamed() {
        var change = change(on(H1, VmStatus.UP), running(paused(PauseStatus.EIO)), H1);

        assertThat(change.changed().toList())
                .containsExactly(RuntimeField.STATUS, RuntimeField.PAUSE_STATUS);
        assertThat(change.placementChanged()).isFalse();
        assertThat(destroys(change)).isEmpty();
    }

    @Test
    void applicationsOfABootingGuestAreKept() {
        KnownVm known =
                known(
                        runtime(VmStatus.POWERING_UP).with(RuntimeField.APP_LIST, "a"),
                        VmPlacement.on(H1));

        assertThat(
                        decide(
                                known,
                                running(
                                        runtime(VmStatus.POWERING_UP)
                                                .with(RuntimeField.APP_LIST, "")),
                                H1))
                .isEqualTo(VmOutcome.Quiet.QUIET);
    }

    @Test
    void guestAddressesFollowTheInterfaces() {
        GuestNics nics =
                new GuestNics(
                        7,
                        List.of(
                                new GuestNic(
                                        "lo",
                                        "00:00:00:00:00:00",
                                        List.of("127.0.0.1"),
                                        List.of("::1")),
                                new GuestNic(
                                        "eth0",
                                        "a",
                                        List.of("10.0.0.5", "bad"),
                                        List.of("fe80::1%2"))));
        var change =
                change(
                        on(H1, VmStatus.UP),
                        running(runtime(VmStatus.UP).with(RuntimeField.GUEST_NICS, nics)),
                        H1);

        assertThat(change.runtime().guestIps()).isEqualTo("10.0.0.5 fe80::1");
        assertThat(
                        decide(
                                known(change.runtime(), change.placement()),
                                running(change.runtime()),
                                H1))
                .isEqualTo(VmOutcome.Quiet.QUIET);
    }

    @Test
    void anEndedVmIsDestroyedOnItsHostAndForgetsItsSession() {
        VmRuntime up =
                runtime(VmStatus.UP)
                        .with(RuntimeField.CLIENT_IP, "10.0.0.9")
                        .with(RuntimeField.GUEST_OS, "Linux")
                        .with(RuntimeField.GUEST_IPS, "10.0.0.5");
        var change =
                change(
                        known(up, VmPlacement.on(H1)),
                        exited(ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN),
                        H1);

        assertThat(change.runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(change.runtime().exitReason()).isEqualTo(ExitReason.USER_SHUTDOWN);
        assertThat(change.runtime().exitMessage()).isEqualTo("bye");
        assertThat(change.runtime().clientIp()).isNull();
        assertThat(change.runtime().guestIps()).isNull();
        assertThat(change.runtime().text(RuntimeField.GUEST_OS)).isEqualTo("Linux");
        assertThat(change.placement()).isEqualTo(VmPlacement.NOWHERE.withLastStop(NOW));
        assertThat(destroys(change)).containsExactly(H1);
    }

    @Test
    void theExitDataOfAVmThatIsAlreadyDownStay() {
        KnownVm known =
                known(
                        runtime(VmStatus.DOWN).with(RuntimeField.EXIT_MESSAGE, "x"),
                        VmPlacement.on(H1));
        var change = change(known, exited(ExitStatus.ERROR, ExitReason.GENERIC_ERROR), H1);

        assertThat(change.runtime()).isSameAs(known.runtime());
        assertThat(change.placement().runOn()).isNull();
        assertThat(destroys(change)).containsExactly(H1);
    }

    @Test
    void aSavedVmBecomesSuspended() {
        var change =
                change(
                        on(H1, VmStatus.SAVING_STATE),
                        exited(ExitStatus.NORMAL, ExitReason.SAVE_STATE_SUCCEEDED),
                        H1);

        assertThat(change.runtime().status()).isEqualTo(VmStatus.SUSPENDED);
        assertThat(change.placement().runOn()).isNull();
    }

    @Test
    void exitOnTheSourceAfterMigrationHandsTheVmOver() {
        var change =
                change(migrating(), exited(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED), H1);

        assertThat(change.runtime().status()).isEqualTo(VmStatus.MIGRATING_TO);
        assertThat(change.placement().runOn()).isEqualTo(H2);
        assertThat(destroys(change)).containsExactly(H1);
    }

    @Test
    void handingOverToASilentHostLeavesTheVmUnknown() {
        VmOutcome outcome =
                VmAnalysis.decide(
                        migrating(),
                        exited(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED),
                        new AnalysisContext(H1, NOW, H2::equals, H2::equals, false));

        assertThat(((VmOutcome.Change) outcome).runtime().status()).isEqualTo(VmStatus.UNKNOWN);
    }

    @Test
    void theDestinationMayReportFirst() {
        var up = change(migrating(), running(VmStatus.UP), H2);
        KnownVm onDestination = known(up.runtime(), up.placement());
        var leftover =
                change(
                        onDestination,
                        exited(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED),
                        H1);

        assertThat(up.placement()).isEqualTo(VmPlacement.on(H2));
        assertThat(leftover.changesState()).isFalse();
        assertThat(destroys(leftover)).containsExactly(H1);
    }

    @Test
    void aVmThatMovedToAnUnannouncedHostIsUnknownUntilItIsSeen() {
        KnownVm source = on(H1, VmStatus.MIGRATING_FROM);
        VmReport moved = exited(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);

        var unknown = change(source, moved, H1);
        KnownVm waiting = known(unknown.runtime(), unknown.placement());

        assertThat(unknown.runtime().status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(destroys(unknown)).isEmpty();
        assertThat(decide(waiting, moved, H1)).isEqualTo(VmOutcome.Quiet.QUIET);
        assertThat(change(waiting, running(VmStatus.UP), H2).placement().runOn()).isEqualTo(H2);
    }

    @Test
    void aVmThatMovedAndIsNotSeenAgainIsLostInTheEnd() {
        KnownVm waiting = movedFromH1();
        VmReport moved = exited(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);

        var lost =
                (VmOutcome.Change)
                        VmAnalysis.decide(
                                waiting,
                                moved,
                                new AnalysisContext(
                                        H1, NOW, Set.of()::contains, Set.of()::contains, true));

        assertThat(lost.runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(lost.runtime().exitStatus()).isEqualTo(ExitStatus.UNKNOWN);
        assertThat(destroys(lost)).containsExactly(H1);
    }

    @Test
    void aVmOfAnUnannouncedMigrationIsNotDownEither() {
        VmReport moved = exited(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);

        var change = change(on(H1, VmStatus.UP), moved, H1);

        assertThat(change.runtime().status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(destroys(change)).isEmpty();
    }

    @Test
    void theSourceIsResponsibleThoughItsDestinationWasSeenFirst() {
        KnownVm stopped = known(runtime(VmStatus.DOWN), VmPlacement.NOWHERE);
        var destination = change(stopped, running(VmStatus.MIGRATING_TO), H2);
        KnownVm seenThere = known(destination.runtime(), destination.placement());
        var source = change(seenThere, running(VmStatus.MIGRATING_FROM), H1);

        assertThat(destination.placement().runOn()).isEqualTo(H2);
        assertThat(source.placement().runOn()).isEqualTo(H1);
        assertThat(source.runtime().status()).isEqualTo(VmStatus.MIGRATING_FROM);
    }

    @Test
    void aLateReportOfTheSourceDoesNotUndoAHandOver() {
        var handOver =
                change(migrating(), exited(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED), H1);
        KnownVm handedOver = known(handOver.runtime(), handOver.placement());

        assertThat(decide(handedOver, running(VmStatus.MIGRATING_FROM), H1))
                .isEqualTo(VmOutcome.Quiet.QUIET);
    }

    @Test
    void theReportOfAMigrationTargetIsIgnoredUntilItRuns() {
        assertThat(decide(migrating(), running(VmStatus.MIGRATING_TO), H2))
                .isEqualTo(VmOutcome.Quiet.QUIET);
    }

    @Test
    void postCopyHandsOverAndThePausedSourceIsNotShown() {
        var change = change(migrating(), running(paused(PauseStatus.POSTCOPY)), H1);
        KnownVm handedOver = known(change.runtime(), change.placement());

        assertThat(change.runtime().status()).isEqualTo(VmStatus.MIGRATING_TO);
        assertThat(change.placement().runOn()).isEqualTo(H2);
        assertThat(decide(handedOver, running(paused(PauseStatus.POSTCOPY)), H1))
                .isEqualTo(VmOutcome.Quiet.QUIET);
    }

    @Test
    void aFailedMigrationDestroysBothSidesAndKeepsTheExitData() {
        var change =
                change(migrating(), exited(ExitStatus.ERROR, ExitReason.LOST_QEMU_CONNECTION), H1);

        assertThat(change.runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(change.runtime().exitReason()).isEqualTo(ExitReason.LOST_QEMU_CONNECTION);
        assertThat(destroys(change)).containsExactly(H1, H2);
    }

    @Test
    void aCancelledMigrationStaysOnTheSource() {
        var change = change(migrating(), running(VmStatus.UP), H1);

        assertThat(change.placement()).isEqualTo(VmPlacement.on(H1));
    }

    @Test
    void aVanishedVmIsDownWithAnErrorAndNeverRunsNowhere() {
        var change = change(on(H1, VmStatus.UP), new VmReport.Absent(VM), H1);
        var lost = change(on(H1, VmStatus.MIGRATING_FROM), new VmReport.Absent(VM), H1);

        assertThat(change.runtime().exitStatus()).isEqualTo(ExitStatus.ERROR);
        assertThat(change.runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(lost.runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(lost.placement().runOn()).isNull();
    }

    @Test
    void aVmThatWasPoweringDownEndsNormallyWhenItVanishes() {
        var change = change(on(H1, VmStatus.POWERING_DOWN), new VmReport.Absent(VM), H1);

        assertThat(change.runtime().exitStatus()).isEqualTo(ExitStatus.NORMAL);
    }

    private static KnownVm movedFromH1() {
        var moved =
                change(
                        on(H1, VmStatus.MIGRATING_FROM),
                        exited(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED),
                        H1);
        return known(moved.runtime(), moved.placement());
    }

    @Test
    void anOldRecordElsewhereDoesNotEndAVmOfASilentHost() {
        KnownVm silent = on(H1, VmStatus.UNKNOWN);

        var leftover = change(silent, exited(ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN), H2);

        assertThat(leftover.changesState()).isFalse();
        assertThat(destroys(leftover)).containsExactly(H2);
    }

    @Test
    void aVmThatMovedToAnUnannouncedHostAndEndedThereIsDown() {
        KnownVm moved = movedFromH1();

        var ended = change(moved, exited(ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN), H2);

        assertThat(ended.runtime().status()).isEqualTo(VmStatus.DOWN);
        assertThat(ended.runtime().exitReason()).isEqualTo(ExitReason.USER_SHUTDOWN);
        assertThat(ended.placement().runOn()).isNull();
        assertThat(destroys(ended)).containsExactly(H2);
    }

    @Test
    void theEndOfAMigrationElsewhereIsNotTheEndOfAnUnknownVm() {
        KnownVm moved = movedFromH1();

        var gone = change(moved, exited(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED), H2);

        assertThat(gone.changesState()).isFalse();
        assertThat(destroys(gone)).containsExactly(H2);
    }

    @Test
    void aPausedOrEndedLeftoverElsewhereIsDestroyedWithoutTouchingTheVm() {
        var paused = change(on(H1, VmStatus.UP), running(paused(PauseStatus.NOERR)), H2);
        var ended =
                change(on(H1, VmStatus.UP), exited(ExitStatus.ERROR, ExitReason.GENERIC_ERROR), H2);

        assertThat(paused.changesState()).isFalse();
        assertThat(ended.changesState()).isFalse();
        assertThat(destroys(paused)).containsExactly(H2);
        assertThat(destroys(ended)).containsExactly(H2);
    }

    @Test
    void anUnknownVmStaysUnknownWhileItOnlyStartsElsewhere() {
        KnownVm known = on(H1, VmStatus.UNKNOWN);

        for (VmStatus there : List.of(VmStatus.WAIT_FOR_LAUNCH, VmStatus.UP)) {
            assertThat(change(known, running(there), H2).changesState()).isFalse();
            assertThat(change(known, running(there), H2).decisions())
                    .singleElement()
                    .isInstanceOf(Decision.Contest.class);
        }
        assertThat(change(known, running(paused(PauseStatus.NOERR)), H2).placement().runOn())
                .isEqualTo(H1);
    }

    @Test
    void aVmThatStartsGetsAStartTime() {
        var change =
                change(
                        known(runtime(VmStatus.DOWN), VmPlacement.NOWHERE),
                        running(VmStatus.POWERING_UP),
                        H1);

        assertThat(change.placement().lastStart()).isEqualTo(NOW);
        assertThat(change.placement().runOn()).isEqualTo(H1);
    }

    private static List<Decision> decideUnknown(VmReport report) {
        return VmAnalysis.decideUnknown(report, H1, "HostedEngine");
    }

    @Test
    void anUnknownRunningVmIsTakenInAndABrokenOneDestroyed() {
        assertThat(decideUnknown(running(VmStatus.UP)))
                .containsExactly(new Decision.TakeInExternal(VM, H1, VmOrigin.EXTERNAL));
        assertThat(decideUnknown(running(paused(PauseStatus.EIO))))
                .singleElement()
                .isInstanceOf(DestroyOnHost.class);
        assertThat(decideUnknown(exited(ExitStatus.ERROR, ExitReason.GENERIC_ERROR)))
                .singleElement()
                .isInstanceOf(DestroyOnHost.class);
        assertThat(decideUnknown(running(VmStatus.MIGRATING_TO))).isEmpty();
    }
}
