package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.analysis.host.HostDecision.Signal;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.analysis.host.HostPolicy;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostTrouble;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.monitoring.host.WatchdogSettings;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;

/** Hosts that fall silent, recover, drain and lie, as a running engine sees them. */
class WatchedHostScenariosTest {

    private static final HostFailure CUT = new HostFailure.Unreachable("cut");
    private static final Duration REFRESH = Duration.ofSeconds(3);

    private final Lab lab = new Lab();
    private final List<Signal> signals = new ArrayList<>();

    @Test
    @DisplayName(
            "S85 a host is up only after its statistics; up is durable before any notification")
    void aHostIsUpOnlyAfterItsStatistics() throws Exception {
        lab.hosts.put(Lab.definition(ALPHA), HostStatus.NON_RESPONSIVE);
        listen();
        lab.engine.startWithoutThreads();
        lab.clock.advance(lab.settings.hosts().connectSpread());
        lab.pump();
        ScriptedHost host = lab.host(ALPHA);

        host.connect();
        lab.pump();
        assertThat(host.capabilitiesWaiting()).isOne();
        assertThat(host.answerStatistics(ScriptedHost.NO_STATISTICS)).isZero();

        host.answerCapabilities("boot-1");
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UNASSIGNED);
        assertThat(host.pollsWaiting()).isZero();

        lab.hosts.unavailable("away");
        host.answerStatistics();
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
        assertThat(host.pollsWaiting()).isOne();
        assertThat(signals).isEmpty();

        lab.hosts.unavailable(null);
        lab.clock.advance(Duration.ofMinutes(1));
        lab.settle();
        assertThat(lab.hosts.status(ALPHA)).isEqualTo(HostStatus.UP);
        assertThat(signals).containsExactly(Signal.HOST_UP);
        assertThat(told(AuditEvent.VDS_DETECTED)).isOne();
    }

    @Test
    @DisplayName("S80 S81 a silent host is forgiven 65 s with 10 VMs, then its VMs are unknown")
    void aSilentHostIsForgivenThenGivenUp() throws Exception {
        upWithVms(10);
        afterFencingDelay();

        lab.host(ALPHA).disconnect(CUT);
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        assertThat(told(AuditEvent.VDS_HOST_NOT_RESPONDING)).isOne();

        silentFor(Duration.ofSeconds(63));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        assertThat(lab.status(vmId(1))).isEqualTo(VmStatus.UP);
        int calls = lab.vms.calls();

        silentFor(Duration.ofSeconds(6));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
        for (int i = 1; i <= 10; i++) {
            assertThat(lab.status(vmId(i))).isEqualTo(VmStatus.UNKNOWN);
            assertThat(lab.owner(vmId(i))).isEqualTo(ALPHA);
        }
        assertThat(lab.vms.calls()).as("batches that wrote all VMs").isEqualTo(calls + 1);
        assertThat(told(AuditEvent.VDS_FAILURE)).isOne();
        assertThat(told(AuditEvent.VM_SET_TO_UNKNOWN_STATUS)).isEqualTo(10);
        assertThat(fences()).isOne();

        silentFor(Duration.ofMinutes(2));
        assertThat(fences()).isOne();
        assertThat(told(AuditEvent.VDS_FAILURE)).isOne();
        assertThat(signals).containsOnlyOnce(Signal.HOST_NOT_RESPONDING);
    }

    /** On a machine that was paused, the first questions go out on connections that are broken. */
    @Test
    @DisplayName("S81 time in which the engine stood still is no silence of a host")
    void anEngineThatStoodStillGivesNoHostUp() throws Exception {
        upWithVms(1);
        afterFencingDelay();

        lab.clock.advance(Duration.ofMinutes(3));
        lab.pump();
        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
        lab.host(ALPHA).disconnect(CUT);
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);

        silentFor(Duration.ofSeconds(30));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        assertThat(fences()).isZero();
        silentFor(Duration.ofSeconds(45));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertThat(fences()).isOne();
    }

    @Test
    @DisplayName("S81 an interval as long as the grace period is no silence")
    void aLongIntervalIsNoSilence() throws Exception {
        HostPolicy usual = HostPolicy.DEFAULT;
        HostPolicy brief =
                new HostPolicy(
                        usual.failures(),
                        Duration.ofSeconds(14),
                        usual.perVm(),
                        usual.perSpm(),
                        usual.recovery(),
                        usual.interfaceGrace(),
                        usual.drainRetry(),
                        usual.reboot(),
                        usual.autoRecovery(),
                        usual.fencingDelay(),
                        usual.leaseFirst(),
                        usual.leaseEvery());
        lab.with(lab.settings.withHosts(lab.settings.hosts().withPolicy(brief)));
        upWithVms(1);
        lab.cycle(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP)));
        lab.clock.advance(Duration.ofSeconds(14));
        lab.settle();

        lab.host(ALPHA).disconnect(CUT);
        lab.settle();
        silentFor(Duration.ofSeconds(6));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        silentFor(Duration.ofSeconds(6));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
    }

    static List<HostFailure> refusedCertificates() {
        return List.of(
                new HostFailure.WrongCertificate("not its own"),
                new HostFailure.Untrusted("not signed by the configured authority CN=new"));
    }

    @ParameterizedTest
    @MethodSource("refusedCertificates")
    void aHostWithARefusedCertificateIsNotFencedUntilItIsSilent(HostFailure refused)
            throws Exception {
        upWithVms(1);
        afterFencingDelay();
        lab.host(ALPHA).disconnect(refused);
        lab.settle();
        assertThat(Objects.requireNonNull(lab.engine.fleet().hostHealth().getFirst()).trouble())
                .isEqualTo(HostTrouble.UNTRUSTED);
        for (int i = 0; i < 40; i++) {
            lab.clock.advance(REFRESH);
            lab.host(ALPHA).disconnect(refused);
            lab.settle();
        }
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertThat(fences()).isZero();
        assertThat(told(AuditEvent.HOST_CERTIFICATE_HOLDS_FENCING)).isOne();
        assertThat(Objects.requireNonNull(lab.engine.fleet().hostHealth().getFirst()).reason())
                .contains(refused.describe());
        assertThat(lab.meters.get("stillwater.hosts.untrusted").gauge().value()).isOne();

        lab.host(ALPHA).disconnect(CUT);
        lab.settle();
        assertThat(fences()).isOne();
    }

    @Test
    void aHostInContactIsNoLongerUntrusted() throws Exception {
        upWithVms(1);
        lab.host(ALPHA).disconnect(new HostFailure.WrongCertificate("not its own"));
        lab.settle();
        assertThat(lab.engine.monitor(ALPHA).isCertificateRefused()).isTrue();
        lab.clock.advance(REFRESH);
        lab.settle();

        lab.host(ALPHA).connect();
        lab.settle();

        assertThat(lab.engine.monitor(ALPHA).isCertificateRefused()).isFalse();
    }

    @Test
    @DisplayName("S82 the storage pool manager has a grace period 20 s longer, by its definition")
    void theStoragePoolManagerIsForgivenLonger() throws Exception {
        upWithVms(10);
        HostDefinition plain = Lab.definition(ALPHA);
        HostTraits traits = new HostTraits(true, false, true, false, "");
        assertThat(
                        lab.engine
                                .administration()
                                .updateHost(
                                        new HostDefinition(
                                                ALPHA,
                                                plain.name(),
                                                plain.address(),
                                                plain.port(),
                                                plain.cluster(),
                                                traits)))
                .isNull();

        lab.host(ALPHA).disconnect(CUT);
        lab.settle();
        assertThat(told(AuditEvent.VDS_HOST_NOT_RESPONDING_CONNECTING))
                .as("its power is managed, and people are told so")
                .isOne();
        assertThat(told(AuditEvent.VDS_HOST_NOT_RESPONDING)).isZero();
        silentFor(Duration.ofSeconds(81));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        silentFor(Duration.ofSeconds(6));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
    }

    @Test
    @DisplayName("S85 S30 a host that comes back is up, and its VMs are as reported")
    void aHostThatComesBackReportsItsVms() throws Exception {
        upWithVms(2);
        lab.host(ALPHA).disconnect(CUT);
        silentFor(Duration.ofMinutes(3));
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);

        lab.connect(ALPHA);
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
        lab.answer(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP))).settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.status(vmId(2))).isEqualTo(VmStatus.DOWN);
        assertThat(told(AuditEvent.VM_STATUS_RESTORED)).isOne();
    }

    @Test
    @DisplayName("S83 S92 a host in maintenance is not asked and does not fail")
    void aHostInMaintenanceIsLeftAlone() throws Exception {
        lab.hosts.put(Lab.definition(ALPHA), HostStatus.MAINTENANCE);
        lab.hosts.put(Lab.definition(BETA), HostStatus.DOWN);
        lab.started();

        lab.clock.advance(Duration.ofMinutes(30));
        lab.settle();

        assertThat(lab.connector.opened()).isEmpty();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(lab.hostStatus(BETA)).isEqualTo(HostStatus.DOWN);
    }

    @Test
    @DisplayName("S88 maintenance waits for the last VM, then leaves the host alone")
    void maintenanceWaitsForTheLastVm() throws Exception {
        upWithVms(1);

        CompletableFuture<OrderAnswer> answer = order(new HostFact.Maintain("new memory"));
        assertThat(answer)
                .isCompletedWithValue(
                        new OrderAnswer.Followed(HostStatus.PREPARING_FOR_MAINTENANCE));
        assertThat(work(HostWorkKind.DRAIN)).isOne();
        refreshed(0);
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);

        lab.event(ALPHA, event -> event.exited(VM, 9, ExitStatus.NORMAL, ExitReason.SUCCESS, ""))
                .settle();
        refreshed(1);
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);
        refreshed(0);

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(lab.hosts.status(ALPHA)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(lab.host(ALPHA).isClosed()).isTrue();
        assertThat(signals).contains(Signal.HOST_MOVED_TO_MAINTENANCE);
        assertThat(told(AuditEvent.VDS_MAINTENANCE)).isOne();
        assertThat(Objects.requireNonNull(lab.engine.fleet().host(ALPHA)).state().reason())
                .isEqualTo("new memory");
    }

    @Test
    @DisplayName("a host that its pool has disabled is left alone once its last VM has left")
    void aHostFollowsItsPool() throws Exception {
        upWithVms(1);

        assertThat(
                        lab.engine
                                .administration()
                                .follow(ALPHA, new HostFact.Withdraw("its pool has disabled it")))
                .isNotNull();
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);
        assertThat(work(HostWorkKind.DRAIN)).isZero();
        assertThat(told(AuditEvent.USER_VDS_MAINTENANCE)).isOne();
        lab.event(ALPHA, event -> event.exited(VM, 9, ExitStatus.NORMAL, ExitReason.SUCCESS, ""))
                .settle();
        refreshed(0);

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(work(HostWorkKind.DRAIN)).isZero();
        assertThat(Objects.requireNonNull(lab.engine.fleet().host(ALPHA)).state().reason())
                .isEqualTo("its pool has disabled it");
    }

    @Test
    @DisplayName("S89 VMs that have not left for 300 s are asked again to leave")
    void migrationsAwayAreRepeated() throws Exception {
        upWithVms(1);
        assertThat(order(new HostFact.Maintain(null))).isCompleted();
        int attempts = attempts();

        long ordered = lab.clock.nanoTime();
        while (lab.clock.nanoTime() - ordered < Duration.ofSeconds(294).toNanos()) {
            refreshed(1);
        }
        assertThat(attempts()).isEqualTo(attempts);
        while (lab.clock.nanoTime() - ordered < Duration.ofSeconds(304).toNanos()) {
            refreshed(1);
        }

        assertThat(attempts()).isEqualTo(attempts + 1);
    }

    @Test
    @DisplayName("S92 an activated host gets a connection and a request for its capabilities")
    void anActivatedHostIsWatchedAgain() throws Exception {
        lab.hosts.put(Lab.definition(ALPHA), HostStatus.MAINTENANCE);
        lab.started();

        assertThat(order(new HostFact.Activate()))
                .isCompletedWithValue(new OrderAnswer.Followed(HostStatus.UNASSIGNED));
        lab.connect(ALPHA);

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
        assertThat(order(new HostFact.Activate()))
                .isCompletedWithValueMatching(refused -> refused instanceof OrderAnswer.Refused);
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
    }

    @Test
    @DisplayName("S90 an agent that recovers for 3 minutes makes its host non-operational")
    void anAgentThatDoesNotRecoverMakesItsHostNonOperational() throws Exception {
        upWithVms(1);
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.host(ALPHA).failCalls(new HostFailure.Recovering("recovery"));
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.INITIALIZING);
        assertThat(told(AuditEvent.VDS_INITIALIZING)).isOne();

        for (int i = 0; i < 59; i++) {
            recovering();
        }
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.INITIALIZING);
        recovering();
        recovering();

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(Objects.requireNonNull(lab.engine.fleet().host(ALPHA)).state().condition())
                .returns(
                        NonOperationalReason.TIMEOUT_RECOVERING_FROM_CRASH,
                        condition -> condition.nonOperational());
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("S90 an agent that recovers in time is up again")
    void anAgentThatRecoversIsUpAgain() throws Exception {
        upWithVms(1);
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.host(ALPHA).failCalls(new HostFailure.Recovering("recovery"));
        lab.pump();
        lab.clock.advance(REFRESH);
        lab.pump();
        lab.host(ALPHA).answerCapabilities("boot-1");
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        lab.settle();

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
        lab.clock.advance(Duration.ofMinutes(3));
        lab.settle();
        assertThat(told(AuditEvent.VDS_SET_NONOPERATIONAL)).isZero();
    }

    @Test
    @DisplayName("S91 in five refreshes a host that is up is asked once, and nothing is written")
    void aHostThatIsUpIsPolledOncePerCycle() throws Exception {
        upWithVms(1);
        lab.cycle(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP)));
        int written = lab.sqlCalls();

        for (int i = 0; i < 5; i++) {
            lab.clock.advance(REFRESH);
            lab.pump();
        }

        assertThat(lab.host(ALPHA).capabilitiesWaiting()).isZero();
        assertThat(lab.host(ALPHA).answerStatistics(ScriptedHost.NO_STATISTICS)).isOne();
        lab.answer(ALPHA, poll -> poll.running(VM, 2, status(VmStatus.UP))).settle();
        assertThat(lab.sqlCalls()).isEqualTo(written);
    }

    @Test
    @DisplayName("T37 a call that is never answered is given up, and the host is asked again")
    void aCallThatIsNeverAnsweredIsGivenUp() throws Exception {
        upWithVms(1);
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();

        lab.clock.advance(lab.settings.hosts().pollDeadline());
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);

        lab.clock.advance(REFRESH);
        lab.pump();
        assertThat(lab.host(ALPHA).capabilitiesWaiting()).isOne();
        lab.host(ALPHA).answerCapabilities("boot-1");
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
    }

    @Test
    @DisplayName("T38 three quick failures within the grace period mean connecting, no more")
    void quickFailuresMeanConnecting() throws Exception {
        upWithVms(1);
        afterFencingDelay();

        for (int i = 0; i < 3; i++) {
            lab.host(ALPHA).disconnect(CUT);
            lab.settle();
        }
        silentFor(Duration.ofSeconds(18));

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        assertThat(fences()).isZero();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("T40 S3 memory of a VM that powers up is committed at once")
    void memoryOfAVmThatPowersUpIsCommittedAtOnce() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.WAIT_FOR_LAUNCH).started();
        long before = committed();

        lab.event(ALPHA, event -> event.running(VM, 5, status(VmStatus.POWERING_UP)));

        assertThat(before).isZero();
        assertThat(committed()).isGreaterThanOrEqualTo(2048);
    }

    @Test
    @DisplayName("S103 reports of a removed host are ignored and leave no trace")
    void reportsOfARemovedHostAreIgnored() throws Exception {
        upWithVms(1);
        lab.storedVm(vmId(9), BETA, VmStatus.DOWN);
        assertThat(lab.engine.administration().removeHost(ALPHA, Duration.ofSeconds(1)))
                .isInstanceOf(OrderAnswer.Refused.class);
        ScriptedHost host = lab.host(ALPHA);
        lab.event(ALPHA, event -> event.exited(VM, 9, ExitStatus.NORMAL, ExitReason.SUCCESS, ""))
                .settle();
        assertThat(order(new HostFact.Maintain(null))).isCompleted();
        refreshed(0);
        refreshed(0);
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.MAINTENANCE);

        assertThat(lab.engine.administration().removeHost(ALPHA, Duration.ofSeconds(1)))
                .isEqualTo(new OrderAnswer.Followed(HostStatus.MAINTENANCE));
        lab.settle();
        host.listener()
                .vmsChanged(
                        ScriptedReports.event(lab.clock.nanoTime())
                                .running(VM, 99, status(VmStatus.UP)));
        lab.settle();

        assertThat(lab.engine.fleet().host(ALPHA)).isNull();
        assertThat(lab.engine.fleet().hosts()).isEmpty();
        assertThat(lab.hosts.status(ALPHA)).isNull();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
        assertThat(told(AuditEvent.USER_REMOVE_VDS)).isOne();
        assertThat(lab.engine.administration().removeHost(ALPHA, Duration.ofSeconds(1))).isNull();
    }

    @Test
    @DisplayName("a host of a pool that is left is removed while it is up, unless a VM is on it")
    void aHostOfALeftPoolIsRemovedWhileItIsUp() throws Exception {
        upWithVms(1);
        assertThat(removedOfPool())
                .isInstanceOfSatisfying(
                        OrderAnswer.Refused.class,
                        refused -> assertThat(refused.why()).contains("1 VMs are on it"));
        lab.event(ALPHA, event -> event.exited(VM, 9, ExitStatus.NORMAL, ExitReason.SUCCESS, ""))
                .settle();
        assertThat(lab.engine.administration().removeHost(ALPHA, Duration.ofSeconds(1)))
                .isInstanceOf(OrderAnswer.Refused.class);

        assertThat(removedOfPool()).isEqualTo(new OrderAnswer.Followed(HostStatus.UP));
        lab.settle();
        assertThat(lab.engine.fleet().hosts()).isEmpty();
        assertThat(lab.hosts.status(ALPHA)).isNull();
        assertThat(told(AuditEvent.USER_REMOVE_VDS)).isOne();
        assertThat(removedOfPool()).isNull();
    }

    private @Nullable OrderAnswer removedOfPool() throws Exception {
        return lab.engine.administration().removeHostOfPool(ALPHA, Duration.ofSeconds(1));
    }

    @Test
    @DisplayName("S104 a host in contact that neither answers nor fails for 1200 s is watched anew")
    void aHostThatIsNotHeardOfIsWatchedAnew() throws Exception {
        // A connection that forgets its calls: neither answers nor failures come any more.
        lab.with(lab.settings.withHosts(lab.settings.hosts().withPollDeadline(Duration.ofDays(1))));
        upWithVms(1);
        ScriptedHost before = lab.host(ALPHA);

        lab.clock.advance(Duration.ofSeconds(1199));
        lab.pump();
        assertThat(lab.host(ALPHA)).isSameAs(before);
        lab.clock.advance(Duration.ofSeconds(61));
        lab.settle();

        assertThat(before.isClosed()).isTrue();
        assertThat(lab.host(ALPHA)).isNotSameAs(before);
        assertThat(told(AuditEvent.HOST_MONITOR_REVIVED)).isOne();
        HostHealth health = lab.engine.fleet().hostHealth().getFirst();
        assertThat(Objects.requireNonNull(health.lastStall()).task())
                .isEqualTo("waiting for an answer");
        lab.connect(ALPHA);
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
    }

    @Test
    @DisplayName("§3.9 hosts are not watched anew because the engine stood still")
    void noHostIsWatchedAnewBecauseTheEngineStoodStill() throws Exception {
        lab.with(lab.settings.withHosts(lab.settings.hosts().withPollDeadline(Duration.ofDays(1))));
        upWithVms(1);
        ScriptedHost before = lab.host(ALPHA);

        lab.clock.advance(Duration.ofMinutes(25));
        lab.pump();
        before.disconnect(CUT);
        silentFor(Duration.ofSeconds(30));

        assertThat(lab.host(ALPHA)).isSameAs(before);
        assertThat(told(AuditEvent.HOST_MONITOR_REVIVED)).isZero();
    }

    @Test
    @DisplayName("§3.9 a host is watched anew after two cycles of silence at the earliest")
    void silenceOfLessThanTwoCyclesIsNoStall() throws Exception {
        WatchdogSettings brief =
                new WatchdogSettings(REFRESH, Duration.ofMinutes(5), Duration.ofSeconds(10));
        lab.with(lab.settings.withHosts(lab.settings.hosts().withWatchdog(brief)));
        upWithVms(1);

        silentFor(Duration.ofSeconds(27));
        assertThat(told(AuditEvent.HOST_MONITOR_REVIVED)).isZero();
        silentFor(Duration.ofSeconds(6));
        assertThat(told(AuditEvent.HOST_MONITOR_REVIVED)).isOne();
    }

    @Test
    @DisplayName("§5.3 after a restart VMs of a host that stays silent become unknown in time")
    void vmsOfAHostThatStaysSilentBecomeUnknownAfterARestart() throws Exception {
        lab.hosts.put(Lab.definition(ALPHA), HostStatus.NON_RESPONSIVE);
        lab.storedVm(VM, ALPHA, VmStatus.UP);
        lab.engine.startWithoutThreads();
        lab.clock.advance(lab.settings.hosts().connectSpread());
        lab.pump();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UNASSIGNED);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);

        lab.host(ALPHA).disconnect(CUT);
        silentFor(Duration.ofSeconds(70));

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
    }

    @Test
    @DisplayName(
            "§3.6 fencing found at the start waits for the delay, and for the cluster's policy")
    void fencingThatIsFoundAtStartIsDecidedAnew() throws Exception {
        upWithVms(1);
        afterFencingDelay();
        lab.host(ALPHA).disconnect(CUT);
        silentFor(Duration.ofSeconds(70));
        assertThat(fences()).isOne();

        lab.restarted();
        assertThat(fences()).as("handed out before anybody looked").isZero();
        lab.host(ALPHA).disconnect(CUT);
        silentFor(Duration.ofSeconds(200));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertThat(fences()).as("handed out while fencing is delayed").isZero();
        silentFor(Duration.ofMinutes(2));
        assertThat(fences()).isOne();
        assertThat(lab.hosts.openWork()).hasSize(1);

        lab.clusters.put(neverFencing());
        lab.restarted();
        lab.host(ALPHA).disconnect(CUT);
        silentFor(Duration.ofSeconds(400));
        assertThat(fences()).as("handed out although the cluster forbids it").isZero();
        assertThat(told(AuditEvent.VDS_ALERT_FENCE_DISABLED_BY_CLUSTER_POLICY)).isOne();
    }

    private static Cluster neverFencing() {
        Cluster usual = Cluster.DEFAULT;
        return new Cluster(
                usual.id(),
                usual.dataCentre(),
                usual.name(),
                usual.description(),
                usual.requirements(),
                usual.migrateOnError(),
                new FencingPolicy(false, null, false),
                usual.memory());
    }

    @Test
    @DisplayName("T41 a listener for a host cannot block its monitoring")
    void aFailingListenerDoesNotDelayAHost() throws Exception {
        lab.hosts.put(Lab.definition(ALPHA), HostStatus.UNASSIGNED);
        lab.engine.onHostSignals((host, signal, reason) -> {
            throw new IllegalStateException("storage is slow to connect");
        });
        lab.started().settle();

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
        lab.cycle(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP)));
        assertThat(lab.engine.fleet().hostHealth().getFirst().isWell()).isTrue();
    }

    private void listen() {
        lab.engine.onHostSignals((host, signal, reason) -> signals.add(signal));
    }

    private void upWithVms(int count) throws Exception {
        lab.storedHosts(ALPHA);
        for (int i = 1; i <= count; i++) {
            lab.storedVm(vmId(i), ALPHA, VmStatus.UP);
        }
        listen();
        lab.started();
        lab.answer(
                        ALPHA,
                        poll -> {
                            for (int i = 1; i <= count; i++) {
                                poll.running(vmId(i), 1, status(VmStatus.UP));
                            }
                        })
                .settle();
    }

    private void afterFencingDelay() {
        Duration delay = lab.settings.hosts().policy().fencingDelay();
        Duration interval = lab.settings.hosts().interval();
        for (Duration spent = Duration.ZERO;
                spent.compareTo(delay) <= 0;
                spent = spent.plus(interval)) {
            lab.cycle(
                    ALPHA,
                    poll ->
                            lab.engine
                                    .fleet()
                                    .vms()
                                    .forEach(vm -> poll.running(vm.id(), 1, status(VmStatus.UP))));
        }
    }

    private void silentFor(Duration time) {
        for (Duration spent = Duration.ZERO;
                spent.compareTo(time) < 0;
                spent = spent.plus(REFRESH)) {
            lab.clock.advance(REFRESH);
            lab.settle();
        }
    }

    private void recovering() {
        lab.clock.advance(REFRESH);
        lab.pump();
        lab.host(ALPHA).failCalls(new HostFailure.Recovering("recovery"));
        lab.settle();
    }

    /** One refresh of a host that is going into maintenance, with so many VMs by its own count. */
    private void refreshed(int vms) {
        lab.clock.advance(REFRESH);
        lab.pump();
        lab.host(ALPHA).answerStatistics(counting(vms));
        lab.settle();
    }

    private static HostStatistics counting(int vms) {
        return new HostValues().put(HostField.VM_COUNT, vms).statistics();
    }

    private CompletableFuture<OrderAnswer> order(HostFact.Order order) {
        CompletableFuture<OrderAnswer> answer =
                Objects.requireNonNull(lab.engine.administration().order(ALPHA, order));
        lab.settle();
        return answer;
    }

    private long fences() {
        return work(HostWorkKind.FENCE);
    }

    private long work(HostWorkKind kind) {
        return lab.engine.pendingWork().openAboutHosts().stream()
                .filter(open -> open.work().kind() == kind)
                .count();
    }

    private int attempts() {
        return Objects.requireNonNull(lab.engine.fleet().host(ALPHA))
                .state()
                .condition()
                .attempts();
    }

    private long committed() {
        return Objects.requireNonNull(lab.engine.fleet().host(ALPHA)).committedMemoryMebibytes();
    }

    private int told(AuditEvent event) throws Exception {
        return (int)
                lab.engine.events().newest(AuditFilter.ANY, null, 1000).stream()
                        .map(AuditEntry::event)
                        .filter(event::equals)
                        .count();
    }
}
