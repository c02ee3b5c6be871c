package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.Decision.Signal;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.testkit.ScriptedReports;

/**
 * Scenarios of migration (monitoring specification §11, S38–S50) on the whole of monitoring: shown
 * states, stored rows, destroyed processes. H1 is alpha, H2 is beta.
 */
class MigrationScenariosTest {

    private final Lab lab = new Lab();
    private final List<Signal> told = new ArrayList<>();
    private long stamp = 1_000;

    @BeforeEach
    void listen() {
        lab.engine.onSignals((_, _, signal) -> told.add(signal));
    }

    // ------------------------------------------------------------------------------------ reports

    private void migrating(HostId destination, boolean highlyAvailable) throws Exception {
        VmStatic plain = Lab.defined(VM, VmOrigin.OVIRT);
        lab.storedHosts(ALPHA, BETA);
        lab.vms.put(
                new StoredVm(
                        VM,
                        new VmStatic(
                                plain.name(),
                                plain.origin(),
                                highlyAvailable,
                                plain.memoryMebibytes(),
                                plain.guaranteedMemoryMebibytes(),
                                plain.sockets(),
                                plain.coresPerSocket(),
                                plain.threadsPerCore(),
                                plain.nics()),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                        VmPlacement.on(ALPHA).withMigratingTo(destination)));
        lab.started();
        VmManager vm = lab.engine.manager(VM);
        vm.lock();
        vm.commands(new VmCommands(InFlight.MIGRATE, false, false));
        vm.unlock();
        lab.answer(ALPHA, poll -> says(poll, VmStatus.MIGRATING_FROM));
        lab.answer(BETA, poll -> says(poll, VmStatus.MIGRATING_TO));
        lab.settle();
        told.clear();
    }

    private void migrating() throws Exception {
        migrating(BETA, false);
    }

    private void says(ScriptedReports reports, VmStatus what) {
        reports.running(VM, ++stamp, status(what));
    }

    private void event(HostId host, VmStatus what) {
        lab.event(host, event -> says(event, what)).settle();
    }

    private void paused(HostId host, PauseStatus cause) {
        Consumer<VmRuntime.Draft> fields =
                draft ->
                        draft.set(RuntimeField.STATUS, VmStatus.PAUSED)
                                .set(RuntimeField.PAUSE_STATUS, cause);
        lab.event(host, event -> event.running(VM, ++stamp, fields)).settle();
    }

    private void ended(HostId host, ExitStatus how, ExitReason why) {
        lab.event(host, event -> event.exited(VM, ++stamp, how, why, "")).settle();
    }

    private void migratedAway() {
        ended(ALPHA, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);
    }

    // ------------------------------------------------------------------------------------ results

    private void isShown(VmStatus what, HostId owner) {
        assertThat(lab.status(VM)).isEqualTo(what);
        assertThat(lab.owner(VM)).isEqualTo(owner);
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(what);
        assertThat(lab.vms.vm(VM).placement().runOn()).isEqualTo(owner);
    }

    private HostId destination() {
        return lab.vm(VM).state().placement().migratingTo();
    }

    private List<WorkKind> work() {
        return lab.vms.openWork().stream().map(open -> open.work().kind()).toList();
    }

    private void removed(HostId... hosts) {
        assertThat(lab.host(ALPHA).destroyed()).hasSize(List.of(hosts).contains(ALPHA) ? 1 : 0);
        assertThat(lab.host(BETA).destroyed()).hasSize(List.of(hosts).contains(BETA) ? 1 : 0);
    }

    // ---------------------------------------------------------------------------------- scenarios

    @Test
    @DisplayName("S38 the destination of a migration writes nothing before the VM runs there")
    void theDestinationWritesNothingBeforeTheVmRunsThere() throws Exception {
        migrating();
        int calls = lab.sqlCalls();
        long revision = lab.engine.fleet().revision();

        event(BETA, VmStatus.MIGRATING_TO);

        isShown(VmStatus.MIGRATING_FROM, ALPHA);
        assertThat(lab.sqlCalls()).isEqualTo(calls);
        assertThat(lab.engine.fleet().revision()).isEqualTo(revision);
    }

    @Test
    @DisplayName("S40 S42 the source speaks first: handed over, then up on the destination")
    void theSourceSpeaksFirst() throws Exception {
        migrating();

        migratedAway();
        isShown(VmStatus.MIGRATING_TO, BETA);
        removed(ALPHA);
        assertThat(work()).isEmpty();

        event(BETA, VmStatus.MIGRATING_TO);
        isShown(VmStatus.MIGRATING_TO, BETA);
        event(BETA, VmStatus.UP);
        isShown(VmStatus.UP, BETA);
        assertThat(destination()).isNull();
        assertThat(told).contains(Signal.MIGRATION_SUCCEEDED);
    }

    @Test
    @DisplayName("S43 the destination speaks first: up there, the source's record is removed only")
    void theDestinationSpeaksFirst() throws Exception {
        migrating();

        event(BETA, VmStatus.UP);
        isShown(VmStatus.UP, BETA);
        assertThat(destination()).isNull();
        assertThat(told).contains(Signal.MIGRATION_SUCCEEDED);
        long revision = lab.engine.fleet().revision();

        migratedAway();
        isShown(VmStatus.UP, BETA);
        removed(ALPHA);
        assertThat(lab.engine.fleet().revision()).isEqualTo(revision);
        assertThat(work()).isEmpty();
    }

    @Test
    @DisplayName("S41 handed over to a host that does not respond, a VM is unknown there")
    void handedOverToASilentHost() throws Exception {
        migrating();
        betaFallsSilent();

        migratedAway();

        isShown(VmStatus.UNKNOWN, BETA);
        removed(ALPHA);
    }

    @Test
    @DisplayName("a VM is restarted when the silent host to which it was handed over is fenced")
    void handedOverToAHostThatIsFenced() throws Exception {
        migrating(BETA, true);
        migratedAway();
        betaFallsSilent();
        isShown(VmStatus.UNKNOWN, BETA);
        assertThat(destination()).isEqualTo(BETA);

        assertThat(lab.engine.commandAccess().setDown(BETA, VM, _ -> false)).isTrue();
        lab.settle();

        isShown(VmStatus.DOWN, null);
        assertThat(work()).containsOnlyOnce(WorkKind.HA_RESTART);
        removed(ALPHA);
    }

    private void betaFallsSilent() {
        lab.host(BETA).disconnect(new HostFailure.Unreachable("connection refused"));
        for (int i = 0; i < 6; i++) {
            lab.clock.advance(Duration.ofSeconds(15));
            lab.pump();
            lab.host(ALPHA).answerStatistics();
            lab.pump();
        }
        assertThat(lab.hostStatus(BETA)).isEqualTo(HostStatus.NON_RESPONSIVE);
    }

    @Test
    @DisplayName(
            "S44 T33 a report of a migration by the source is never the end of a VM thought up on "
                    + "it")
    void migratedAwayFromWhereItWasThoughtToBeUp() throws Exception {
        lab.storedHosts(ALPHA, BETA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> says(poll, VmStatus.UP));
        lab.answer(BETA, _ -> {}).settle();

        migratedAway();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
        event(BETA, VmStatus.UP);
        isShown(VmStatus.UP, BETA);
        lab.cycle(
                ALPHA,
                poll ->
                        poll.exited(
                                VM,
                                ++stamp,
                                ExitStatus.NORMAL,
                                ExitReason.MIGRATION_SUCCEEDED,
                                ""));

        isShown(VmStatus.UP, BETA);
        removed(ALPHA);
        assertThat(work()).isEmpty();
    }

    @Test
    @DisplayName("S45 a source that runs the VM again has it back, and the migration is run again")
    void theMigrationFails() throws Exception {
        migrating();

        event(ALPHA, VmStatus.UP);

        isShown(VmStatus.UP, ALPHA);
        assertThat(destination()).isNull();
        assertThat(work()).containsExactly(WorkKind.RERUN_MIGRATION);
        removed();
    }

    @Test
    @DisplayName(
            "S45 S47 in either order: a destination that still lists the VM is cleaned, the VM"
                    + " stays")
    void theMigrationFailsAndTheDestinationSpeaksFirst() throws Exception {
        migrating();

        ended(BETA, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED);
        isShown(VmStatus.MIGRATING_FROM, ALPHA);
        removed(); // the source does that itself

        event(ALPHA, VmStatus.UP);
        isShown(VmStatus.UP, ALPHA);
        removed();

        lab.cycle(
                BETA,
                poll ->
                        poll.exited(
                                VM, ++stamp, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED, ""));
        isShown(VmStatus.UP, ALPHA);
        removed(BETA);
    }

    @Test
    @DisplayName("S46 a VM that fails while it migrates is down, removed from both, restarted once")
    void theVmFailsWhileItMigrates() throws Exception {
        migrating(BETA, true);

        ended(ALPHA, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);

        isShown(VmStatus.DOWN, null);
        assertThat(destination()).isNull();
        removed(ALPHA, BETA);
        assertThat(work()).containsOnlyOnce(WorkKind.HA_RESTART);
    }

    @Test
    @DisplayName("S46 S47 the destination speaks first: still down, restarted once")
    void theVmFailsWhileItMigratesAndTheDestinationSpeaksFirst() throws Exception {
        migrating(BETA, true);

        ended(BETA, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED);
        lab.host(BETA).answerDestroys();
        ended(ALPHA, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        ended(ALPHA, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);

        isShown(VmStatus.DOWN, null);
        assertThat(work()).containsOnlyOnce(WorkKind.HA_RESTART);
    }

    @Test
    @DisplayName("S48 post-copy hands over; the remains are not shown, in either order of reports")
    void postCopyHandsOver() throws Exception {
        migrating();

        paused(ALPHA, PauseStatus.POSTCOPY);
        isShown(VmStatus.MIGRATING_TO, BETA);
        paused(ALPHA, PauseStatus.POSTCOPY);
        isShown(VmStatus.MIGRATING_TO, BETA);
        event(BETA, VmStatus.UP);
        isShown(VmStatus.UP, BETA);
        paused(ALPHA, PauseStatus.POSTCOPY);
        isShown(VmStatus.UP, BETA);
        migratedAway();

        isShown(VmStatus.UP, BETA);
        removed(ALPHA);
    }

    @Test
    @DisplayName(
            "S49 T32 a VM that vanishes while it migrates to an unknown destination is down, on no"
                    + " host")
    void aVmThatMigratesToAnUnannouncedHostVanishes() throws Exception {
        migrating(null, false);

        lab.cycle(ALPHA, _ -> {});

        isShown(VmStatus.DOWN, null);
        assertThat(lab.vm(VM).state().runtime().exitStatus()).isEqualTo(ExitStatus.ERROR);
    }

    @Test
    @DisplayName("S50 a VM arrives paused, before or after its source reports its departure")
    void aVmArrivesPaused() throws Exception {
        migrating();
        migratedAway();
        paused(BETA, PauseStatus.EIO);
        isShown(VmStatus.PAUSED, BETA);
        assertThat(told).contains(Signal.MIGRATION_SUCCEEDED);
        removed(ALPHA);
    }

    @Test
    @DisplayName(
            "S50 a VM that arrives paused before its source reports its departure is not destroyed")
    void aVmArrivesPausedFirst() throws Exception {
        migrating();
        paused(BETA, PauseStatus.EIO);
        isShown(VmStatus.PAUSED, BETA);
        migratedAway();
        isShown(VmStatus.PAUSED, BETA);
        removed(ALPHA);
    }

    @Test
    @DisplayName("S42 T32 a handed-over VM is asked for at its new host at once")
    void theNewHostIsPolledAtOnce() throws Exception {
        migrating();
        assertThat(lab.host(BETA).pollsWaiting()).isZero();

        migratedAway();
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();

        assertThat(lab.host(BETA).pollsWaiting()).isOne();
    }

    @Test
    @DisplayName("S43 a removal that waits for the database spares the VM that came back since")
    void aRemovalThatWaitedSparesTheVm() throws Exception {
        migrating();
        lab.vms.unavailable("away");
        lab.event(BETA, event -> says(event, VmStatus.UP)).settle();
        lab.event(
                        ALPHA,
                        event ->
                                event.exited(
                                        VM,
                                        ++stamp,
                                        ExitStatus.NORMAL,
                                        ExitReason.MIGRATION_SUCCEEDED,
                                        ""))
                .settle();
        lab.event(ALPHA, event -> says(event, VmStatus.MIGRATING_TO)).settle();
        removed();

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(30));
        lab.pump();

        removed();
        assertThat(lab.owner(VM)).isEqualTo(BETA);
    }

    // -------------------------------------------------------------------------------------- traps

    @Test
    @DisplayName("T9 both sides of a failed migration are removed with no VM locked meanwhile")
    void removingLocksNothing() throws Exception {
        migrating();
        ended(BETA, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED);
        ended(ALPHA, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
        // Neither host answers: neither delays a caller that needs the VM.
        removed(ALPHA, BETA);
        assertThat(isFree(VM)).isTrue();

        event(BETA, VmStatus.UP);
        isShown(VmStatus.UP, BETA);
        lab.host(ALPHA).answerDestroys();
        lab.host(BETA).answerDestroys();
        lab.settle();
        assertThat(isFree(VM)).isTrue();
    }

    @Test
    @DisplayName("T10 an analysis that throws for the second of three VMs costs that VM's report")
    void anAnalysisThatThrowsCostsOneReport() throws Exception {
        VmId third = vmId(3);
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .storedVm(third, ALPHA, VmStatus.UP)
                .started();
        breakDefinition(OTHER);
        Consumer<VmRuntime.Draft> changed =
                draft ->
                        draft.set(RuntimeField.STATUS, VmStatus.POWERING_DOWN)
                                .set(
                                        RuntimeField.GUEST_NICS,
                                        new GuestNics(
                                                7,
                                                List.of(
                                                        new GuestNic(
                                                                "eth0",
                                                                Lab.MAC,
                                                                List.of("10.0.0.5"),
                                                                List.of()))));

        lab.answer(
                        ALPHA,
                        poll ->
                                poll.running(VM, 1, changed)
                                        .running(OTHER, 1, changed)
                                        .running(third, 1, changed))
                .settle();

        assertThat(lab.counter("stillwater.reports", "outcome", "failed")).isOne();
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(lab.vms.vm(third).runtime().status()).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(lab.status(OTHER)).isEqualTo(VmStatus.UP);
        assertThat(isFree(OTHER)).isTrue();
    }

    @Test
    @DisplayName("T15 after a failed poll nothing is known; no VM counts as absent")
    void aPollThatFails() throws Exception {
        migrating();

        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        lab.host(ALPHA).failPoll(new HostFailure.TimedOut("Host.getAllVmStats", 180_000));
        lab.settle();

        isShown(VmStatus.MIGRATING_FROM, ALPHA);
        removed();
    }

    @Test
    @DisplayName("T31 in the first cycle after a start no report is older than the last change")
    void theFirstCycleAfterAStart() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();

        lab.answer(ALPHA, poll -> says(poll, VmStatus.POWERING_DOWN)).settle();

        isShown(VmStatus.POWERING_DOWN, ALPHA);
        assertThat(lab.counter("stillwater.reports", "outcome", "accepted")).isOne();
    }

    /** As a bug might: no definition that a VM can have makes its analysis throw. */
    private void breakDefinition(VmId id) throws ReflectiveOperationException {
        Field definition = VmManager.class.getDeclaredField("definition");
        definition.setAccessible(true);
        definition.set(lab.engine.manager(id), null);
    }

    private boolean isFree(VmId id) throws InterruptedException {
        VmManager vm = lab.engine.manager(id);
        boolean[] free = new boolean[1];
        Thread other =
                Thread.ofVirtual()
                        .start(() -> {
                            free[0] = vm.tryLock();
                            if (free[0]) {
                                vm.unlock();
                            }
                        });
        other.join();
        return free[0];
    }

    @Test
    void aVmThatItsFormerHostMentionsAtTheSameTimeIsNotAbsent() throws Exception {
        VmId absent = vmId(3);
        lab.storedHosts(ALPHA, BETA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .storedVm(absent, ALPHA, VmStatus.UP)
                .started();
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(VM, 100, status(VmStatus.UP))
                                .running(OTHER, 100, status(VmStatus.UP))
                                .running(absent, 100, status(VmStatus.UP)));
        lab.answer(BETA, _ -> {}).settle();
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        lab.host(BETA).answerStatistics();
        lab.pump();

        // What the VM left on beta is reported after alpha mentioned the VM, before alpha's answer
        // ends.
        ScriptedReports leftover =
                ScriptedReports.poll(lab.host(BETA).oldestPollNanos())
                        .exited(VM, 50, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED, "");
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(VM, 200, status(VmStatus.UP))
                                .running(
                                        OTHER,
                                        200,
                                        null,
                                        status(VmStatus.UP),
                                        _ -> {
                                            lab.host(BETA).answerPoll(leftover);
                                            lab.engine.pump();
                                        }));
        lab.settle();

        assertThat(leftover.isClosed()).isTrue();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.status(absent)).isEqualTo(VmStatus.DOWN);
    }
}
