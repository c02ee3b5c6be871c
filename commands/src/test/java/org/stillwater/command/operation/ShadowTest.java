package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.command.CommandSettings;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.VmStatus;

/** An engine whose hosts another engine commands. */
class ShadowTest {

    private static final Answer REFUSED =
            new Answer.Refused(Answer.Why.CONFLICT, CommandSettings.SHADOW);

    private final HostLab hosts = new HostLab(3).withAgent(1).withVms(2, true);
    private final CommandLab lab = hosts.lab.with(CommandSettings.DEFAULT.asShadow());

    private Answer ask(int vm, OperationKind kind) {
        return lab.ask(vm, kind, OperationParameters.NONE);
    }

    @Test
    @DisplayName("a shadow refuses every operation but those of definitions")
    void refuses() {
        lab.withVm(3).settled();
        assertThat(lab.ask(3, OperationKind.RUN, OperationParameters.Run.DEFAULT))
                .isEqualTo(REFUSED);
        for (OperationKind kind :
                List.of(OperationKind.SHUTDOWN, OperationKind.POWER_OFF, OperationKind.PAUSE)) {
            assertThat(ask(1, kind)).as(kind.label()).isEqualTo(REFUSED);
        }
        assertThat(hosts.hosts.fence(CommandLab.hostId(1), CommandLab.TESTER).join())
                .isEqualTo(REFUSED);
        UUID changed =
                lab.accepted(3, OperationKind.UPDATE_VM, new OperationParameters.Definition("3 7"));
        lab.seconds(2);
        assertThat(lab.operation(changed).isEnded()).isTrue();
        assertThat(lab.centre.hosts()).allMatch(host -> host.orders().isEmpty());
    }

    @Test
    @DisplayName("a shadow restarts no VM that failed, and fences no host that is silent")
    void doesNothingByItself() {
        lab.settled();
        lab.host(1).crash(CommandLab.vmId(1), "qemu died");
        lab.seconds(3_600);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.engine().pendingWork().open()).as("left to the other engine").isEmpty();
        lab.host(1).cutOff();
        hosts.until(HostStatus.NON_RESPONSIVE);
        lab.seconds(3_600);
        assertThat(hosts.power.fenced).isEmpty();
        assertThat(lab.commands.operations(_ -> true)).extracting(Operation::kind).isEmpty();
        assertThat(lab.centre.starts()).isZero();
    }
}
