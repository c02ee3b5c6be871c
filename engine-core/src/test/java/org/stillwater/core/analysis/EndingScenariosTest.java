package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.analysis.Scene.H1;
import static org.stillwater.core.analysis.Scene.H2;
import static org.stillwater.core.analysis.Scene.NOW;
import static org.stillwater.core.analysis.Scene.VM;
import static org.stillwater.core.analysis.Scene.migrating;
import static org.stillwater.core.analysis.Scene.vm;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.analysis.Decision.Signal;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;

/** A VM ends, or is not there any more (monitoring specification §4.6, §4.7). */
class EndingScenariosTest {

    private static Scene fails(Scene scene) {
        return scene.saysDown(H1, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
    }

    private static Scene stops(Scene scene) {
        return scene.saysDown(H1, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN);
    }

    private static void assertDown(Scene scene, ExitStatus exit, ExitReason reason) {
        assertThat(scene.status()).isEqualTo(VmStatus.DOWN);
        assertThat(scene.host()).isNull();
        assertThat(scene.placement().lastStop()).isEqualTo(NOW);
        assertThat(scene.runtime().exitStatus()).isEqualTo(exit);
        assertThat(scene.runtime().exitReason()).isEqualTo(reason);
    }

    @Test
    @DisplayName("S14 a VM that stops forgets its session, keeps its exit data and guest OS")
    void stopped() {
        Scene scene =
                stops(
                        vm(VmStatus.UP)
                                .with(RuntimeField.CLIENT_IP, "10.0.0.9")
                                .with(RuntimeField.GUEST_USER, "root")
                                .with(RuntimeField.GUEST_OS, "Linux")
                                .consoleHeldBy("u"));

        assertDown(scene, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN);
        assertThat(scene.runtime().exitMessage()).isEqualTo("msg");
        assertThat(scene.runtime().clientIp()).isNull();
        assertThat(scene.runtime().text(RuntimeField.GUEST_USER)).isNull();
        assertThat(scene.runtime().text(RuntimeField.GUEST_OS)).isEqualTo("Linux");
        assertThat(scene.placement().run().consoleUser()).isNull();
        assertThat(scene.placement().run().bootTime()).isNull();
        assertThat(scene.placement().run().runtimeName()).isNull();
        assertThat(scene.placement().run().generation()).isEqualTo(7);
        assertThat(scene.destroyed()).containsExactly(H1);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_DOWN);
        assertThat(scene.told(AuditEvent.VM_DOWN, "exitMessage")).isEqualTo("msg");
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN);
        assertThat(scene.removedJobs()).isTrue();
    }

    @Test
    @DisplayName("S15 a failed VM: audited as an error; not restarted without a request")
    void failed() {
        Scene scene = fails(vm(VmStatus.UP));

        assertDown(scene, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(scene.destroyed()).containsExactly(H1);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_DOWN_ERROR);
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN);
    }

    @Test
    @DisplayName("S16 S31 a highly available VM that fails is started again, once")
    void failedHighlyAvailable() {
        Scene scene = fails(vm(VmStatus.UP).highlyAvailable());

        assertThat(scene.audited())
                .containsExactly(AuditEvent.VM_DOWN_ERROR, AuditEvent.HA_VM_FAILED);
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.HA_RESTART);
        assertThat(fails(scene).queued()).isEmpty();
    }

    @Test
    @DisplayName("S17 a highly available VM that was stopped on purpose stays down")
    void stoppedHighlyAvailable() {
        assertThat(stops(vm(VmStatus.UP).highlyAvailable()).queued())
                .containsExactly(WorkKind.PROCESS_DOWN);
    }

    @Test
    @DisplayName("S18 a start that fails is tried on another host, and nothing else follows")
    void failedStart() {
        Scene scene = fails(vm(VmStatus.POWERING_UP).waitedForBy(InFlight.RUN).highlyAvailable());

        assertThat(scene.audited()).containsExactly(AuditEvent.VM_DOWN_ERROR);
        assertThat(scene.queued()).containsExactly(WorkKind.RERUN);
        assertThat(scene.commands().isWaitedFor()).isFalse();
    }

    @Test
    @DisplayName("S19 T35 a VM stopped while it starts: the command is dropped, then cleaned up")
    void stoppedStart() {
        Scene scene = stops(vm(VmStatus.POWERING_UP).waitedForBy(InFlight.RUN));

        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN);
        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
        assertThat(scene.decisions().indexOf(new Decision.Tell(VM, H1, Signal.COMMAND_DROPPED)))
                .isLessThan(scene.decisions().indexOf(new Decision.RemoveJobs(VM)));
    }

    @Test
    @DisplayName("S20 a VM to be cold-rebooted is started again when it is down")
    void coldReboot() {
        Scene scene = stops(vm(VmStatus.UP).toBeColdRebooted());

        assertThat(scene.audited())
                .containsExactly(AuditEvent.VM_DOWN, AuditEvent.COLD_REBOOT_VM_DOWN);
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.COLD_REBOOT);
        assertThat(scene.commands().coldReboot()).isFalse();
    }

    @Test
    @DisplayName("S20 a cold reboot that ends with an error does not follow the VM's next run")
    void failedColdReboot() {
        Scene scene = fails(vm(VmStatus.POWERING_DOWN).toBeColdRebooted());
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN);

        Scene next = stops(scene.says(H1, VmStatus.UP));

        assertThat(next.queued()).containsExactly(WorkKind.PROCESS_DOWN);
        assertThat(next.audited()).containsExactly(AuditEvent.VM_DOWN);
    }

    @Test
    @DisplayName("S25 a power-off is over with the run that it ended: what follows can fail")
    void poweredOffOnce() {
        Scene scene = vm(VmStatus.UP).highlyAvailable().poweredOffJustNow().doesNotMention(H1);
        assertDown(scene, ExitStatus.NORMAL, ExitReason.SUCCESS);

        Scene next = scene.says(H1, VmStatus.UP).doesNotMention(H1);

        assertDown(next, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(next.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.HA_RESTART);
    }

    @Test
    @DisplayName("S21 a VM that its hypervisor destroyed on reboot is started again")
    void destroyedOnReboot() {
        Scene scene =
                vm(VmStatus.UP).saysDown(H1, ExitStatus.NORMAL, ExitReason.DESTROYED_ON_REBOOT);

        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.COLD_REBOOT);
    }

    @Test
    @DisplayName("S22 the exit data of a VM that is already down stay, and no event repeats")
    void downAlready() {
        Scene scene =
                fails(
                        vm(VmStatus.DOWN)
                                .on(H1)
                                .with(RuntimeField.EXIT_STATUS, ExitStatus.ERROR)
                                .with(RuntimeField.EXIT_MESSAGE, "x"));

        assertThat(scene.runtime().exitMessage()).isEqualTo("x");
        assertThat(scene.host()).isNull();
        assertThat(scene.destroyed()).containsExactly(H1);
        assertThat(scene.audited()).isEmpty();
        assertThat(scene.queued()).isEmpty();
    }

    @Test
    @DisplayName("S23 a VM with saved memory is suspended")
    void suspended() {
        Scene scene =
                vm(VmStatus.SAVING_STATE)
                        .saysDown(H1, ExitStatus.NORMAL, ExitReason.SAVE_STATE_SUCCEEDED);

        assertThat(scene.status()).isEqualTo(VmStatus.SUSPENDED);
        assertThat(scene.host()).isNull();
        assertThat(scene.audited()).containsExactly(AuditEvent.USER_SUSPEND_VM_OK);
        assertThat(scene.destroyed()).containsExactly(H1);
        assertThat(scene.removedJobs()).isFalse();
        assertThat(scene.placement().run().bootTime()).isEqualTo(NOW);
        assertThat(scene.placement().run().cpuName()).isNull();
    }

    @Test
    @DisplayName("S23 a VM that was to be saved and migrated instead is not suspended")
    void migratedInsteadOfSaved() {
        Scene scene = vm(VmStatus.SAVING_STATE).saysMigratedAway(H1);
        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.destroyed()).isEmpty();
        assertThat(scene.says(H2, VmStatus.UP).host()).isEqualTo(H2);
    }

    @Test
    @DisplayName("S24 a VM with a failed suspend is audited as such")
    void notSuspended() {
        Scene scene = fails(vm(VmStatus.SAVING_STATE));

        assertThat(scene.status()).isEqualTo(VmStatus.SUSPENDED);
        assertThat(scene.audited()).containsExactly(AuditEvent.USER_FAILED_SUSPEND_VM);
    }

    @Test
    @DisplayName("S25 a VM that is gone right after its destruction was ordered was powered off")
    void poweredOff() {
        Scene scene = vm(VmStatus.UP).poweredOffJustNow().doesNotMention(H1);

        assertDown(scene, ExitStatus.NORMAL, ExitReason.SUCCESS);
        assertThat(scene.runtime().exitMessage()).isEqualTo("It was powered off");
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_DOWN);
        assertThat(scene.doesNotMention(H1).isQuiet()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"POWERING_DOWN", "REBOOT_IN_PROGRESS"})
    @DisplayName("S26 a VM that was to stop and is gone has stopped, without an error")
    void stoppedUnseen(VmStatus status) {
        Scene scene = vm(status).highlyAvailable().doesNotMention(H1);

        assertDown(scene, ExitStatus.NORMAL, ExitReason.SUCCESS);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_DOWN);
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN);
    }

    @Test
    @DisplayName(
            "S27 S31 a VM that is gone unexpectedly failed; a highly available one is restarted")
    void gone() {
        Scene scene = vm(VmStatus.UP).highlyAvailable().doesNotMention(H1);

        assertDown(scene, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(scene.audited())
                .containsExactly(AuditEvent.VM_DOWN_ERROR, AuditEvent.HA_VM_FAILED);
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.HA_RESTART);
        assertThat(scene.destroyed()).isEmpty();
        assertThat(vm(VmStatus.UNKNOWN).highlyAvailable().doesNotMention(H1).queued())
                .contains(WorkKind.HA_RESTART);
    }

    @Test
    @DisplayName("S28 a VM that is gone while a start waits for it is started elsewhere")
    void goneWhileStarting() {
        Scene scene =
                vm(VmStatus.UP).waitedForBy(InFlight.RUN).highlyAvailable().doesNotMention(H1);

        assertDown(scene, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(scene.queued()).containsExactly(WorkKind.RERUN);
    }

    @Test
    @DisplayName("S29 a VM that is gone in a cold reboot is started again")
    void goneInColdReboot() {
        Scene scene =
                vm(VmStatus.REBOOT_IN_PROGRESS)
                        .toBeColdRebooted()
                        .waitedForBy(InFlight.RUN)
                        .doesNotMention(H1);

        assertDown(scene, ExitStatus.NORMAL, ExitReason.SUCCESS);
        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.COLD_REBOOT);
    }

    @Test
    @DisplayName(
            "a VM to be cold-rebooted that is gone unexpectedly is started again, not restarted")
    void goneBeforeColdReboot() {
        Scene scene = vm(VmStatus.UP).toBeColdRebooted().highlyAvailable().doesNotMention(H1);

        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.COLD_REBOOT);
        assertThat(scene.commands().coldReboot()).isFalse();
    }

    @Test
    @DisplayName(
            "S46 a migration that ends with the VM: both sides are removed, and it is restarted")
    void abortedMigration() {
        Scene scene = fails(migrating().waitedForBy(InFlight.MIGRATE).highlyAvailable());

        assertDown(scene, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(scene.destroyed()).containsExactly(H1, H2);
        assertThat(scene.audited())
                .containsExactly(AuditEvent.VM_MIGRATION_ABORT, AuditEvent.HA_VM_FAILED);
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.HA_RESTART);
        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
        assertThat(scene.placement().migratingTo()).isNull();
    }

    @Test
    @DisplayName(
            "S46 a source lost a migrating VM with a silent destination: no restart until the"
                    + " destination answers")
    void lostByItsSourceWhileItsDestinationIsOutOfContact() {
        Scene scene = fails(migrating().highlyAvailable().outOfContact(H2));

        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.placement().runOn()).isEqualTo(H2);
        assertThat(scene.placement().migratingTo()).isNull();
        assertThat(scene.destroyed()).containsExactly(H1);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_SET_TO_UNKNOWN_STATUS);
        assertThat(scene.queued()).isEmpty();
    }

    @Test
    @DisplayName(
            "S46 a source that was silent during a migration lost the VM: no restart while the"
                    + " destination is silent")
    void lostByASourceThatWasSilent() {
        Scene migrated = vm(VmStatus.UNKNOWN).migratingTo(H2).highlyAvailable();
        Scene unheard = fails(migrated.outOfContact(H2));

        assertThat(unheard.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(unheard.placement().runOn()).isEqualTo(H2);
        assertThat(unheard.destroyed()).containsExactly(H1);
        assertThat(unheard.queued()).isEmpty();
    }

    @Test
    @DisplayName(
            "S46 a source that was silent during a migration lost the VM: both sides are removed"
                    + " when the destination is heard")
    void lostByASourceThatWasSilentBesideADestinationInContact() {
        Scene scene = fails(vm(VmStatus.UNKNOWN).migratingTo(H2).highlyAvailable());

        assertDown(scene, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(scene.destroyed()).containsExactly(H1, H2);
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.HA_RESTART);
    }

    @Test
    @DisplayName("S46 a VM that leaves the destination again has arrived there")
    void leavesItsDestinationAgain() {
        Scene arrived = migrating().waitedForBy(InFlight.MIGRATE).says(H2, VmStatus.MIGRATING_FROM);

        assertThat(arrived.status()).isEqualTo(VmStatus.MIGRATING_FROM);
        assertThat(arrived.host()).isEqualTo(H2);
        assertThat(arrived.placement().migratingTo()).isNull();
        assertThat(arrived.signals()).containsExactly(Signal.MIGRATION_SUCCEEDED);

        Scene source = stops(arrived);
        assertThat(source.status()).isEqualTo(VmStatus.MIGRATING_FROM);
        assertThat(source.host()).isEqualTo(H2);
    }

    @Test
    @DisplayName("S46 a destination that answers again without the VM: it failed, and is restarted")
    void notAtItsDestinationEither() {
        Scene scene = vm(VmStatus.UNKNOWN).highlyAvailable().doesNotMention(H1);

        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.HA_RESTART);
    }

    @Test
    @DisplayName(
            "S46 a silent destination reports that the VM still arrives: the VM is known again")
    void stillArrivingWhereItWasUnknown() {
        Scene scene = vm(VmStatus.UNKNOWN).says(H1, VmStatus.MIGRATING_TO);

        assertThat(scene.status()).isEqualTo(VmStatus.MIGRATING_TO);
        assertThat(scene.placement().runOn()).isEqualTo(H1);
        assertThat(vm(VmStatus.UP).says(H1, VmStatus.MIGRATING_TO).isQuiet()).isTrue();
    }

    @Test
    @DisplayName("S46 a migrating VM that stopped on its source is nowhere else")
    void stoppedWhileItsDestinationIsOutOfContact() {
        Scene scene = stops(migrating().outOfContact(H2));

        assertDown(scene, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN);
        assertThat(scene.destroyed()).containsExactly(H1, H2);
    }

    @Test
    @DisplayName(
            "S49 T32 a migrating VM that vanished with an unknown destination is down, on no host")
    void goneInMigration() {
        Scene scene = vm(VmStatus.MIGRATING_FROM).doesNotMention(H1);

        assertDown(scene, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_MIGRATION_ABORT);
    }

    @Test
    @DisplayName(
            "S49 a migrating VM that is gone from its source is handed over to its destination")
    void goneToItsDestination() {
        Scene scene = migrating().doesNotMention(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.MIGRATING_TO);
        assertThat(scene.host()).isEqualTo(H2);
    }

    @Test
    @DisplayName("a VM that may have arrived on a host out of contact is not down by a power-off")
    void poweredOffInMigrationToAHostThatIsNotHeard() {
        Scene scene = migrating().outOfContact(H2).poweredOffJustNow().doesNotMention(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.host()).isEqualTo(H2);
    }

    @Test
    @DisplayName("T34 a migrating VM that is powered off is down on both sides, audited once")
    void poweredOffInMigration() {
        Scene scene = migrating().poweredOffJustNow().doesNotMention(H1);

        assertDown(scene, ExitStatus.NORMAL, ExitReason.SUCCESS);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_DOWN);
        assertThat(scene.destroyed()).containsExactly(H2);
        assertThat(scene.doesNotMention(H1).isQuiet()).isTrue();
    }

    @Test
    @DisplayName("what a VM keeps outside its disks is saved before its host may forget it")
    void externalData() {
        Scene scene = stops(vm(VmStatus.UP).withUnsavedExternalData());

        assertThat(scene.changedState()).isFalse();
        assertThat(scene.decisions()).containsExactly(new Decision.SaveExternalData(VM, H1));
    }

    @Test
    @DisplayName("S40 what a VM that migrated keeps outside its disks moved with it")
    void externalDataOfAMigratedVm() {
        Scene scene = migrating().withUnsavedExternalData().saysMigratedAway(H1);

        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.status()).isEqualTo(VmStatus.MIGRATING_TO);
        assertThat(scene.destroyed()).containsExactly(H1);
        assertThat(scene.audited()).isEmpty();
    }

    @Test
    @DisplayName("S41 a VM handed over to a silent host is unknown, and so are its sessions")
    void handedOverToASilentHost() {
        Scene scene =
                migrating()
                        .with(RuntimeField.CLIENT_IP, "10.0.0.1")
                        .silent(H2)
                        .saysMigratedAway(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.runtime().clientIp()).isNull();
        assertThat(scene.placement().migratingTo()).isNull();
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_SET_TO_UNKNOWN_STATUS);
    }

    @Test
    @DisplayName("S44 T33 a VM that its host reports as migrated is never down for it")
    void movedToAnUnannouncedHost() {
        Scene scene = vm(VmStatus.UP).highlyAvailable().saysMigratedAway(H1);
        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.queued()).isEmpty();
        assertThat(scene.saysMigratedAway(H1).isQuiet()).isTrue();
        assertThat(scene.doesNotMention(H1).isQuiet()).isTrue();

        scene.says(H2, VmStatus.UP);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.runtime().exitReason()).isEqualTo(ExitReason.UNKNOWN);
        assertThat(scene.saysMigratedAway(H1).destroyed()).containsExactly(H1);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("a VM that moved and was seen nowhere is down in the end, and not started twice")
    void neverSeenAgain() {
        Scene scene =
                vm(VmStatus.UP)
                        .highlyAvailable()
                        .waitedForBy(InFlight.MIGRATE)
                        .saysMigratedAway(H1)
                        .afterLongWaiting();

        assertThat(scene.doesNotMention(H1).status()).isEqualTo(VmStatus.DOWN);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_DOWN_ERROR);
        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
        assertThat(scene.queued()).isEmpty();
        assertThat(scene.removedJobs()).isTrue();
    }

    @Test
    @DisplayName(
            "a VM that moved and was seen nowhere is not started twice if its source is fenced")
    void itsSourceIsFencedBeforeItIsSeenAgain() {
        Scene scene =
                vm(VmStatus.UP)
                        .highlyAvailable()
                        .saysMigratedAway(H1)
                        .stopsAnswering(H1)
                        .isFenced(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.DOWN);
        assertThat(scene.runtime().exitStatus()).isEqualTo(ExitStatus.UNKNOWN);
        assertThat(scene.queued()).isEmpty();
        assertThat(scene.destroyed()).isEmpty();
        assertThat(scene.says(H2, VmStatus.UP).host()).isEqualTo(H2);
    }

    @Test
    @DisplayName("a VM that was handed over to a fenced host is restarted, and removed nowhere")
    void itsDestinationIsFencedAfterTheHandOver() {
        Scene scene =
                migrating().highlyAvailable().saysMigratedAway(H1).stopsAnswering(H2).isFenced(H2);

        assertThat(scene.status()).isEqualTo(VmStatus.DOWN);
        assertThat(scene.host()).isNull();
        assertThat(scene.queued()).contains(WorkKind.HA_RESTART);
        assertThat(scene.destroyed()).isEmpty();
    }

    @Test
    @DisplayName("a VM that moved and was seen nowhere leaves no record on its source either")
    void neverSeenAgainByReportOfItsSource() {
        Scene scene = vm(VmStatus.UP).saysMigratedAway(H1).afterLongWaiting();

        assertThat(scene.saysMigratedAway(H1).status()).isEqualTo(VmStatus.DOWN);
        assertThat(scene.destroyed()).containsExactly(H1);
    }

    @Test
    @DisplayName("after the report of a silent host that a VM migrated away, the VM is awaited")
    void movedWhileItsHostWasSilent() {
        Scene scene = vm(VmStatus.UNKNOWN).afterLongWaiting().saysMigratedAway(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.runtime().exitReason()).isEqualTo(ExitReason.MIGRATION_SUCCEEDED);
    }

    @Test
    @DisplayName("a VM that was awaited and arrived is an ordinary one when its host falls silent")
    void arrivedAndSilent() {
        Scene scene =
                vm(VmStatus.UP)
                        .saysMigratedAway(H1)
                        .says(H2, VmStatus.UP)
                        .stopsAnswering(H2)
                        .doesNotMention(H2);

        assertThat(scene.status()).isEqualTo(VmStatus.DOWN);
    }

    @Test
    @DisplayName("a VM that vanishes in a cold reboot is reported as an error and cleaned up")
    void goneBeforeTheReportOfAColdReboot() {
        Scene scene =
                vm(VmStatus.UP).toBeColdRebooted().waitedForBy(InFlight.MIGRATE).doesNotMention(H1);

        assertThat(scene.audited())
                .containsExactly(AuditEvent.VM_DOWN_ERROR, AuditEvent.COLD_REBOOT_VM_DOWN);
        assertThat(scene.removedJobs()).isTrue();
        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
    }

    @Test
    @DisplayName("a start in vain is tried elsewhere even if a cold reboot was wanted")
    void goneWhileStartingForAColdReboot() {
        Scene scene =
                vm(VmStatus.UP).toBeColdRebooted().waitedForBy(InFlight.RUN).doesNotMention(H1);

        assertThat(scene.queued()).containsExactly(WorkKind.RERUN);
    }

    @Test
    @DisplayName("a migrate command that waits for a VM that failed waits no more; it is restarted")
    void failedWhileAMigrationWaits() {
        Scene scene =
                fails(vm(VmStatus.MIGRATING_TO).waitedForBy(InFlight.MIGRATE).highlyAvailable());

        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
        assertThat(scene.queued()).containsExactly(WorkKind.PROCESS_DOWN, WorkKind.HA_RESTART);
    }

    @Test
    @DisplayName("a command that waits for a VM that is suspended waits no more")
    void suspendedWhileACommandWaits() {
        Scene scene =
                vm(VmStatus.SAVING_STATE)
                        .waitedForBy(InFlight.RUN)
                        .saysDown(H1, ExitStatus.NORMAL, ExitReason.SAVE_STATE_SUCCEEDED);

        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
        assertThat(scene.commands().isWaitedFor()).isFalse();
    }

    @Test
    @DisplayName(
            "S25 the end of a VM that was just powered off is audited as that, an error as an"
                    + " error")
    void endsAfterPowerOff() {
        assertThat(stops(vm(VmStatus.UP).poweredOffJustNow()).runtime().exitMessage())
                .isEqualTo("It was powered off");
        assertThat(fails(vm(VmStatus.UP).poweredOffJustNow()).runtime().exitMessage())
                .isEqualTo("msg");
    }

    @Test
    @DisplayName("a host that does not know how a VM ended has said nothing")
    void unknownExit() {
        assertThat(vm(VmStatus.UP).saysDown(H1, ExitStatus.UNKNOWN, ExitReason.UNKNOWN).isQuiet())
                .isTrue();
    }

    @Test
    @DisplayName(
            "a destination on which a VM never arrived does not end it, when no source is known")
    void neverArrived() {
        Scene scene =
                vm(VmStatus.MIGRATING_TO)
                        .saysDown(H1, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED);
        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.destroyed()).isEmpty();

        scene.says(H2, VmStatus.UP);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("a VM that never arrived and was seen nowhere is down in the end")
    void neverArrivedAnywhere() {
        Scene scene =
                vm(VmStatus.MIGRATING_TO)
                        .saysDown(H1, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED)
                        .afterLongWaiting()
                        .saysDown(H1, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED);

        assertThat(scene.status()).isEqualTo(VmStatus.DOWN);
        assertThat(scene.destroyed()).containsExactly(H1);
    }

    @Test
    @DisplayName(
            "a source that fell silent during a migration and returns without the VM has passed "
                    + "it on")
    void goneFromASourceThatWasSilent() {
        Scene scene = vm(VmStatus.UNKNOWN).migratingTo(H2).doesNotMention(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.MIGRATING_TO);
        assertThat(scene.host()).isEqualTo(H2);
    }

    @Test
    @DisplayName("a VM paused elsewhere during a migration to an unknown host has arrived")
    void pausedOnAnUnannouncedHost() {
        Scene scene = vm(VmStatus.MIGRATING_FROM).saysPaused(H2, PauseStatus.NOERR);

        assertThat(scene.host()).isEqualTo(H1);
        assertThat(scene.contested()).isEqualTo(H2);
        assertThat(scene.destroyed()).isEmpty();

        scene.claimedBy(H2, VmStatus.PAUSED).saysMigratedAway(H1);
        assertThat(scene.status()).isEqualTo(VmStatus.PAUSED);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.destroyed()).containsExactly(H1);
    }

    @Test
    @DisplayName("an unknown VM that is the source of a migration elsewhere runs there")
    void unknownAndMigratingElsewhere() {
        Scene scene = vm(VmStatus.UNKNOWN).says(H2, VmStatus.MIGRATING_FROM);
        assertThat(scene.contested()).isEqualTo(H2);

        scene.claimedBy(H2, VmStatus.MIGRATING_FROM).doesNotMention(H1);

        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.status()).isEqualTo(VmStatus.MIGRATING_FROM);
    }
}
