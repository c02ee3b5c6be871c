package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.analysis.Scene.H1;
import static org.stillwater.core.analysis.Scene.H2;
import static org.stillwater.core.analysis.Scene.MAC;
import static org.stillwater.core.analysis.Scene.migrating;
import static org.stillwater.core.analysis.Scene.paused;
import static org.stillwater.core.analysis.Scene.vm;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.analysis.Decision.Signal;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;

/** A VM on its host changes (monitoring specification §2.4, §4.4). */
class TransitionScenariosTest {

    @Test
    @DisplayName("S3 a VM that is launched powers up: resources reserved for it are in use")
    void poweringUp() {
        Scene scene =
                vm(VmStatus.WAIT_FOR_LAUNCH)
                        .waitedForBy(InFlight.RUN)
                        .says(H1, VmStatus.POWERING_UP);

        assertThat(scene.status()).isEqualTo(VmStatus.POWERING_UP);
        assertThat(scene.signals()).containsExactly(Signal.POWERING_UP);
        assertThat(scene.audited()).isEmpty();
        assertThat(scene.commands().inFlight()).isEqualTo(InFlight.RUN);
    }

    @ParameterizedTest
    @EnumSource(names = {"DOWN", "SUSPENDED"})
    @DisplayName("a VM that runs without a start by the engine is reported once")
    void startedOutside(VmStatus before) {
        Scene scene = vm(before).says(H2, VmStatus.UP);

        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_STARTED_OUTSIDE_ENGINE);
        assertThat(scene.says(H2, VmStatus.UP).isQuiet()).isTrue();
    }

    @Test
    @DisplayName("a VM started by an operation is not reported as started outside the engine")
    void startedByAnOperation() {
        Scene scene =
                vm(VmStatus.WAIT_FOR_LAUNCH)
                        .waitedForBy(InFlight.RUN)
                        .says(H1, VmStatus.POWERING_UP);

        assertThat(scene.audited()).isEmpty();
    }

    @Test
    @DisplayName("the source of a failed migration removes what arrived, unless a poll lists it")
    void removedByItsSource() {
        Scene event = migrating().byEvent();
        assertThat(event.saysDown(H2, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED).destroyed())
                .isEmpty();
        Scene poll = migrating();
        assertThat(poll.saysDown(H2, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED).destroyed())
                .containsExactly(H2);
    }

    @Test
    @DisplayName("S4 a VM is up: the run command succeeded and waits no more; monitoring is silent")
    void up() {
        Scene scene = vm(VmStatus.POWERING_UP).waitedForBy(InFlight.RUN).says(H1, VmStatus.UP);

        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.signals()).containsExactly(Signal.POWERING_UP, Signal.RUN_SUCCEEDED);
        assertThat(scene.commands().isWaitedFor()).isFalse();
        assertThat(scene.audited()).isEmpty();
    }

    @ParameterizedTest(name = "S5 S6 S7 a VM paused by {0} is audited as {1}")
    @CsvSource({
        "EIO, VM_PAUSED_EIO",
        "ENOSPC, VM_PAUSED_ENOSPC",
        "EPERM, VM_PAUSED_EPERM",
        "EOTHER, VM_PAUSED_ERROR",
        "NOERR,"
    })
    @DisplayName("S5 S6 S7 a paused VM is audited with its cause, and no command waits for it")
    void pause(PauseStatus cause, AuditEvent byCause) {
        Scene scene = vm(VmStatus.UP).waitedForBy(InFlight.RUN).saysPaused(H1, cause);

        assertThat(scene.status()).isEqualTo(VmStatus.PAUSED);
        assertThat(scene.runtime().pauseStatus()).isEqualTo(cause);
        assertThat(scene.audited())
                .isEqualTo(
                        byCause == null
                                ? List.of(AuditEvent.VM_PAUSED)
                                : List.of(AuditEvent.VM_PAUSED, byCause));
        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
        assertThat(scene.commands().isWaitedFor()).isFalse();
    }

    @Test
    @DisplayName("S8 a VM recovers from a storage error")
    void recovered() {
        Scene scene =
                paused(PauseStatus.EIO)
                        .says(
                                H1,
                                seen ->
                                        seen.with(RuntimeField.STATUS, VmStatus.UP)
                                                .with(RuntimeField.PAUSE_STATUS, PauseStatus.NONE));

        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.runtime().pauseStatus()).isEqualTo(PauseStatus.NONE);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_RECOVERED_FROM_PAUSE_ERROR);
    }

    @Test
    @DisplayName("a VM that a user paused and resumed did not recover from anything")
    void resumed() {
        assertThat(paused(PauseStatus.NOERR).says(H1, VmStatus.UP).audited()).isEmpty();
    }

    @Test
    @DisplayName("S9 a VM that stays paused is quiet")
    void stillPaused() {
        assertThat(paused(PauseStatus.EIO).saysPaused(H1, PauseStatus.EIO).isQuiet()).isTrue();
    }

    @Test
    @DisplayName("a paused VM that runs into a storage error is audited with that error only")
    void anotherCause() {
        assertThat(paused(PauseStatus.NOERR).saysPaused(H1, PauseStatus.ENOSPC).audited())
                .containsExactly(AuditEvent.VM_PAUSED_ENOSPC);
    }

    @Test
    @DisplayName("a paused VM with an unchanged cause is not reported again")
    void sameCause() {
        Scene scene =
                paused(PauseStatus.EIO)
                        .says(H1, seen -> seen.with(RuntimeField.GUEST_HOST_NAME, "other"));

        assertThat(scene.changedState()).isTrue();
        assertThat(scene.audited()).isEmpty();
    }

    @Test
    @DisplayName("S10 a VM that was to shut down is up again")
    void powerDownFailed() {
        Scene scene = vm(VmStatus.POWERING_DOWN).says(H1, VmStatus.UP);

        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_POWER_DOWN_FAILED);
    }

    @Test
    @DisplayName("S11 a VM with a silent QEMU monitor: audited once")
    void notResponding() {
        VmStatus meant = ReportRules.effectiveStatus(VmStatus.UP, false);
        Scene scene = vm(VmStatus.UP).says(H1, meant);

        assertThat(scene.status()).isEqualTo(VmStatus.NOT_RESPONDING);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_NOT_RESPONDING);
        assertThat(scene.says(H1, meant).isQuiet()).isTrue();
    }

    @Test
    @DisplayName("S12 a paused VM with a silent QEMU monitor stays paused")
    void pausedAndNotResponding() {
        VmStatus meant = ReportRules.effectiveStatus(VmStatus.PAUSED, false);
        Scene scene = paused(PauseStatus.NOERR).says(H1, meant);

        assertThat(scene.isQuiet()).isTrue();
        assertThat(scene.status()).isEqualTo(VmStatus.PAUSED);
    }

    @Test
    @DisplayName("S13 a guest reboots: audited once, pending unplugs of memory are dropped")
    void reboot() {
        Scene scene = vm(VmStatus.UP).says(H1, VmStatus.REBOOT_IN_PROGRESS);

        assertThat(scene.audited()).containsExactly(AuditEvent.USER_REBOOT_VM);
        assertThat(scene.told(AuditEvent.USER_REBOOT_VM, "user")).isEqualTo("Guest OS");
        assertThat(scene.signals()).containsExactly(Signal.MEMORY_UNPLUG_FORGOTTEN);
        assertThat(scene.says(H1, VmStatus.REBOOT_IN_PROGRESS).isQuiet()).isTrue();
    }

    @Test
    @DisplayName("S30 an unknown VM is known again")
    void restored() {
        Scene scene = vm(VmStatus.UNKNOWN).waitedForBy(InFlight.MIGRATE).says(H1, VmStatus.PAUSED);

        assertThat(scene.status()).isEqualTo(VmStatus.PAUSED);
        assertThat(scene.audited())
                .containsExactly(AuditEvent.VM_STATUS_RESTORED, AuditEvent.VM_PAUSED);
        assertThat(scene.told(AuditEvent.VM_STATUS_RESTORED, "status")).isEqualTo("paused");
        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
    }

    @Test
    @DisplayName("S30 a command goes on waiting for an unknown VM that is still under way")
    void restoredUnderWay() {
        Scene scene =
                vm(VmStatus.UNKNOWN).waitedForBy(InFlight.RUN).says(H1, VmStatus.WAIT_FOR_LAUNCH);

        assertThat(scene.commands().inFlight()).isEqualTo(InFlight.RUN);
        assertThat(scene.says(H1, VmStatus.UP).signals()).contains(Signal.RUN_SUCCEEDED);
    }

    @Test
    @DisplayName("S42 a migrating VM that is unknown is waited for while it arrives")
    void restoredWhileArriving() {
        assertThat(
                        vm(VmStatus.UNKNOWN)
                                .migratingTo(H2)
                                .waitedForBy(InFlight.MIGRATE)
                                .says(H2, VmStatus.UP)
                                .signals())
                .containsExactly(Signal.MIGRATION_SUCCEEDED, Signal.POWERING_UP);
        assertThat(
                        vm(VmStatus.UNKNOWN)
                                .waitedForBy(InFlight.RUN)
                                .says(H1, VmStatus.POWERING_UP)
                                .signals())
                .contains(Signal.COMMAND_DROPPED);
    }

    @Test
    @DisplayName(
            "S81 a VM on a silent host is unknown, with everything else kept, and audited once")
    void unknown() {
        Scene scene =
                vm(VmStatus.UP)
                        .with(RuntimeField.CLIENT_IP, "10.0.0.1")
                        .waitedForBy(InFlight.MIGRATE)
                        .stopsAnswering(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(scene.host()).isEqualTo(H1);
        assertThat(scene.runtime().clientIp()).isEqualTo("10.0.0.1");
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_SET_TO_UNKNOWN_STATUS);
        assertThat(scene.signals()).containsExactly(Signal.COMMAND_DROPPED);
        assertThat(scene.stopsAnswering(H1).isQuiet()).isTrue();
        assertThat(vm(VmStatus.DOWN).stopsAnswering(H1).isQuiet()).isTrue();
    }

    /** The event of a start leaves out unchanged fields. */
    @ParameterizedTest(name = "the last run ended with {0}")
    @EnumSource(
            value = ExitReason.class,
            names = {"MIGRATION_SUCCEEDED", "MIGRATION_FAILED"})
    void aVmThatRunsAgainIsNotAwaited(ExitReason reason) {
        Scene scene =
                vm(VmStatus.DOWN)
                        .with(RuntimeField.EXIT_REASON, reason)
                        .says(H1, VmStatus.UP)
                        .stopsAnswering(H1);
        assertThat(scene.status()).isEqualTo(VmStatus.UNKNOWN);

        scene.doesNotMention(H1);

        assertThat(scene.status()).isEqualTo(VmStatus.DOWN);
    }

    @Test
    @DisplayName("S42 a VM arrives: quiet while it migrates, then up, and the command succeeded")
    void arrival() {
        Scene scene =
                vm(VmStatus.MIGRATING_TO)
                        .on(H2)
                        .migratingTo(H2)
                        .waitedForBy(InFlight.MIGRATE)
                        .says(H2, VmStatus.MIGRATING_TO);
        assertThat(scene.isQuiet()).isTrue();

        scene.says(H2, VmStatus.UP);
        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.placement().migratingTo()).isNull();
        assertThat(scene.signals()).containsExactly(Signal.POWERING_UP, Signal.MIGRATION_SUCCEEDED);
    }

    @Test
    @DisplayName("a VM handed over to a silent host has arrived when that host reports it")
    void arrivalOnAHostThatWasSilent() {
        Scene scene =
                migrating()
                        .waitedForBy(InFlight.MIGRATE)
                        .silent(H2)
                        .saysMigratedAway(H1)
                        .says(H2, VmStatus.UP);

        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.signals()).contains(Signal.MIGRATION_SUCCEEDED);
        assertThat(scene.commands().isWaitedFor()).isFalse();
    }

    @Test
    @DisplayName("S45 a migration fails: the VM stays where it was and the migration is run again")
    void migrationFailed() {
        Scene scene = migrating().waitedForBy(InFlight.MIGRATE).says(H1, VmStatus.UP);

        assertThat(scene.status()).isEqualTo(VmStatus.UP);
        assertThat(scene.host()).isEqualTo(H1);
        assertThat(scene.placement().migratingTo()).isNull();
        assertThat(scene.queued()).containsExactly(WorkKind.RERUN_MIGRATION);
        assertThat(scene.commands().isWaitedFor()).isFalse();
    }

    @ParameterizedTest(name = "the source of a migration says {0}")
    @EnumSource(
            value = VmStatus.class,
            names = {"UNASSIGNED", "NOT_RESPONDING", "SAVING_STATE", "RESTORING_STATE"})
    void aMigrationHasFailedInEveryOtherStatusOfTheSource(VmStatus said) {
        Scene scene = migrating().waitedForBy(InFlight.MIGRATE).says(H1, said);

        assertThat(scene.status()).isEqualTo(said);
        assertThat(scene.placement().migratingTo()).isNull();
        assertThat(scene.queued()).containsExactly(WorkKind.RERUN_MIGRATION);
        assertThat(scene.commands().isWaitedFor()).isFalse();
        assertThat(scene.says(H1, VmStatus.UP).queued()).as("told once").isEmpty();
    }

    @Test
    @DisplayName("S48 post-copy hands over; the source's paused half is not shown")
    void postCopy() {
        Scene scene = migrating().saysPaused(H1, PauseStatus.POSTCOPY);

        assertThat(scene.status()).isEqualTo(VmStatus.MIGRATING_TO);
        assertThat(scene.host()).isEqualTo(H2);
        assertThat(scene.audited()).isEmpty();
        assertThat(scene.saysPaused(H1, PauseStatus.POSTCOPY).isQuiet()).isTrue();
    }

    @Test
    @DisplayName("S50 a VM arrives paused: the migration succeeded and the pause is audited")
    void arrivalPaused() {
        Scene scene =
                vm(VmStatus.MIGRATING_TO)
                        .on(H2)
                        .waitedForBy(InFlight.MIGRATE)
                        .saysPaused(H2, PauseStatus.NOERR);

        assertThat(scene.status()).isEqualTo(VmStatus.PAUSED);
        assertThat(scene.signals()).containsExactly(Signal.MIGRATION_SUCCEEDED);
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_PAUSED);
    }

    @Test
    @DisplayName("S51 a console is opened and closed by the holder of its ticket")
    void console() {
        Scene scene =
                vm(VmStatus.UP)
                        .with(RuntimeField.CLIENT_IP, "")
                        .consoleHeldBy("u")
                        .says(H1, seen -> seen.with(RuntimeField.CLIENT_IP, "10.0.0.1"));
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_CONSOLE_CONNECTED);
        assertThat(scene.told(AuditEvent.VM_CONSOLE_CONNECTED, "user")).isEqualTo("u");

        scene.says(H1, seen -> seen.with(RuntimeField.GUEST_HOST_NAME, "other"));
        assertThat(scene.audited()).as("still the same client").isEmpty();

        scene.says(H1, seen -> seen.with(RuntimeField.CLIENT_IP, ""));
        assertThat(scene.audited()).containsExactly(AuditEvent.VM_CONSOLE_DISCONNECTED);
        assertThat(scene.told(AuditEvent.VM_CONSOLE_DISCONNECTED, "user")).isEqualTo("u");
    }

    @Test
    @DisplayName("S52 T47 a console that was never reported is no console that was closed")
    void consoleNeverReported() {
        Scene scene = vm(VmStatus.UP).says(H1, seen -> seen.with(RuntimeField.CLIENT_IP, ""));

        assertThat(scene.audited()).isEmpty();
        assertThat(scene.says(H1, seen -> seen.with(RuntimeField.CLIENT_IP, "")).isQuiet())
                .isTrue();
    }

    @Test
    @DisplayName("S53 the applications of a guest that boots are those known from before")
    void applicationsWhileBooting() {
        assertThat(
                        vm(VmStatus.POWERING_UP)
                                .with(RuntimeField.APP_LIST, "a")
                                .says(H1, seen -> seen.with(RuntimeField.APP_LIST, ""))
                                .isQuiet())
                .isTrue();
    }

    @Test
    @DisplayName("S54 other applications: saved, and their listener is called")
    void applications() {
        Scene scene =
                vm(VmStatus.UP)
                        .with(RuntimeField.APP_LIST, "a")
                        .says(H1, seen -> seen.with(RuntimeField.APP_LIST, "a,b"));

        assertThat(scene.runtime().text(RuntimeField.APP_LIST)).isEqualTo("a,b");
        assertThat(scene.signals()).containsExactly(Signal.APPLICATIONS_CHANGED);
    }

    private static VmRuntime withGuestNics(VmRuntime seen) {
        return seen.with(
                RuntimeField.GUEST_NICS,
                new GuestNics(
                        77,
                        List.of(
                                new GuestNic(
                                        "lo", "00:00:00:00:00:00", List.of("127.0.0.1"), List.of()),
                                new GuestNic(
                                        "eth0",
                                        MAC,
                                        List.of("10.0.0.5"),
                                        List.of("fe80::1%2", "bad")),
                                new GuestNic(
                                        "eth1",
                                        "56:6f:00:00:00:02",
                                        List.of("10.0.0.6"),
                                        List.of()))));
    }

    @Test
    @DisplayName("S55 S56 addresses of interfaces that are the VM's and have a profile; then quiet")
    void guestNics() {
        Scene scene = vm(VmStatus.UP).says(H1, TransitionScenariosTest::withGuestNics);

        assertThat(scene.runtime().guestIps()).isEqualTo("10.0.0.5 fe80::1");
        assertThat(scene.says(H1, TransitionScenariosTest::withGuestNics).isQuiet()).isTrue();
    }

    @Test
    @DisplayName("S57 an agent that stopped takes the addresses with it")
    void noGuestNics() {
        Scene scene = vm(VmStatus.UP).says(H1, TransitionScenariosTest::withGuestNics);

        scene.says(H1, seen -> seen.with(RuntimeField.GUEST_NICS, GuestNics.NONE));
        assertThat(scene.runtime().guestIps()).isNull();
        assertThat(scene.runtime().guestNics().digest()).isZero();
    }

    private static VmRuntime watchdog(VmRuntime seen, long time) {
        return seen.with(RuntimeField.LAST_WATCHDOG_EVENT, time)
                .with(RuntimeField.LAST_WATCHDOG_ACTION, "reset");
    }

    @Test
    void anyNumberMayBeTheTimeOfTheWatchdog() {
        Scene scene = vm(VmStatus.UP).says(H1, seen -> watchdog(seen, Long.MAX_VALUE));
        assertThat(scene.told(AuditEvent.WATCHDOG_EVENT, "time")).isEqualTo("unknown");
        assertThat(scene.runtime().value(RuntimeField.LAST_WATCHDOG_EVENT))
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("S58 each firing of the watchdog is audited once")
    void watchdog() {
        Scene scene = vm(VmStatus.UP).says(H1, seen -> watchdog(seen, 1000));
        assertThat(scene.audited()).containsExactly(AuditEvent.WATCHDOG_EVENT);
        assertThat(scene.told(AuditEvent.WATCHDOG_EVENT, "action")).isEqualTo("reset");
        assertThat(scene.told(AuditEvent.WATCHDOG_EVENT, "time")).isEqualTo("1970-01-01T00:16:40Z");

        assertThat(scene.says(H1, seen -> watchdog(seen, 1000)).isQuiet()).isTrue();
        assertThat(
                        scene.says(H1, seen -> seen.with(RuntimeField.GUEST_HOST_NAME, "other"))
                                .audited())
                .isEmpty();
        assertThat(scene.says(H1, seen -> watchdog(seen, 2000)).audited())
                .containsExactly(AuditEvent.WATCHDOG_EVENT);
    }

    @Test
    @DisplayName("an older watchdog event is no new one")
    void olderWatchdogEvent() {
        Scene scene = vm(VmStatus.UP).says(H1, seen -> watchdog(seen, 2000));

        assertThat(scene.says(H1, seen -> watchdog(seen, 1000)).audited()).isEmpty();
    }
}
