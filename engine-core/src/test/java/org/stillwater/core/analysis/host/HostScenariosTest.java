package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.analysis.host.HostScene.NO_KVM;
import static org.stillwater.core.analysis.host.HostScene.NO_NETWORK;
import static org.stillwater.core.analysis.host.HostScene.host;
import static org.stillwater.core.analysis.host.HostScene.silent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.analysis.host.HostDecision.Signal;
import org.stillwater.core.analysis.host.HostDecision.Step;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.host.NonOperationalReason;

/** The scenarios of hosts (monitoring specification §3, §5), decided without any shell. */
class HostScenariosTest {

    private static final Duration MOMENT = Duration.ofSeconds(1);

    // ------------------------------------------------------------------------------- silence

    @Test
    @DisplayName("S80 three failures within the grace period: connecting, audited once")
    void connecting() {
        HostScene scene = host(HostStatus.UP).withVms(10).answers().passes(Duration.ofSeconds(40));

        assertThat(scene.fails().status()).isEqualTo(HostStatus.CONNECTING);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_HOST_NOT_RESPONDING);
        assertThat(scene.told("seconds")).isEqualTo("65");
        assertThat(scene.signals()).containsExactly(Signal.HOST_LEFT_UP);
        for (int i = 0; i < 2; i++) {
            assertThat(scene.fails().status()).isEqualTo(HostStatus.CONNECTING);
            assertThat(scene.decisions()).as("told once").isEmpty();
        }
    }

    @Test
    @DisplayName("S80 a host with power management is audited with the fencing to come")
    void connectingWithPowerManagement() {
        assertThat(host(HostStatus.UP).withPowerManagement().fails().audited())
                .containsExactly(AuditEvent.VDS_HOST_NOT_RESPONDING_CONNECTING);
    }

    @Test
    @DisplayName("T38 three quick failures are within the grace period, without fencing")
    void quickFailures() {
        HostScene scene = host(HostStatus.UP).answers().passes(Duration.ofSeconds(20));
        for (int i = 0; i < 30; i++) {
            assertThat(scene.fails().status()).isEqualTo(HostStatus.CONNECTING);
            assertThat(scene.queued()).isEmpty();
        }
    }

    @Test
    @DisplayName("S81 time alone is forgiven as well: the grace period ends with the third failure")
    void fewFailures() {
        HostScene scene = host(HostStatus.UP).answers().passes(Duration.ofHours(1));
        assertThat(scene.fails().status()).isEqualTo(HostStatus.CONNECTING);
        assertThat(scene.fails().status()).isEqualTo(HostStatus.CONNECTING);
        assertThat(scene.fails().status()).isEqualTo(HostStatus.NON_RESPONSIVE);
    }

    @Test
    @DisplayName("S81 past the grace period: VMs are lost, one audit event and one fence follow")
    void nonResponsive() {
        HostScene scene =
                host(HostStatus.UP).withVms(10).answers().passes(Duration.ofSeconds(65)).fails(3);
        assertThat(scene.status()).as("at its very end").isEqualTo(HostStatus.CONNECTING);

        scene.passes(MOMENT).fails();

        assertThat(scene.status()).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertThat(scene.steps()).containsExactly(Step.FORGET_USAGE, Step.LOSE_VMS);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_FAILURE);
        assertThat(scene.signals()).containsExactly(Signal.HOST_NOT_RESPONDING);
        assertThat(scene.work())
                .containsExactly(
                        new HostWork(
                                HostScene.H1, HostWorkKind.FENCE, 0, 0, "it does not respond"));
        for (int i = 0; i < 200; i++) {
            scene.passes(MOMENT).fails();
            assertThat(scene.condition()).as("not saved again").isSameAs(scene.condition());
            assertThat(scene.audited()).isEmpty();
            assertThat(scene.signals()).isEmpty();
            assertThat(scene.queued()).isEmpty();
        }
    }

    @Test
    @DisplayName("S81 a host with an unknown name is audited as such")
    void unknownName() {
        HostScene scene = host(HostStatus.UP).passes(Duration.ofMinutes(5)).fails(2);
        assertThat(scene.failsWith(new HostFailure.UnknownAddress("nowhere")).audited())
                .containsExactly(AuditEvent.VDS_UNKNOWN_HOST);
    }

    @Test
    @DisplayName("S82 the storage pool manager with 100 VMs has 130 s")
    void gracePeriod() {
        for (int seconds : new int[] {129, 131}) {
            HostScene scene =
                    host(HostStatus.UP)
                            .withVms(100)
                            .managingStorage()
                            .answers()
                            .passes(Duration.ofSeconds(seconds))
                            .fails(3);
            assertThat(scene.status())
                    .as("%d s", seconds)
                    .isEqualTo(seconds < 130 ? HostStatus.CONNECTING : HostStatus.NON_RESPONSIVE);
        }
        assertThat(HostPolicy.DEFAULT.grace(3, false)).as("truncated").hasSeconds(61);
    }

    @ParameterizedTest
    @EnumSource(names = {"MAINTENANCE", "DOWN", "REBOOT", "INSTALLING", "KDUMPING"})
    @DisplayName("S83 a host out of service owes no answer")
    void leftAlone(HostStatus status) {
        HostScene scene = host(status).passes(Duration.ofSeconds(599));
        HostCondition before = scene.condition();
        for (int i = 0; i < 10; i++) {
            assertThat(scene.fails().status()).isEqualTo(status);
            assertThat(scene.decisions()).isEmpty();
        }
        assertThat(scene.condition()).isSameAs(before);
    }

    @Test
    @DisplayName("S83 failures before maintenance do not count after it")
    void beginsAnew() {
        HostScene scene = silent().isToBeMaintained().isActivated();
        assertThat(scene.fails(2).status()).isEqualTo(HostStatus.CONNECTING);
    }

    @Test
    @DisplayName("S84 VMs with a lease are tried elsewhere at the 10th failure, then every 101")
    void leases() {
        HostScene scene = host(HostStatus.UP).withLeases().passes(Duration.ofMinutes(5)).fails(3);
        List<Integer> tried = new ArrayList<>();
        List<HostWork.Key> keys = new ArrayList<>();
        for (int failure = 1; failure <= 212; failure++) {
            for (HostWork work : scene.work()) {
                if (work.kind() == HostWorkKind.RESTART_LEASE_VMS) {
                    tried.add(failure);
                    keys.add(work.key());
                }
            }
            scene.fails();
        }
        assertThat(tried).containsExactly(10, 111, 212);
        assertThat(keys).as("each is work of its own").doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("S84 without leases nothing is tried elsewhere: that is for fencing")
    void noLeases() {
        HostScene scene = silent();
        for (int i = 0; i < 300; i++) {
            assertThat(scene.fails().queued()).isEmpty();
        }
    }

    // ------------------------------------------------------------------------------- fencing

    @Test
    @DisplayName("fencing waits until the engine has watched for 5 minutes, and is asked for then")
    void heldAtStart() {
        HostScene scene = host(HostStatus.UP).engineStartsNow().passes(Duration.ofSeconds(200));
        assertThat(scene.fails(3).audited())
                .containsExactly(
                        AuditEvent.VDS_FAILURE, AuditEvent.VDS_ALERT_FENCE_OPERATION_SKIPPED);
        assertThat(scene.queued()).isEmpty();
        assertThat(scene.fails().audited()).as("told once").isEmpty();

        scene.passes(Duration.ofSeconds(100)).fails();

        assertThat(scene.queued()).containsExactly(HostWorkKind.FENCE);
        assertThat(scene.fails().queued()).isEmpty();
    }

    @Test
    @DisplayName("a cluster may forbid fencing, or hold it back while too many hosts are silent")
    void heldByPolicy() {
        HostScene scene =
                host(HostStatus.UP)
                        .fencedBy(new FencingPolicy(false, null, false), 1)
                        .passes(Duration.ofSeconds(200))
                        .fails(3);
        assertThat(scene.audited()).contains(AuditEvent.VDS_ALERT_FENCE_DISABLED_BY_CLUSTER_POLICY);
        FencingPolicy half = new FencingPolicy(true, 50, false);
        assertThat(scene.fencedBy(half, 50).fails().audited())
                .containsExactly(AuditEvent.VDS_ALERT_FENCE_OPERATION_SKIPPED_BROKEN_CONNECTIVITY);
        assertThat(scene.queued()).isEmpty();
        assertThat(scene.fencedBy(half, 49).fails().queued()).containsExactly(HostWorkKind.FENCE);
    }

    @Test
    @DisplayName("an outage has one key of fencing, also over a restart of the engine")
    void oneKeyOverRestarts() {
        HostScene scene = silent();
        HostWork first = scene.work().getFirst();

        scene.engineIsStartedAgain().passes(Duration.ofMinutes(10)).fails(3);

        assertThat(scene.status()).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertThat(scene.work()).extracting(HostWork::key).containsExactly(first.key());
        scene.comesUp().passes(Duration.ofMinutes(10)).fails(3);
        assertThat(scene.work()).extracting(HostWork::key).doesNotContain(first.key());
        assertThat(scene.queued()).containsExactly(HostWorkKind.FENCE);
    }

    // -------------------------------------------------------------------------------- return

    @Test
    @DisplayName("S85 a host comes back: capabilities, then statistics, and only then it is up")
    void comesBack() {
        HostScene scene = silent();
        long episode = scene.condition().episode();

        scene.tellsCapabilities();
        assertThat(scene.status()).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertThat(scene.steps()).containsExactly(Step.ASK_STATISTICS);

        scene.tellsStatistics();
        assertThat(scene.status()).isEqualTo(HostStatus.UP);
        assertThat(scene.steps()).containsExactly(Step.FORGET_STAMPS, Step.POLL);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_DETECTED);
        assertThat(scene.signals()).containsExactly(Signal.HOST_UP);
        assertThat(scene.condition().episode()).isEqualTo(episode + 1);

        assertThat(scene.tellsStatistics().decisions()).as("once").isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"UNASSIGNED", "CONNECTING", "NON_RESPONSIVE", "INITIALIZING"})
    @DisplayName("S85 statistics alone make no host up, nor do capabilities from before a failure")
    void notBeforeCapabilities(HostStatus status) {
        assertThat(host(status).tellsStatistics().status()).isEqualTo(status);
        HostScene scene = host(status).tellsCapabilities().fails();
        HostStatus then = scene.status();
        assertThat(scene.tellsStatistics().status()).isEqualTo(then).isNotEqualTo(HostStatus.UP);
        assertThat(scene.comesUp().status()).isEqualTo(HostStatus.UP);
    }

    // ------------------------------------------------------------------------------- unfitness

    @Test
    void aHostThatComesBackUnfitMayHaveBooted() {
        HostScene scene = silent().isUnfit(NO_KVM);

        assertThat(scene.status()).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(scene.steps()).contains(Step.FORGET_STAMPS);
    }

    @Test
    @DisplayName("S86 a host without KVM is non-operational: audited once, its VMs leave by policy")
    void unfit() {
        HostScene scene = host(HostStatus.UP).withVms(3).isUnfit(NO_KVM);

        assertThat(scene.status()).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(scene.condition().nonOperational())
                .isEqualTo(NonOperationalReason.KVM_NOT_RUNNING);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_RUN_IN_NO_KVM_MODE);
        assertThat(scene.signals())
                .containsExactly(Signal.HOST_LEFT_UP, Signal.HOST_NON_OPERATIONAL);
        assertThat(scene.queued()).containsExactly(HostWorkKind.EVACUATE);
        assertThat(scene.isUnfit(NO_KVM).decisions()).as("once").isEmpty();
    }

    @Test
    @DisplayName("S86 a cluster with the policy none migrates no VM")
    void unfitWithoutMigration() {
        assertThat(host(HostStatus.UP).evacuatedBy(MigrateOnError.NONE).isUnfit(NO_KVM).queued())
                .isEmpty();
        assertThat(
                        host(HostStatus.UP)
                                .evacuatedBy(MigrateOnError.HIGHLY_AVAILABLE)
                                .isUnfit(NO_KVM)
                                .queued())
                .containsExactly(HostWorkKind.EVACUATE);
    }

    @Test
    @DisplayName("S86 another reason is audited, without another evacuation")
    void anotherReason() {
        HostScene scene = host(HostStatus.UP).isUnfit(NO_KVM).isCondemned(NO_NETWORK);
        assertThat(scene.status()).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(scene.condition().nonOperational())
                .isEqualTo(NonOperationalReason.NETWORK_UNREACHABLE);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_SET_NONOPERATIONAL);
        assertThat(scene.queued()).isEmpty();
        assertThat(scene.signals()).isEmpty();
    }

    @Test
    @DisplayName("S86 an unfit host without VMs has no usage; one with VMs keeps its numbers")
    void usage() {
        assertThat(host(HostStatus.UP).isUnfit(NO_KVM).steps())
                .containsExactly(Step.FORGET_STORAGE, Step.FORGET_USAGE);
        assertThat(host(HostStatus.UP).withVms(1).isUnfit(NO_KVM).steps())
                .containsExactly(Step.FORGET_STORAGE);
    }

    @Test
    @DisplayName("S86 a host that fits again is looked at every 5 minutes, and not sooner")
    void fitAgain() {
        HostScene scene = host(HostStatus.UP).isUnfit(NO_KVM);
        assertThat(scene.passes(Duration.ofSeconds(299)).tellsCapabilities().status())
                .isEqualTo(HostStatus.NON_OPERATIONAL);

        scene.passes(MOMENT).tellsCapabilities();

        assertThat(scene.status()).isEqualTo(HostStatus.UNASSIGNED);
        assertThat(scene.steps()).containsExactly(Step.ASK_STATISTICS);
        assertThat(scene.tellsStatistics().status()).isEqualTo(HostStatus.UP);
    }

    @Test
    @DisplayName("S86 a host that its cluster demands less of is asked again at once")
    void theClusterDemandsLess() {
        HostScene scene = host(HostStatus.UP).isUnfit(NO_KVM).isJudgedAnew(null);

        assertThat(scene.status()).isEqualTo(HostStatus.UNASSIGNED);
        assertThat(scene.steps()).containsExactly(Step.ASK_CAPABILITIES);
        assertThat(scene.comesUp().status()).isEqualTo(HostStatus.UP);
    }

    @Test
    @DisplayName("S86 a host that its cluster demands more of is non-operational at once")
    void theClusterDemandsMore() {
        HostScene scene = host(HostStatus.UP).comesUp().isJudgedAnew(NO_KVM);

        assertThat(scene.status()).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(scene.isJudgedAnew(NO_KVM).decisions()).as("once").isEmpty();
    }

    @Test
    @DisplayName("S86 demands of a cluster do not concern storage or a hanging agent")
    void otherReasonsStay() {
        assertThat(host(HostStatus.UP).comesUp().isCondemned(NO_NETWORK).isJudgedAnew(null))
                .returns(HostStatus.NON_OPERATIONAL, HostScene::status);
        assertThat(
                        host(HostStatus.UP)
                                .isRecovering()
                                .passes(Duration.ofMinutes(3))
                                .isLookedAt()
                                .isJudgedAnew(null))
                .returns(HostStatus.NON_OPERATIONAL, HostScene::status);
    }

    @Test
    @DisplayName("S87 a required interface may be down for 60 s")
    void interfaceDown() {
        HostScene scene = host(HostStatus.UP).withVms(1).tellsStatistics("eth0");
        assertThat(scene.passes(Duration.ofSeconds(59)).tellsStatistics("eth0").status())
                .isEqualTo(HostStatus.UP);

        scene.passes(Duration.ofSeconds(2)).tellsStatistics("eth0");

        assertThat(scene.status()).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(scene.condition().nonOperational())
                .isEqualTo(NonOperationalReason.NETWORK_INTERFACE_IS_DOWN);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_SET_NONOPERATIONAL_IFACE_DOWN);
        assertThat(scene.told("interfaces")).isEqualTo("eth0");
        assertThat(scene.queued()).containsExactly(HostWorkKind.EVACUATE);
        assertThat(scene.tellsStatistics("eth0").decisions()).as("once").isEmpty();
    }

    @Test
    @DisplayName("S87 an interface that was up in between has its 60 s again")
    void interfaceUpInBetween() {
        HostScene scene = host(HostStatus.UP).tellsStatistics("eth0");
        scene.passes(Duration.ofSeconds(50)).tellsStatistics("eth1");
        scene.passes(Duration.ofSeconds(50)).tellsStatistics("eth0", "eth1");
        assertThat(scene.status()).isEqualTo(HostStatus.UP);
        assertThat(
                        scene.passes(Duration.ofSeconds(11))
                                .tellsStatistics("eth0", "eth1")
                                .told("interfaces"))
                .isEqualTo("eth1");
    }

    // ----------------------------------------------------------------------------- maintenance

    @Test
    @DisplayName("S88 maintenance begins when nothing is left on the host by either count")
    void maintenance() {
        HostScene scene = host(HostStatus.UP).withVms(1).isToBeMaintained();
        assertThat(scene.status()).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);
        assertThat(scene.condition().maintenanceReason()).isEqualTo("new disks");
        assertThat(scene.audited()).containsExactly(AuditEvent.USER_VDS_MAINTENANCE);
        assertThat(scene.queued()).containsExactly(HostWorkKind.DRAIN);
        assertThat(scene.steps()).containsExactly(Step.FORGET_STORAGE, Step.ASK_STATISTICS);
        assertThat(scene.tellsStatistics().status())
                .isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);

        scene.withVms(0).drained(true).tellsStatistics();

        assertThat(scene.status()).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(scene.steps()).containsExactly(Step.FORGET_USAGE, Step.DISCONNECT);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_MAINTENANCE);
        assertThat(scene.signals()).containsExactly(Signal.HOST_MOVED_TO_MAINTENANCE);
    }

    @Test
    @DisplayName("S89 after 5 minutes its VMs are asked to leave again, as work of its own")
    void drainedAgain() {
        HostScene scene = host(HostStatus.UP).withVms(1).isToBeMaintained();
        HostWork first = scene.work().getFirst();
        assertThat(scene.passes(Duration.ofSeconds(299)).tellsStatistics().queued()).isEmpty();

        scene.passes(MOMENT).tellsStatistics();

        assertThat(scene.queued()).containsExactly(HostWorkKind.DRAIN);
        assertThat(scene.work().getFirst().key()).isNotEqualTo(first.key());
        assertThat(scene.tellsStatistics().queued()).isEmpty();
        assertThat(scene.passes(Duration.ofMinutes(5)).isLookedAt().queued())
                .containsExactly(HostWorkKind.DRAIN);
    }

    @ParameterizedTest
    @EnumSource(names = {"CONNECTING", "NON_RESPONSIVE", "DOWN", "INSTALL_FAILED"})
    @DisplayName("S88 a host that is not there goes to maintenance at once")
    void maintenanceOfSilent(HostStatus status) {
        HostScene scene = host(status).withVms(5).isToBeMaintained();
        assertThat(scene.status()).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(scene.queued()).isEmpty();
        assertThat(scene.steps()).contains(Step.DISCONNECT);
    }

    @Test
    @DisplayName("a host that its pool disabled keeps its VMs")
    void withdrawn() {
        HostScene scene = host(HostStatus.UP).withVms(1).isWithdrawn();
        assertThat(scene.status()).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);
        assertThat(scene.audited()).containsExactly(AuditEvent.USER_VDS_MAINTENANCE);
        assertThat(scene.told("reason")).isEqualTo("its pool has disabled it");
        assertThat(scene.queued()).isEmpty();
        assertThat(scene.steps()).containsExactly(Step.FORGET_STORAGE, Step.ASK_STATISTICS);
        assertThat(scene.passes(Duration.ofMinutes(10)).tellsStatistics().queued()).isEmpty();
        scene.engineIsStartedAgain();
        assertThat(scene.passes(Duration.ofMinutes(10)).isLookedAt().queued()).isEmpty();
        assertThat(scene.isWithdrawn().refusal()).contains("cannot be taken out of service");

        scene.withVms(0).drained(true).tellsStatistics();

        assertThat(scene.status()).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_MAINTENANCE);
        assertThat(scene.isActivated().status()).isEqualTo(HostStatus.UNASSIGNED);
    }

    @Test
    @DisplayName("maintenance of a host that its pool has disabled asks its VMs to leave")
    void maintenanceOfAWithdrawnHost() {
        HostScene scene = host(HostStatus.UP).withVms(1).isWithdrawn().isToBeMaintained();
        assertThat(scene.status()).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);
        assertThat(scene.condition().maintenanceReason()).isEqualTo("new disks");
        assertThat(scene.queued()).containsExactly(HostWorkKind.DRAIN);
        assertThat(scene.isToBeMaintained().refusal()).contains("cannot be put into maintenance");
        assertThat(scene.passes(Duration.ofMinutes(5)).isLookedAt().queued())
                .containsExactly(HostWorkKind.DRAIN);
    }

    @ParameterizedTest
    @EnumSource(names = {"MAINTENANCE", "PREPARING_FOR_MAINTENANCE", "REBOOT", "INSTALLING"})
    @DisplayName("an order that makes no sense is refused, and changes nothing")
    void refused(HostStatus status) {
        HostScene scene =
                status == HostStatus.PREPARING_FOR_MAINTENANCE
                        ? host(HostStatus.UP).isToBeMaintained()
                        : host(status);
        HostCondition before = scene.condition();
        assertThat(scene.isToBeMaintained().refusal()).contains("cannot be put into maintenance");
        assertThat(scene.condition()).isSameAs(before);
        assertThat(scene.decisions()).isEmpty();
        assertThat(host(HostStatus.UP).isActivated().refusal()).contains("cannot be activated");
        assertThat(host(HostStatus.REBOOT).isToBeRebooted().refusal())
                .contains("cannot be rebooted");
    }

    @Test
    @DisplayName("S92 a host in maintenance is connected to when it is activated, and not before")
    void activated() {
        HostScene scene = host(HostStatus.MAINTENANCE);
        assertThat(scene.passes(Duration.ofDays(1)).isLookedAt().decisions()).isEmpty();
        assertThat(scene.comesUp().status()).as("a late answer").isEqualTo(HostStatus.MAINTENANCE);
        assertThat(scene.steps()).isEmpty();

        scene.isActivated();

        assertThat(scene.status()).isEqualTo(HostStatus.UNASSIGNED);
        assertThat(scene.steps()).containsExactly(Step.CONNECT);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_ACTIVATE);
        assertThat(scene.comesUp().status()).isEqualTo(HostStatus.UP);
    }

    @Test
    @DisplayName("S92 a host that boots is not asked for 10 minutes, then it is")
    void reboots() {
        HostScene scene = host(HostStatus.UP).isToBeRebooted();
        assertThat(scene.status()).isEqualTo(HostStatus.REBOOT);
        assertThat(scene.steps()).contains(Step.DISCONNECT, Step.FORGET_USAGE);
        assertThat(scene.passes(Duration.ofSeconds(599)).isLookedAt().decisions()).isEmpty();

        scene.passes(MOMENT).isLookedAt();

        assertThat(scene.status()).isEqualTo(HostStatus.UNASSIGNED);
        assertThat(scene.steps()).containsExactly(Step.CONNECT);
    }

    @Test
    @DisplayName("S92 a host in maintenance that is rebooted stays in maintenance")
    void rebootsInMaintenance() {
        HostScene scene = host(HostStatus.MAINTENANCE).isToBeRebooted();
        assertThat(scene.refusal()).isNull();
        assertThat(scene.decisions()).isEmpty();
        assertThat(scene.status()).isEqualTo(HostStatus.MAINTENANCE);

        scene.passes(Duration.ofHours(1)).isLookedAt();

        assertThat(scene.status()).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(scene.steps()).isEmpty();
    }

    // ------------------------------------------------------------------------------- recovery

    @Test
    @DisplayName("S90 an agent that recovers has 3 minutes")
    void recovery() {
        HostScene scene = host(HostStatus.UP).withVms(2).isRecovering();
        assertThat(scene.status()).isEqualTo(HostStatus.INITIALIZING);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_INITIALIZING);
        assertThat(scene.isRecovering().audited()).as("once").isEmpty();
        assertThat(scene.passes(Duration.ofSeconds(179)).isLookedAt().status())
                .isEqualTo(HostStatus.INITIALIZING);

        scene.passes(MOMENT).isLookedAt();

        assertThat(scene.status()).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(scene.condition().nonOperational())
                .isEqualTo(NonOperationalReason.TIMEOUT_RECOVERING_FROM_CRASH);
        assertThat(scene.audited()).containsExactly(AuditEvent.VDS_SET_NONOPERATIONAL);
        assertThat(scene.queued()).as("nobody knows its VMs").isEmpty();
        assertThat(scene.isRecovering().status()).isEqualTo(HostStatus.NON_OPERATIONAL);
    }

    @Test
    @DisplayName("S90 an agent that recovers in time is up, and no timer is left")
    void recoversInTime() {
        HostScene scene = host(HostStatus.UP).isRecovering().passes(Duration.ofSeconds(100));
        assertThat(scene.comesUp().status()).isEqualTo(HostStatus.UP);
        assertThat(scene.passes(Duration.ofHours(1)).isLookedAt().status())
                .isEqualTo(HostStatus.UP);
    }

    @Test
    @DisplayName("S90 an agent that recovers answers: no silence is counted meanwhile")
    void recoveringIsAnswering() {
        HostScene scene = host(HostStatus.UP).passes(Duration.ofSeconds(100)).fails(2);
        scene.isRecovering().passes(Duration.ofSeconds(30));
        assertThat(scene.fails(3).status()).isEqualTo(HostStatus.CONNECTING);
    }

    // ------------------------------------------------------------------------------ stillness

    @ParameterizedTest
    @EnumSource(names = {"UP", "ERROR", "NON_OPERATIONAL", "MAINTENANCE", "DOWN"})
    @DisplayName("S91 S92 what changes nothing is decided to be nothing, and saves nothing")
    void still(HostStatus status) {
        HostScene scene = host(status);
        HostCondition before = scene.condition();
        for (int i = 0; i < 5; i++) {
            assertThat(scene.passes(Duration.ofSeconds(15)).tellsStatistics().decisions())
                    .isEmpty();
            assertThat(scene.answers().decisions()).isEmpty();
            assertThat(scene.isLookedAt().decisions()).isEmpty();
        }
        assertThat(scene.condition()).isSameAs(before);
    }
}
