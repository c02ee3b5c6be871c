package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.hostId;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.Decision.Signal;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.monitoring.host.ContestedVm;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostTrouble;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmSignals;
import org.stillwater.testkit.ScriptedReports;

/** A host is believed about its own VMs only (monitoring specification §4.5; ADR 0032). */
class ContestedVmsTest {

    private static final HostId GAMMA = hostId(3);

    private final Lab lab = new Lab();
    private final List<Signal> told = new ArrayList<>();
    private long stamp = 1_000;

    @BeforeEach
    void listen() {
        lab.engine.onSignals((_, _, signal) -> told.add(signal));
    }

    // ------------------------------------------------------------------------------------ reports

    private static Consumer<VmRuntime.Draft> paused(PauseStatus cause) {
        return draft ->
                draft.set(RuntimeField.STATUS, VmStatus.PAUSED)
                        .set(RuntimeField.PAUSE_STATUS, cause);
    }

    private void stored(VmStatus status, VmPlacement placement) {
        VmStatic plain = Lab.defined(VM, VmOrigin.OVIRT);
        lab.storedHosts(ALPHA, BETA, GAMMA);
        lab.vms.put(
                new StoredVm(
                        VM,
                        new VmStatic(
                                plain.name(),
                                plain.origin(),
                                true,
                                plain.memoryMebibytes(),
                                plain.guaranteedMemoryMebibytes(),
                                plain.sockets(),
                                plain.coresPerSocket(),
                                plain.threadsPerCore(),
                                plain.nics()),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, status),
                        placement));
    }

    /** A highly available VM on alpha; beta and gamma answer that they have no VM. */
    private void onAlpha(VmStatus status, Consumer<VmRuntime.Draft> seen) throws Exception {
        stored(status, VmPlacement.on(ALPHA));
        lab.started();
        polled(ALPHA, seen);
        lab.answer(BETA, _ -> {});
        lab.answer(GAMMA, _ -> {}).settle();
        lab.clock.advance(Duration.ofSeconds(1));
    }

    private void upOnAlpha() throws Exception {
        onAlpha(VmStatus.UP, status(VmStatus.UP));
    }

    private void polled(HostId host, Consumer<VmRuntime.Draft> seen) {
        lab.answer(host, poll -> poll.running(VM, ++stamp, seen));
    }

    private void event(HostId host, VmStatus what) {
        lab.event(host, event -> event.running(VM, ++stamp, status(what))).settle();
    }

    private void ended(HostId host, ExitStatus how, ExitReason why) {
        lab.event(host, event -> event.exited(VM, ++stamp, how, why, "")).settle();
    }

    private void failed(HostId host) {
        ended(host, ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
    }

    /** Time in which polls outside the schedule are asked for. */
    private void aMoment() {
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
    }

    /** All polls that wait are answered: with this, or without any VM. */
    private void answerWith(HostId host, Consumer<ScriptedReports> content) {
        while (lab.host(host).pollsWaiting() > 0) {
            lab.answer(host, content).settle();
        }
    }

    /** The host answers that it has no VM, also to open calls. */
    private void hasNothing(HostId host) {
        answerWith(host, _ -> {});
        lab.cycle(host, _ -> {});
    }

    private void crash(HostId host) {
        lab.host(host).disconnect(new HostFailure.Unreachable("connection refused"));
        lab.pump();
    }

    private void silentForLong(HostId host, HostId... others) {
        crash(host);
        for (int i = 0; i < 6; i++) {
            lab.clock.advance(Duration.ofSeconds(15));
            lab.pump();
            for (HostId other : others) {
                lab.host(other).answerStatistics();
            }
            lab.pump();
        }
        assertThat(lab.hostStatus(host)).isEqualTo(HostStatus.NON_RESPONSIVE);
    }

    // ------------------------------------------------------------------------------------ results

    private void isShown(VmStatus what, HostId owner) {
        assertThat(lab.status(VM)).isEqualTo(what);
        assertThat(lab.owner(VM)).isEqualTo(owner);
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(what);
        assertThat(lab.vms.vm(VM).placement().runOn()).isEqualTo(owner);
    }

    private List<WorkKind> work() {
        return lab.vms.openWork().stream().map(open -> open.work().kind()).toList();
    }

    private long audited(AuditEvent event) {
        return lab.audit.all().stream().filter(entry -> entry.event() == event).count();
    }

    private HostHealth health(HostId host) {
        return lab.engine.fleet().hostHealth().stream()
                .filter(health -> health.definition().id().equals(host))
                .findFirst()
                .orElseThrow();
    }

    private void nothingIsDestroyed() {
        for (HostId host : List.of(ALPHA, BETA, GAMMA)) {
            assertThat(lab.host(host).destroyed()).as("%s", host).isEmpty();
        }
    }

    // -------------------------------------------------------------------------------- lying hosts

    @Test
    @DisplayName("a third host that reports up, then down with an error, causes no second start")
    void upThenFailedOnAThirdHost() throws Exception {
        upOnAlpha();
        long generation = lab.vms.vm(VM).placement().run().generation();

        event(BETA, VmStatus.UP);
        isShown(VmStatus.UP, ALPHA);
        failed(BETA);
        isShown(VmStatus.UP, ALPHA);

        aMoment();
        answerWith(ALPHA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        answerWith(
                BETA,
                poll -> poll.exited(VM, ++stamp, ExitStatus.ERROR, ExitReason.GENERIC_ERROR, ""));
        lab.settle();
        isShown(VmStatus.UP, ALPHA);
        assertThat(lab.vms.vm(VM).placement().run().generation()).isEqualTo(generation);
        assertThat(work()).isEmpty();
        assertThat(audited(AuditEvent.VM_DOWN_ERROR)).isZero();
        assertThat(audited(AuditEvent.HA_VM_FAILED)).isZero();
        assertThat(lab.host(ALPHA).destroyed()).isEmpty();
        assertThat(told).isEmpty();
    }

    @Test
    @DisplayName("a claim to a VM that is paused does not make it a leftover")
    void aPausedVmIsNotDestroyed() throws Exception {
        onAlpha(VmStatus.PAUSED, paused(PauseStatus.EIO));

        for (int i = 0; i < 3; i++) {
            event(BETA, VmStatus.UP);
            aMoment();
            answerWith(BETA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
            answerWith(ALPHA, poll -> poll.running(VM, ++stamp, paused(PauseStatus.EIO)));
        }
        lab.cycle(ALPHA, poll -> poll.running(VM, ++stamp, paused(PauseStatus.EIO)));
        lab.host(BETA).answerStatistics();
        answerWith(BETA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));

        isShown(VmStatus.PAUSED, ALPHA);
        nothingIsDestroyed();
    }

    @Test
    void aClaimIsAuditedOnceAndShownUntilItEnds() throws Exception {
        upOnAlpha();

        event(BETA, VmStatus.UP);
        assertThat(lab.engine.fleet().contested(VM))
                .singleElement()
                .satisfies(claim -> {
                    assertThat(claim.claimant()).isEqualTo(BETA);
                    assertThat(claim.responsible()).isEqualTo(ALPHA);
                    assertThat(claim.status()).isEqualTo(VmStatus.UP);
                    assertThat(claim.refused()).isFalse();
                });
        assertThat(lab.engine.fleet().contested(BETA))
                .extracting(ContestedVm::vm)
                .containsExactly(VM);
        assertThat(lab.engine.fleet().contested(ALPHA)).isEmpty();
        assertThat(health(BETA).trouble()).isEqualTo(HostTrouble.CONTESTED);
        assertThat(health(BETA).reason()).isEqualTo("it claims a VM of another host");
        assertThat(health(ALPHA).trouble()).isEqualTo(HostTrouble.WELL);
        assertThat(lab.host(ALPHA).pollsWaiting()).as("asked at once").isOne();

        for (int i = 0; i < 4; i++) {
            aMoment();
            answerWith(ALPHA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
            answerWith(BETA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        }
        assertThat(lab.engine.fleet().contested(VM)).allMatch(ContestedVm::refused);
        assertThat(health(BETA).trouble()).isEqualTo(HostTrouble.CONTESTED);
        assertThat(audited(AuditEvent.VM_CONTESTED)).isOne();
        assertThat(audited(AuditEvent.VM_CLAIM_REFUSED)).isOne();
        assertThat(lab.counter("stillwater.vm.contested")).isOne();
        aMoment();
        event(BETA, VmStatus.POWERING_DOWN);
        aMoment();
        assertThat(lab.host(ALPHA).pollsWaiting()).as("it has answered").isZero();

        lab.cycle(BETA, _ -> {});
        assertThat(lab.engine.fleet().contested(VM)).isEmpty();
        assertThat(health(BETA).trouble()).isNotEqualTo(HostTrouble.CONTESTED);
        AuditEntry entry =
                lab.audit.all().stream()
                        .filter(each -> each.event() == AuditEvent.VM_CONTESTED)
                        .findFirst()
                        .orElseThrow();
        assertThat(entry.vmId()).isEqualTo(VM);
        assertThat(entry.hostId()).isEqualTo(BETA);
        assertThat(entry.details()).containsEntry("responsible", "host1");
    }

    @Test
    void nothingIsReadOfAContestedVm() throws Exception {
        upOnAlpha();
        answerWith(ALPHA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        lab.host(BETA).answerStatistics();

        lab.answer(
                        BETA,
                        poll ->
                                poll.running(
                                        VM,
                                        ++stamp,
                                        "another hash",
                                        status(VmStatus.UP),
                                        sample -> sample.cpuUserPercent = 77))
                .settle();

        assertThat(lab.engine.fleet().contested(VM)).hasSize(1);
        assertThat(lab.host(BETA).domainCallsWaiting()).isZero();
        assertThat(lab.engine.fleet().statistics(VM).cpuUserPercent()).isNaN();
        isShown(VmStatus.UP, ALPHA);
    }

    @Test
    void aStartIsNotCompletedByAnotherHost() throws Exception {
        onAlpha(VmStatus.WAIT_FOR_LAUNCH, status(VmStatus.WAIT_FOR_LAUNCH));
        await(InFlight.RUN);

        event(BETA, VmStatus.UP);

        assertThat(told).isEmpty();
        isShown(VmStatus.WAIT_FOR_LAUNCH, ALPHA);
        event(ALPHA, VmStatus.UP);
        assertThat(told).contains(Signal.RUN_SUCCEEDED);
        isShown(VmStatus.UP, ALPHA);
    }

    @Test
    void aMigrationIsNotCompletedByAThirdHost() throws Exception {
        stored(VmStatus.MIGRATING_FROM, VmPlacement.on(ALPHA).withMigratingTo(BETA));
        lab.started();
        polled(ALPHA, status(VmStatus.MIGRATING_FROM));
        polled(BETA, status(VmStatus.MIGRATING_TO));
        lab.answer(GAMMA, _ -> {}).settle();
        await(InFlight.MIGRATE);

        event(GAMMA, VmStatus.UP);
        assertThat(told).isEmpty();
        isShown(VmStatus.MIGRATING_FROM, ALPHA);
        failed(GAMMA);
        isShown(VmStatus.MIGRATING_FROM, ALPHA);
        assertThat(lab.host(BETA).destroyed()).isEmpty();

        event(BETA, VmStatus.UP);
        assertThat(told).contains(Signal.MIGRATION_SUCCEEDED);
        isShown(VmStatus.UP, BETA);
    }

    private void await(InFlight command) {
        VmManager vm = lab.engine.manager(VM);
        vm.lock();
        vm.commands(new VmCommands(command, false, false));
        vm.unlock();
        told.clear();
    }

    @Test
    void onlyTheSourceReportsTheProgressOfAMigration() throws Exception {
        stored(VmStatus.MIGRATING_FROM, VmPlacement.on(ALPHA).withMigratingTo(BETA));
        List<Integer> heard = new ArrayList<>();
        lab.engine.onSignals(
                new VmSignals() {
                    @Override
                    public void told(VmId vm, HostId host, Signal signal) {
                        told.add(signal);
                    }

                    @Override
                    public void migrationProgressed(VmId vm, int percent, Long downtimeMillis) {
                        heard.add(percent);
                    }
                });
        lab.started();
        polled(ALPHA, status(VmStatus.MIGRATING_FROM));

        lab.host(GAMMA).listener().migrationProgressed(VM, 99, null);
        lab.host(ALPHA).listener().migrationProgressed(VM, 40, null);
        lab.pump();
        event(BETA, VmStatus.UP);
        lab.host(GAMMA).listener().migrationProgressed(VM, 98, 7_000L);
        lab.host(ALPHA).listener().migrationProgressed(VM, 100, 12L);
        lab.pump();

        assertThat(heard).containsExactly(40, 100);
    }

    @Test
    void aReportOfAThirdHostDoesNotOutdateTheResponsibleHosts() throws Exception {
        upOnAlpha();
        lab.event(BETA, event -> event.running(VM, Long.MAX_VALUE - 1, status(VmStatus.UP)));
        lab.event(GAMMA, event -> event.running(VM, Long.MAX_VALUE - 1, status(VmStatus.UP)));

        event(ALPHA, VmStatus.POWERING_DOWN);
        isShown(VmStatus.POWERING_DOWN, ALPHA);
        lab.event(ALPHA, event -> event.running(VM, 1, status(VmStatus.UP))).settle();
        isShown(VmStatus.POWERING_DOWN, ALPHA);
    }

    @Test
    @DisplayName("a claimant that got the VM by its word does not have it started by the next one")
    void anEndRightAfterAMoveWaitsForEveryHost() throws Exception {
        upOnAlpha();
        ended(ALPHA, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);
        isShown(VmStatus.UNKNOWN, ALPHA);
        // It runs on gamma, which has not reported it yet; beta lies.
        event(BETA, VmStatus.UP);
        isShown(VmStatus.UP, BETA);
        failed(BETA);
        isShown(VmStatus.UP, BETA);
        assertThat(work()).isEmpty();

        event(GAMMA, VmStatus.UP);
        failed(BETA);

        isShown(VmStatus.UP, GAMMA);
        assertThat(work()).isEmpty();
    }

    @Test
    void anAwaitedVmIsNotEndedByAThirdHost() throws Exception {
        upOnAlpha();
        ended(ALPHA, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);

        failed(BETA);
        isShown(VmStatus.UNKNOWN, ALPHA);
        assertThat(work()).isEmpty();
        assertThat(lab.host(BETA).destroyed()).isEmpty();

        event(GAMMA, VmStatus.UP);
        isShown(VmStatus.UP, GAMMA);
        assertThat(work()).isEmpty();
    }

    @Test
    void anAwaitedVmThatEndedWhereItWentIsDownOnceEveryHostWasHeard() throws Exception {
        upOnAlpha();
        ended(ALPHA, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);
        failed(BETA);
        isShown(VmStatus.UNKNOWN, ALPHA);

        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        answerWith(
                ALPHA,
                poll ->
                        poll.exited(
                                VM,
                                ++stamp,
                                ExitStatus.NORMAL,
                                ExitReason.MIGRATION_SUCCEEDED,
                                ""));
        answerWith(GAMMA, _ -> {});
        answerWith(
                BETA,
                poll -> poll.exited(VM, ++stamp, ExitStatus.ERROR, ExitReason.GENERIC_ERROR, ""));

        isShown(VmStatus.DOWN, null);
        assertThat(work()).contains(WorkKind.HA_RESTART);
    }

    // ------------------------------------------------------------------------------- honest hosts

    @Test
    @DisplayName("moved behind the engine's back: taken over by the answer of the former host")
    void takenOverWhenItsHostLostIt() throws Exception {
        upOnAlpha();

        event(BETA, VmStatus.UP);
        isShown(VmStatus.UP, ALPHA);
        lab.answer(ALPHA, _ -> {}).settle();

        isShown(VmStatus.UP, BETA);
        assertThat(audited(AuditEvent.VM_MOVED_UNEXPECTEDLY)).isOne();
        assertThat(work()).isEmpty();
        assertThat(lab.engine.fleet().contested(VM)).isEmpty();
        nothingIsDestroyed();
    }

    @Test
    void takenOverWhenItsHostReportsAMigration() throws Exception {
        upOnAlpha();

        event(BETA, VmStatus.POWERING_UP);
        ended(ALPHA, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);

        isShown(VmStatus.POWERING_UP, BETA);
        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
        assertThat(work()).isEmpty();
    }

    @Test
    void takenOverAtOnceWhenItsHostSpokeFirst() throws Exception {
        upOnAlpha();
        ended(ALPHA, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);

        event(BETA, VmStatus.UP);

        isShown(VmStatus.UP, BETA);
        assertThat(work()).isEmpty();
        assertThat(audited(AuditEvent.VM_CONTESTED)).isZero();
    }

    @Test
    void aVmThatFailsWhereItRunsIsRestartedAlthoughAClaimHasEnded() throws Exception {
        upOnAlpha();
        event(BETA, VmStatus.UP);
        hasNothing(BETA);
        assertThat(lab.engine.fleet().contested(VM)).isEmpty();

        failed(ALPHA);

        isShown(VmStatus.DOWN, null);
        assertThat(work()).contains(WorkKind.HA_RESTART);
    }

    @Test
    void aPollRequestedBeforeAClaimDoesNotEndIt() throws Exception {
        upOnAlpha();
        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        lab.host(BETA).answerStatistics();
        lab.pump();
        assertThat(lab.host(BETA).pollsWaiting()).isOne();
        event(BETA, VmStatus.UP);

        lab.answer(BETA, _ -> {}).settle();

        assertThat(lab.engine.fleet().contested(VM)).hasSize(1);
    }

    @Test
    @DisplayName("a poll that repeats a claim keeps it, also where it is older than the VM")
    void aMentionThatIsTooOldEndsNoClaim() throws Exception {
        upOnAlpha();
        event(BETA, VmStatus.UP);
        answerWith(ALPHA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        answerWith(BETA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        lab.host(BETA).answerStatistics();
        lab.pump();
        assertThat(lab.host(BETA).pollsWaiting()).isOne();
        lab.clock.advance(Duration.ofMillis(10));
        event(ALPHA, VmStatus.POWERING_DOWN);

        lab.answer(BETA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP))).settle();

        assertThat(lab.engine.fleet().contested(VM)).hasSize(1);
        failed(ALPHA);
        isShown(VmStatus.UP, BETA);
        assertThat(work()).isEmpty();
        assertThat(audited(AuditEvent.VM_CONTESTED)).isOne();
    }

    @Test
    @DisplayName("while the responsible host is silent, a claimant is polled by its cycle only")
    void aClaimAgainstASilentHostCausesNoPolls() throws Exception {
        upOnAlpha();
        silentForLong(ALPHA, BETA, GAMMA);
        answerWith(BETA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        assertThat(lab.engine.fleet().contested(VM)).hasSize(1);

        aMoment();
        event(BETA, VmStatus.UP);
        aMoment();

        assertThat(lab.host(BETA).pollsWaiting()).isZero();
    }

    @Test
    void aLateRefusalBringsNoClaimBack() throws Exception {
        upOnAlpha();
        event(BETA, VmStatus.UP);
        VmManager vm = lab.engine.manager(VM);
        vm.lock();
        try {
            vm.refusalTold(BETA);
            assertThat(vm.claims()).singleElement().matches(claim -> claim.refusalTold());
            vm.unclaim(BETA);
            vm.refusalTold(BETA);
            assertThat(vm.claims()).isEmpty();
        } finally {
            vm.unlock();
        }
    }

    @Test
    void aClaimEndsWhenItsHostHasBooted() throws Exception {
        upOnAlpha();
        event(BETA, VmStatus.UP);
        crash(BETA);
        assertThat(lab.engine.fleet().contested(VM)).as("it may still run there").hasSize(1);

        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        lab.host(BETA).connect();
        lab.pump();
        lab.host(BETA).answerCapabilities("boot-2");
        lab.pump();

        assertThat(lab.engine.fleet().contested(VM)).isEmpty();
    }

    /** Its boot id was never reported before, so it is unknown whether it is a new one. */
    @Test
    void aBootThatIsOnlyPossibleEndsNoClaim() throws Exception {
        stored(VmStatus.UP, VmPlacement.on(ALPHA));
        lab.engine.startWithoutThreads();
        lab.clock.advance(lab.settings.hosts().connectSpread());
        lab.engine.pump();
        lab.connect(ALPHA);
        lab.host(BETA).connect();
        lab.pump();
        event(BETA, VmStatus.UP);
        assertThat(lab.engine.fleet().contested(VM)).hasSize(1);
        crash(BETA);

        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        lab.host(BETA).connect();
        lab.pump();
        lab.host(BETA).answerCapabilities("boot-2");
        lab.pump();

        assertThat(lab.engine.fleet().contested(VM)).hasSize(1);
    }

    @Test
    void aClaimOutlivesARemovalThatFailsAndEndsWithOneThatDoesNot() throws Exception {
        upOnAlpha();
        event(BETA, VmStatus.UP);
        assertThat(lab.engine.administration().order(BETA, new HostFact.Maintain(null)))
                .isNotNull();
        for (int i = 0; i < 20 && lab.hostStatus(BETA) != HostStatus.MAINTENANCE; i++) {
            lab.clock.advance(Duration.ofSeconds(3));
            lab.pump();
            lab.host(BETA)
                    .answerStatistics(new HostValues().put(HostField.VM_COUNT, 0).statistics());
            lab.settle();
        }
        assertThat(lab.hostStatus(BETA)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(lab.engine.fleet().contested(VM)).hasSize(1);
        lab.hosts.unavailable("gone");

        assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(
                        () -> lab.engine.administration().removeHost(BETA, Duration.ofSeconds(1)));
        assertThat(lab.engine.fleet().contested(VM)).hasSize(1);
        assertThat(lab.engine.fleet().contested(BETA)).hasSize(1);

        lab.hosts.unavailable(null);
        assertThat(lab.engine.administration().removeHost(BETA, Duration.ofSeconds(1)))
                .isInstanceOf(OrderAnswer.Followed.class);
        assertThat(lab.engine.fleet().contested(VM)).isEmpty();
    }

    @Test
    void theClaimantHasAVmThatFailedOnItsHost() throws Exception {
        upOnAlpha();
        event(BETA, VmStatus.UP);
        failed(ALPHA);
        isShown(VmStatus.UP, BETA);
        assertThat(lab.engine.fleet().contested(BETA)).isEmpty();
        event(GAMMA, VmStatus.UP);
        assertThat(lab.engine.fleet().contested(GAMMA)).hasSize(1);
        hasNothing(GAMMA);
        hasNothing(ALPHA);

        ended(BETA, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN);

        isShown(VmStatus.DOWN, null);
        assertThat(lab.engine.fleet().contested(VM)).isEmpty();
        assertThat(lab.engine.fleet().contested(GAMMA)).isEmpty();
        assertThat(health(GAMMA).contestedVms()).isZero();
    }

    @Test
    @DisplayName("a claim waits for a host that is out of contact; the VM is unknown, not down")
    void aClaimWaitsForASilentHost() throws Exception {
        upOnAlpha();
        crash(ALPHA);
        event(BETA, VmStatus.UP);
        isShown(VmStatus.UP, ALPHA);
        silentForLong(ALPHA, BETA, GAMMA);
        lab.settle();
        answerWith(BETA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        isShown(VmStatus.UNKNOWN, ALPHA);
        assertThat(lab.engine.fleet().contested(VM)).hasSize(1);
        failed(BETA);
        isShown(VmStatus.UNKNOWN, ALPHA);
        event(BETA, VmStatus.UP);

        lab.connect(ALPHA);
        answerWith(ALPHA, _ -> {});

        isShown(VmStatus.UP, BETA);
        assertThat(work()).isEmpty();
    }

    @Test
    void aClaimIsDecidedByFencing() throws Exception {
        upOnAlpha();
        event(BETA, VmStatus.UP);

        boolean down = lab.engine.commandAccess().setDown(ALPHA, VM, _ -> false);
        lab.settle();

        assertThat(down).isFalse();
        isShown(VmStatus.UP, BETA);
        assertThat(work()).isEmpty();
    }

    @Test
    void aClaimantThatIsSilentByThenHasTheVmUnknown() throws Exception {
        upOnAlpha();
        event(BETA, VmStatus.UP);
        crash(BETA);

        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        answerWith(ALPHA, _ -> {});

        assertThat(lab.owner(VM)).isEqualTo(BETA);
        assertThat(lab.status(VM)).isIn(VmStatus.UNKNOWN, VmStatus.UP);
        assertThat(work()).isEmpty();
    }

    // ---------------------------------------------------------------- leftovers, and late words

    private void pausedLeftoverOn(HostId host) {
        lab.event(host, event -> event.running(VM, ++stamp, paused(PauseStatus.EIO))).settle();
    }

    /**
     * It moved there behind the engine's back: the engine does not start it a second time
     * meanwhile.
     */
    @Test
    void aPausedProcessIsTheVmWhenItsHostLostIt() throws Exception {
        upOnAlpha();
        pausedLeftoverOn(BETA);
        aMoment();

        hasNothing(ALPHA);

        isShown(VmStatus.PAUSED, BETA);
        nothingIsDestroyed();
        assertThat(work()).isEmpty();
    }

    @Test
    void aLeftoverIsDestroyedOnceTheResponsibleHostWasHeard() throws Exception {
        upOnAlpha();
        pausedLeftoverOn(BETA);
        nothingIsDestroyed();
        aMoment();
        answerWith(ALPHA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));

        pausedLeftoverOn(BETA);

        assertThat(lab.host(BETA).destroyed()).containsExactly(VM);
        assertThat(lab.engine.fleet().contested(VM)).isEmpty();
    }

    @Test
    @DisplayName("a host that got a VM by its word alone does not get a third one's destroyed")
    void anUnprovenMoveProvesNoLeftover() throws Exception {
        upOnAlpha();
        ended(ALPHA, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);
        event(GAMMA, VmStatus.UP); // a lie: it went to beta, where its storage fails
        isShown(VmStatus.UP, GAMMA);

        pausedLeftoverOn(BETA);
        for (int i = 0; i < 3; i++) {
            aMoment();
            answerWith(GAMMA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
            answerWith(BETA, poll -> poll.running(VM, ++stamp, paused(PauseStatus.EIO)));
            pausedLeftoverOn(BETA);
        }

        assertThat(lab.host(BETA).destroyed()).isEmpty();
        assertThat(health(BETA).warnings())
                .containsKey("keeps a paused process of a VM that turned up on another host");
    }

    @Test
    void remainsOnThePreviousHostAreDestroyedAfterAnUnexpectedMove() throws Exception {
        upOnAlpha();
        event(BETA, VmStatus.UP);
        lab.answer(ALPHA, _ -> {}).settle();
        isShown(VmStatus.UP, BETA);

        pausedLeftoverOn(ALPHA);
        aMoment();
        answerWith(BETA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        pausedLeftoverOn(ALPHA);

        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
    }

    @Test
    @DisplayName("the proof of one leftover is none of a later one")
    void theProofEndsWithTheLeftover() throws Exception {
        upOnAlpha();
        pausedLeftoverOn(BETA);
        hasNothing(BETA); // it is gone
        answerWith(ALPHA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        lab.clock.advance(Duration.ofMinutes(10));

        pausedLeftoverOn(BETA); // VMs that moved there since, behind the engine's back

        nothingIsDestroyed();
    }

    @Test
    void theProofEndsWithARecordOfTheEnd() throws Exception {
        upOnAlpha();
        pausedLeftoverOn(BETA);
        failed(BETA);
        lab.host(BETA).answerDestroys();
        lab.pump();
        aMoment();
        answerWith(ALPHA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        int before = lab.host(BETA).destroyed().size();

        pausedLeftoverOn(BETA);

        assertThat(lab.host(BETA).destroyed()).hasSize(before);
    }

    @Test
    void theProofEndsWhenTheVmMoves() throws Exception {
        upOnAlpha();
        pausedLeftoverOn(GAMMA);
        aMoment();
        answerWith(ALPHA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        event(BETA, VmStatus.UP);
        aMoment();
        lab.answer(ALPHA, _ -> {}).settle();
        isShown(VmStatus.UP, BETA);

        pausedLeftoverOn(GAMMA);

        nothingIsDestroyed();
    }

    @Test
    void theProofEndsWithItsHostsBootAndSilence() throws Exception {
        upOnAlpha();
        pausedLeftoverOn(BETA);
        silentForLong(BETA, ALPHA, GAMMA);
        answerWith(ALPHA, poll -> poll.running(VM, ++stamp, status(VmStatus.UP)));
        lab.connect(BETA);

        pausedLeftoverOn(BETA);

        nothingIsDestroyed();
    }

    @Test
    @DisplayName("a late word of an earlier stay does not destroy what came back")
    void aLateEndIsOlderThanAPollThatWasSetAside() throws Exception {
        stored(VmStatus.UP, VmPlacement.on(ALPHA));
        lab.started();
        lab.answer(BETA, _ -> {});
        polled(ALPHA, status(VmStatus.UP));
        lab.answer(GAMMA, _ -> {}).settle();
        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        lab.host(BETA).answerStatistics();
        lab.pump();
        event(ALPHA, VmStatus.MIGRATING_FROM); // the VM changes after beta was asked
        polledLate(BETA, 9_000);

        lab.event(
                        BETA,
                        event ->
                                event.exited(
                                        VM,
                                        8_000,
                                        ExitStatus.NORMAL,
                                        ExitReason.SAVE_STATE_SUCCEEDED,
                                        ""))
                .settle();

        nothingIsDestroyed();
    }

    private void polledLate(HostId host, long at) {
        lab.answer(host, poll -> poll.running(VM, at, status(VmStatus.UP))).settle();
    }

    @Test
    @DisplayName("a former host's word is nothing until the destination was heard in this life")
    void aSourceThatReportsAFailureAfterARestart() throws Exception {
        stored(VmStatus.MIGRATING_FROM, VmPlacement.on(ALPHA).withMigratingTo(BETA));
        lab.started();

        lab.answer(
                        ALPHA,
                        poll ->
                                poll.exited(
                                        VM,
                                        ++stamp,
                                        ExitStatus.ERROR,
                                        ExitReason.GENERIC_ERROR,
                                        ""))
                .settle();
        isShown(VmStatus.MIGRATING_FROM, ALPHA);
        nothingIsDestroyed();
        assertThat(work()).isEmpty();

        polled(BETA, status(VmStatus.UP));
        lab.settle();
        isShown(VmStatus.UP, BETA);
        assertThat(work()).isEmpty();
    }

    // -------------------------------------------------------------------------------------- bounds

    @Test
    void aHostThatClaimsMoreThanItMayIsNamed() throws Exception {
        lab.with(
                new MonitoringSettings(
                        MonitoringSettings.DEFAULT.hosts().withClaimLimit(3),
                        MonitoringSettings.DEFAULT.writer(),
                        MonitoringSettings.DEFAULT.feed(),
                        40,
                        MonitoringSettings.DEFAULT.warehouse().withDumpInterval(Duration.ZERO)));
        lab.storedHosts(ALPHA, BETA);
        for (int i = 1; i <= 10; i++) {
            lab.storedVm(vmId(i), ALPHA, VmStatus.UP);
        }
        lab.started();
        Consumer<ScriptedReports> all =
                poll -> {
                    for (int i = 1; i <= 10; i++) {
                        poll.running(vmId(i), ++stamp, status(VmStatus.UP));
                    }
                };
        lab.answer(ALPHA, all);
        lab.answer(BETA, all).settle();
        lab.settle();

        assertThat(lab.engine.fleet().contested(BETA)).hasSize(3);
        assertThat(health(BETA).contestedVms()).isEqualTo(3);
        assertThat(audited(AuditEvent.VM_CONTESTED)).isEqualTo(3);
        assertThat(audited(AuditEvent.HOST_CLAIMS_TOO_MANY_VMS)).isOne();
        assertThat(health(BETA).warnings()).containsKey("claims too many VMs of other hosts");
        for (int i = 1; i <= 10; i++) {
            assertThat(lab.owner(vmId(i))).isEqualTo(ALPHA);
        }

        lab.cycle(BETA, _ -> {});
        assertThat(lab.engine.fleet().contested(BETA)).isEmpty();
    }
}
