package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationState;
import org.stillwater.monitoring.worker.WorkerHealth;

/** A look at one host that fails ends neither the looking nor the looks at other hosts. */
class IsolatedLooksTest {

    private static WorkerHealth deciding(HostLab hosts) {
        return hosts.lab.commands.workers().getFirst();
    }

    @Test
    void fencingContinuesAfterAFailedCheck() {
        HostLab hosts = new HostLab(3).withAgent(1).withVms(1, true);
        hosts.lab.settled();
        hosts.lab.failIds(new IllegalStateException("broken"));
        hosts.lab.host(1).cutOff();
        hosts.lab.seconds(500);
        assertThat(hosts.power.fenced).isEmpty();
        assertThat(deciding(hosts).condition()).isEqualTo(WorkerHealth.Condition.FAILING);
        assertThat(deciding(hosts).reason()).contains("host").contains("broken");

        hosts.lab.failIds(null);
        hosts.lab.seconds(300);

        assertThat(hosts.power.fenced).containsExactly(CommandLab.hostId(1));
        assertThat(deciding(hosts).condition()).isEqualTo(WorkerHealth.Condition.WELL);
        hosts.up(1, 2, 3);
    }

    @Test
    void aDumpThatCannotBeHeardOfKeepsNoOtherHostFromBeingFenced() {
        HostLab hosts = new HostLab(4).withAgent(1).withAgent(2);
        hosts.lab.settled();
        hosts.kdump.deafFor = CommandLab.hostId(1);
        hosts.lab.host(1).cutOff();
        hosts.lab.host(2).cutOff();
        hosts.lab.seconds(600);
        assertThat(hosts.power.fenced).contains(CommandLab.hostId(2));

        hosts.kdump.deafFor = null;
        hosts.lab.seconds(300);
        assertThat(hosts.power.fenced).contains(CommandLab.hostId(1));
    }

    @Test
    void drainingContinuesAfterAFailedCheck() {
        HostLab hosts = new HostLab(3).withVms(3, false);
        hosts.lab.settled();
        hosts.lab.failIds(1, new IllegalStateException("broken"));
        hosts.maintain(1);
        hosts.lab.seconds(5);
        assertThat(hosts.operations(OperationKind.DRAIN)).hasSize(1);
        assertThat(deciding(hosts).reason()).contains("drain of host").contains("broken");
        hosts.lab.failIds(null);
        hosts.lab.seconds(120);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
    }
}
