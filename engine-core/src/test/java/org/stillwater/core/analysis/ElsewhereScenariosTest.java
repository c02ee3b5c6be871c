package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.analysis.Scene.H1;
import static org.stillwater.core.analysis.Scene.H2;
import static org.stillwater.core.analysis.Scene.H3;
import static org.stillwater.core.analysis.Scene.VM;
import static org.stillwater.core.analysis.Scene.migrating;
import static org.stillwater.core.analysis.Scene.vm;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.Decision.Signal;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** Another host than the responsible one has the VM (monitoring specification §4.5, §4.8). */
class ElsewhereScenariosTest {

    @Test
    @DisplayName("S32 T36 an unknown VM that only starts elsewhere, or fails to, stays unknown")
    void startsElsewhere() {
        Scene scene = vm(VmStatus.UNKNOWN).says(H2, VmStatus.WAIT_FOR_LAUNCH);
        assertThat(scene.changedState()).isFalse();
        assertThat(scene.contested()).as("a claim like any other").isEqualTo(H2);

        scene.saysDown(H2, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.host()).isEqualTo(H1);
        assertThat(scene.destroyed()).containsExactly(H2);
    }

    @Test
    @DisplayName("S33 an unknown VM that is up elsewhere is contested until its host has answered")
    void upElsewhere() {
        Scene scene = vm(VmStatus.UNKNOWN).waitedForBy(InFlight.RUN).says(H2, VmStatus.UP);
        assertThat(scene.changedState()).isFalse();
        assertThat(scene.contested()).isEqualTo(H2);
        assertThat(scene.commands().inFlight()).isEqualTo(InFlight.RUN);

        scene.claimedBy(H2, VmStatus.UP).doesNotMention(H1);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.signals())
                .contains(Signal.COMMAND_DROPPED)
                .doesNotContain(Signal.RUN_SUCCEEDED);
        assertThat(scene.queued()).isEmpty();
    }

    @Test
    @DisplayName("S34 an unknown VM that is paused elsewhere is that VM, not a leftover")
    void pausedElsewhere() {
        Scene scene = vm(VmStatus.UNKNOWN).saysPaused(H2, PauseStatus.NOERR);
        assertThat(scene.contested()).isEqualTo(H2);
        assertThat(scene.destroyed()).isEmpty();

        scene.claimedBy(H2, VmStatus.PAUSED).doesNotMention(H1);
        assertThat(scene.status()).isEqualTo(VmStatus.PAUSED);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.destroyed()).isEmpty();
    }

    @Test
    @DisplayName("S35 a paused leftover is removed, once it is sure that it is one")
    void pausedLeftover() {
        Scene scene = vm(VmStatus.UP).saysPaused(H2, PauseStatus.NOERR);

        assertThat(scene.changedState()).isFalse();
        assertThat(scene.decisions())
                .singleElement()
                .isInstanceOfSatisfying(
                        Decision.DestroyOnHost.class,
                        destroy -> {
                            assertThat(destroy.host()).isEqualTo(H2);
                            assertThat(destroy.hasProcess()).isTrue();
                        });
    }

    @Test
    @DisplayName("S36 an ended leftover is removed")
    void endedLeftover() {
        Scene scene = vm(VmStatus.UP).saysDown(H2, ExitStatus.NORMAL, ExitReason.ADMIN_SHUTDOWN);

        assertThat(scene.changedState()).isFalse();
        assertThat(scene.destroyed()).containsExactly(H2);
        assertThat(scene.audited()).isEmpty();
    }

    private static VmRuntime withAddress(VmRuntime seen) {
        return seen.with(RuntimeField.STATUS, VmStatus.UP)
                .with(
                        RuntimeField.GUEST_NICS,
                        new GuestNics(
                                9,
                                List.of(
                                        new GuestNic(
                                                "eth0",
                                                Scene.MAC,
                                                List.of("10.0.0.8"),
                                                List.of()))));
    }

    @Test
    @DisplayName("S37 T19 a VM that is up elsewhere moved once its own host does not run it")
    void movedUnexpectedly() {
        Scene scene = vm(VmStatus.UP).says(H2, ElsewhereScenariosTest::withAddress);
        assertThat(scene.changedState()).isFalse();
        assertThat(scene.contested()).isEqualTo(H2);

        scene.claimedBy(H2, withAddress(scene.runtime())).doesNotMention(H1);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.runtime().guestIps()).isEqualTo("10.0.0.8");
        assertThat(scene.runtime().guestNics().digest()).isEqualTo(9);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_MOVED_UNEXPECTEDLY);
        assertThat(scene.decisions()).anyMatch(Decision.NoteUnexpected.class::isInstance);
    }

    @Test
    @DisplayName("S38 the destination of a migration reports no news until the VM runs there")
    void migrationDestination() {
        assertThat(migrating().says(H2, VmStatus.MIGRATING_TO).isQuiet()).isTrue();
    }

    @Test
    void aMigratingVmThatRunsOnAThirdHostIsNotWaitedFor() {
        for (VmStatus status :
                List.of(
                        VmStatus.UP,
                        VmStatus.REBOOT_IN_PROGRESS,
                        VmStatus.POWERING_UP,
                        VmStatus.POWERING_DOWN,
                        VmStatus.NOT_RESPONDING)) {
            Scene scene = migrating().waitedForBy(InFlight.MIGRATE).says(H3, status);
            assertThat(scene.contested()).as("%s", status).isEqualTo(H3);
            assertThat(scene.changedState()).isFalse();
            assertThat(scene.commands().inFlight()).isEqualTo(InFlight.MIGRATE);

            // The source knows where it sent the VM; the destination has the last word.
            scene.claimedBy(H3, status).saysMigratedAway(H1);
            assertThat(scene.host()).isEqualTo(H2);
            assertThat(scene.commands().inFlight()).isEqualTo(InFlight.MIGRATE);

            scene.doesNotMention(H2);
            assertThat(scene.status()).isEqualTo(status);
            assertThat(scene.host()).isEqualTo(H3);
            assertThat(scene.placement().migratingTo()).isNull();
            assertThat(scene.commands().inFlight()).as("%s", status).isEqualTo(InFlight.NONE);
            assertThat(scene.signals())
                    .contains(Signal.COMMAND_DROPPED)
                    .doesNotContain(Signal.MIGRATION_SUCCEEDED);
            assertThat(scene.queued()).isEmpty();
        }
        Scene launched =
                migrating().waitedForBy(InFlight.MIGRATE).says(H3, VmStatus.WAIT_FOR_LAUNCH);
        assertThat(launched.commands().inFlight()).isEqualTo(InFlight.MIGRATE);
    }

    @Test
    @DisplayName("S43 a destination that reports first has the VM; the source's record is removed")
    void destinationFirst() {
        Scene scene = migrating().waitedForBy(InFlight.MIGRATE).says(H2, VmStatus.UP);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.placement().migratingTo()).isNull();
        assertThat(scene.signals()).contains(Signal.MIGRATION_SUCCEEDED);
        assertThat(scene.audited()).isEmpty();

        scene.saysMigratedAway(H1);
        assertThat(scene.changedState()).isFalse();
        assertThat(scene.destroyed()).containsExactly(H1);
    }

    @Test
    @DisplayName("S47 a destination that failed is removed; the VM is where it was")
    void destinationFailed() {
        Scene scene = migrating().saysDown(H2, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED);

        assertThat(scene.changedState()).isFalse();
        assertThat(scene.status()).isEqualTo(VmStatus.MIGRATING_FROM);
        assertThat(scene.destroyed()).containsExactly(H2);
    }

    @Test
    @DisplayName("a destination that is paused right after arrival is the VM, not a leftover")
    void destinationPaused() {
        Scene scene = migrating().waitedForBy(InFlight.MIGRATE).saysPaused(H2, PauseStatus.ENOSPC);

        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.signals()).contains(Signal.MIGRATION_SUCCEEDED);
        assertThat(scene.audited())
                .containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_ENOSPC);
    }

    @Test
    @DisplayName("a VM that turns up elsewhere is reported as if it had changed on its own host")
    void changesElsewhere() {
        assertThat(moved(VmStatus.UNKNOWN, VmStatus.POWERING_UP).signals())
                .containsExactly(Signal.POWERING_UP);
        assertThat(moved(VmStatus.UP, VmStatus.REBOOT_IN_PROGRESS).audited())
                .containsExactly(AuditEvent.VM_MOVED_UNEXPECTEDLY, AuditEvent.USER_REBOOT_VM);
        assertThat(moved(VmStatus.UP, VmStatus.NOT_RESPONDING).audited())
                .containsExactly(AuditEvent.VM_MOVED_UNEXPECTEDLY, AuditEvent.VM_NOT_RESPONDING);
        VmRuntime paused =
                VmRuntime.INITIAL
                        .with(RuntimeField.STATUS, VmStatus.PAUSED)
                        .with(RuntimeField.PAUSE_STATUS, PauseStatus.EIO);
        assertThat(vm(VmStatus.UNKNOWN).claimedBy(H2, paused).doesNotMention(H1).audited())
                .containsExactly(
                        AuditEvent.VM_STATUS_RESTORED,
                        AuditEvent.VM_PAUSED,
                        AuditEvent.VM_PAUSED_EIO);
    }

    /** A VM that another host has, and its own host denies. */
    private static Scene moved(VmStatus from, VmStatus to) {
        return vm(from).claimedBy(H2, to).doesNotMention(H1);
    }

    @Test
    @DisplayName("a VM that migrates to an unknown host runs where its source releases it")
    void upOnAThirdHost() {
        Scene scene = migrating().migratingTo(null).says(H2, VmStatus.POWERING_UP);
        assertThat(scene.contested()).isEqualTo(H2);

        scene.claimedBy(H2, VmStatus.POWERING_UP).saysMigratedAway(H1);
        assertThat(scene.status()).isEqualTo(VmStatus.POWERING_UP);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.audited()).isEmpty();
        assertThat(scene.destroyed()).containsExactly(H1);
    }

    @Test
    @DisplayName("the removal of a remnant has its reason")
    void reasons() {
        assertThat(
                        migrating()
                                .saysDown(H2, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED)
                                .decisions())
                .containsExactly(
                        new Decision.DestroyOnHost(
                                VM, H2, "its migration to this host failed", false));
        assertThat(
                        vm(VmStatus.UP)
                                .saysDown(H2, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED)
                                .decisions())
                .containsExactly(
                        new Decision.DestroyOnHost(
                                VM,
                                H2,
                                "ended leftover of a VM that this host is not responsible for",
                                false));
    }

    @Test
    @DisplayName("a VM that was down and is the source of a migration runs there")
    void downButMigrating() {
        Scene scene = vm(VmStatus.DOWN).says(H1, VmStatus.MIGRATING_FROM);

        assertThat(scene.status()).isEqualTo(VmStatus.MIGRATING_FROM);
        assertThat(scene.host()).isEqualTo(H1);
    }

    @Test
    @DisplayName("a VM that begins to run counts one run more")
    void generation() {
        Scene scene = vm(VmStatus.DOWN).says(H1, VmStatus.POWERING_UP);

        assertThat(scene.placement().run().generation()).isEqualTo(8);
        assertThat(scene.placement().lastStart()).isEqualTo(Scene.NOW);
        assertThat(scene.says(H1, VmStatus.UP).placement().run().generation()).isEqualTo(8);
    }

    private static List<Decision> unknown(String name, VmStatus status, PauseStatus cause) {
        VmRuntime seen =
                VmRuntime.INITIAL
                        .with(RuntimeField.STATUS, status)
                        .with(RuntimeField.PAUSE_STATUS, cause);
        return VmAnalysis.decideUnknown(
                new VmReport.Running(VM, 1, name, seen, null), H1, "HostedEngine");
    }

    @Test
    @DisplayName("S75 an unknown VM that ended or is broken is removed, and nothing is taken in")
    void unknownEnded() {
        assertThat(unknown("x", VmStatus.PAUSED, PauseStatus.EIO))
                .singleElement()
                .isInstanceOf(Decision.DestroyOnHost.class);
        assertThat(
                        VmAnalysis.decideUnknown(
                                new VmReport.Exited(
                                        VM, 1, ExitStatus.NORMAL, ExitReason.SUCCESS, ""),
                                H1,
                                "HostedEngine"))
                .singleElement()
                .isInstanceOf(Decision.DestroyOnHost.class);
    }

    @Test
    @DisplayName("S74 S76 an unknown VM is taken in; the engine's own VM by its name as such")
    void unknownRuns() {
        assertThat(unknown("x", VmStatus.UP, PauseStatus.NONE))
                .containsExactly(new Decision.TakeInExternal(VM, H1, VmOrigin.EXTERNAL));
        assertThat(unknown("HostedEngine", VmStatus.UP, PauseStatus.NONE))
                .containsExactly(new Decision.TakeInExternal(VM, H1, VmOrigin.HOSTED_ENGINE));
        assertThat(unknown("x", VmStatus.MIGRATING_TO, PauseStatus.NONE)).isEmpty();
    }
}
