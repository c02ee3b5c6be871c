package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.command.operation.Answer.Why;
import org.stillwater.core.operation.OperationKind;

/** Requests are checked as their admission would, and nothing begins. */
class DryRunTest {

    private final CommandLab lab = new CommandLab().withHosts(2).withVm(1).withVm(2);

    private List<Answer.Refused> check(OperationKind kind, int... vms) throws Exception {
        return lab.commands.check(
                java.util.Arrays.stream(vms)
                        .mapToObj(vm ->
                                new OperationRequest(
                                        CommandLab.vmId(vm), kind, CommandLab.usual(kind)))
                        .toList());
    }

    @Test
    void anAdmittedRequestIsNotRefusedAndDoesNotBegin() throws Exception {
        lab.settled();
        assertThat(check(OperationKind.RUN, 1, 2)).containsExactly(null, null);
        lab.seconds(20);
        assertThat(lab.commands.operations(_ -> true)).isEmpty();
        assertThat(lab.centre.starts()).isZero();
        lab.accepted(1, OperationKind.RUN);
    }

    @Test
    void refusalsAreThoseOfTheAdmission() throws Exception {
        lab.settled();
        for (OperationKind kind :
                List.of(OperationKind.MIGRATE, OperationKind.RESUME, OperationKind.SHUTDOWN)) {
            assertThat(check(kind, 1))
                    .containsExactly((Answer.Refused) lab.ask(1, kind, CommandLab.usual(kind)));
        }
        assertThat(check(OperationKind.RUN, 77).getFirst().why()).isEqualTo(Why.UNKNOWN);
    }

    @Test
    void anOpenOperationIsInTheWay() throws Exception {
        lab.settled();
        lab.commands.submit(
                List.of(
                        new OperationRequest(
                                CommandLab.vmId(1),
                                OperationKind.RUN,
                                CommandLab.usual(OperationKind.RUN))),
                CommandLab.TESTER);
        List<Answer.Refused> found = check(OperationKind.RUN, 1, 2);
        assertThat(found.getFirst().why()).isEqualTo(Why.CONFLICT);
        assertThat(found.getFirst().reason()).contains("under way");
        assertThat(found.getLast()).isNull();
    }
}
