package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.fence.KdumpListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.vm.VmStatus;

/** A host that is silent because it writes a kernel dump is not fenced meanwhile (§3.6). */
class KernelDumpsTest {

    private static HostLab silentHost(int kdumpStatus) {
        HostLab hosts = new HostLab(3).withAgent(1).withVms(3, true);
        hosts.lab.hosts.put(
                new HostDefinition(
                        CommandLab.hostId(1),
                        "host1",
                        "192.0.2.1",
                        54321,
                        ClusterId.DEFAULT,
                        new HostTraits(true, true, false, false, "")),
                HostStatus.UP);
        hosts.lab.host(1).kdumpIs(kdumpStatus);
        hosts.lab.settled();
        hosts.lab.seconds(300);
        hosts.lab.host(1).cutOff();
        hosts.until(HostStatus.NON_RESPONSIVE);
        return hosts;
    }

    /** Its kernel has crashed: nothing runs there any more. */
    private static HostLab dumping() {
        HostLab hosts = silentHost(1);
        hosts.lab.host(1).powerOff();
        hosts.lab.seconds(10);
        hosts.kdump.says(1);
        hosts.until(HostStatus.KDUMPING);
        return hosts;
    }

    private static void goesOn(HostLab hosts, int seconds) {
        for (int second = 0; second < seconds; second += 10) {
            hosts.kdump.says(1);
            hosts.lab.seconds(10);
        }
    }

    @Test
    void aDumpingHostKeepsPowerAndItsVmsRunElsewhereAfterwards() {
        HostLab hosts = dumping();
        goesOn(hosts, 200);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.KDUMPING);
        assertThat(hosts.lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(hosts.operations(OperationKind.RUN)).isEmpty();
        hosts.lab.seconds(70);
        assertThat(hosts.status(1)).as("80 s of silence").isEqualTo(HostStatus.KDUMPING);
        hosts.lab.seconds(20);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.REBOOT);
        hosts.lab.seconds(60);
        for (int vm = 1; vm <= 3; vm++) {
            hosts.up(vm, 2, 3);
        }
        assertThat(hosts.power.fenced).isEmpty();
        assertThat(hosts.power.on).isEmpty();
        Operation fence = hosts.only(OperationKind.FENCE);
        assertThat(fence.state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(fence.step()).isEqualTo("wrote a kernel dump and boots; VMs set down: 3");
        assertThat(hosts.lab.events())
                .containsOnlyOnce("KDUMP_FLOW_DETECTED_ON_VDS", "KDUMP_FLOW_FINISHED_ON_VDS")
                .doesNotContain("VDS_RECOVER", "KDUMP_FLOW_NOT_DETECTED_ON_VDS");
        String why = fence.origin().correlation();
        assertThat(hosts.lab.correlations("KDUMP_FLOW_DETECTED_ON_VDS")).containsExactly(why);
        assertThat(hosts.lab.correlations("KDUMP_FLOW_FINISHED_ON_VDS")).containsExactly(why);
        assertThat(hosts.kdump.attended).as("nobody is listened to any more").isEmpty();
        hosts.wellEnded();
    }

    @Test
    void aHostThatBootsAfterItsDumpIsUp() {
        HostLab hosts = dumping();
        hosts.lab.seconds(100);
        hosts.lab.host(1).heal();
        hosts.lab.host(1).powerOn();
        hosts.lab.seconds(700);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.UP);
        for (int vm = 1; vm <= 3; vm++) {
            hosts.up(vm, 2, 3);
        }
        assertThat(hosts.power.fenced).isEmpty();
        hosts.wellEnded();
    }

    @Test
    void aHostSilentForHalfAMinuteIsFenced() {
        HostLab hosts = silentHost(1);
        hosts.lab.seconds(25);
        assertThat(hosts.power.fenced).isEmpty();
        assertThat(hosts.only(OperationKind.FENCE).step())
                .isEqualTo("listens whether it writes a kernel dump");
        hosts.lab.seconds(15);
        assertThat(hosts.power.fenced).containsExactly(CommandLab.hostId(1));
        assertThat(hosts.lab.events()).containsOnlyOnce("KDUMP_FLOW_NOT_DETECTED_ON_VDS");
        assertThat(hosts.lab.correlations("KDUMP_FLOW_NOT_DETECTED_ON_VDS"))
                .containsExactly(hosts.only(OperationKind.FENCE).origin().correlation());
        hosts.lab.seconds(100);
        hosts.up(1, 2, 3);
        hosts.wellEnded();
    }

    @Test
    void aDumpThatDoesNotEndIsWaitedForOnlySoLong() {
        HostLab hosts = dumping();
        goesOn(hosts, 500);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.REBOOT);
        assertThat(hosts.power.fenced).isEmpty();
        hosts.lab.seconds(60);
        hosts.up(1, 2, 3);
    }

    @Test
    void withoutAListenerFencingDoesNotWait() {
        HostLab deaf = silentHost(1);
        deaf.kdump.state = new KdumpListener.State.Deaf("the port is taken");
        deaf.lab.seconds(6);
        assertThat(deaf.power.fenced).hasSize(1);
        assertThat(deaf.lab.events()).containsOnlyOnce("FENCE_KDUMP_LISTENER_IS_NOT_ALIVE");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void aHostWithoutConfiguredKdumpIsFencedAtOnce(int status) {
        HostLab hosts = silentHost(status);
        hosts.lab.seconds(6);
        assertThat(hosts.power.fenced).hasSize(1);
        assertThat(hosts.lab.events()).containsOnlyOnce("KDUMP_DETECTION_NOT_CONFIGURED_ON_VDS");
    }

    @Test
    void aHostWithDetectionOffIsFencedAtOnce() {
        HostLab hosts = new HostLab(3).withAgent(1).withVms(1, true);
        hosts.lab.settled();
        hosts.lab.seconds(300);
        hosts.lab.host(1).cutOff();
        hosts.until(HostStatus.NON_RESPONSIVE);
        hosts.lab.seconds(6);
        assertThat(hosts.power.fenced).hasSize(1);
        assertThat(hosts.kdump.attended).isEmpty();
        assertThat(hosts.lab.events()).noneMatch(event -> event.contains("KDUMP"));
    }

    @Test
    void hostsWithASharedAddressAreNotDistinguished() {
        HostLab hosts = new HostLab(3).withAgent(1).withVms(1, true);
        for (int n = 1; n <= 2; n++) {
            hosts.lab.hosts.put(
                    new HostDefinition(
                            CommandLab.hostId(n),
                            "host" + n,
                            "192.0.2.1",
                            54320 + n,
                            ClusterId.DEFAULT,
                            new HostTraits(true, true, false, false, "")),
                    HostStatus.UP);
        }
        hosts.lab.host(1).kdumpIs(1);
        hosts.lab.settled();
        hosts.lab.seconds(300);
        hosts.lab.host(1).cutOff();
        hosts.until(HostStatus.NON_RESPONSIVE);
        hosts.kdump.says(1);
        hosts.lab.seconds(6);
        assertThat(hosts.power.fenced).hasSize(1);
        assertThat(hosts.lab.events()).contains("FENCE_KDUMP_LISTENER_IS_NOT_ALIVE");
    }

    @Test
    void aUserMayCancelTheWait() {
        HostLab hosts = dumping();
        hosts.lab.seconds(3);
        UUID fence = hosts.only(OperationKind.FENCE).id();
        assertThat(hosts.lab.commands.cancel(fence, CommandLab.TESTER)).isNull();
        hosts.lab.seconds(5);
        assertThat(hosts.lab.operation(fence).state()).isEqualTo(OperationState.CANCELLED);
        assertThat(hosts.status(1)).isIn(HostStatus.UNASSIGNED, HostStatus.CONNECTING);
        assertThat(hosts.hosts.fence(CommandLab.hostId(1), CommandLab.TESTER)).isNotNull();
        hosts.lab.seconds(100);
        assertThat(hosts.power.fenced).hasSize(1);
        hosts.up(1, 2, 3);
        hosts.wellEnded();
    }

    @ParameterizedTest(name = "crash {0} s after the first message")
    @ValueSource(ints = {0, 30, 95, 100, 105})
    void anEngineThatCrashesMeanwhileListensAnew(int seconds) {
        HostLab hosts = dumping();
        hosts.lab.seconds(seconds);
        hosts.kdump.forget();
        hosts.lab.crash();
        hosts.lab.seconds(1_500);
        for (int vm = 1; vm <= 3; vm++) {
            hosts.up(vm, 1, 2, 3);
            assertThat(hosts.lab.centre.homes(CommandLab.vmId(vm))).hasSize(1);
        }
        assertThat(hosts.power.fenced).hasSizeLessThan(2);
        hosts.wellEnded();
    }

    @Test
    void aRestartedEngineDetectsADumpUnderWay() {
        HostLab hosts = dumping();
        hosts.lab.seconds(30);
        hosts.kdump.forget();
        hosts.lab.crash();
        for (int i = 0; i < 60 && hosts.status(1) != HostStatus.KDUMPING; i++) {
            goesOn(hosts, 10);
        }
        assertThat(hosts.status(1)).isEqualTo(HostStatus.KDUMPING);
        hosts.lab.seconds(200);
        assertThat(hosts.power.fenced).isEmpty();
        hosts.up(1, 2, 3);
        Operation fence = hosts.only(OperationKind.FENCE);
        assertThat(Objects.requireNonNull(fence.host())).isEqualTo(CommandLab.hostId(1));
        assertThat(fence.state()).isEqualTo(OperationState.SUCCEEDED);
        hosts.wellEnded();
    }
}
