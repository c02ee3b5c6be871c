package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.vm.VmStatus;

/**
 * The engine ends, as by a power failure, after every single thing that it does for an operation of
 * every kind, and begins anew: the operation ends right, and nothing is done twice that must not
 * be.
 */
class CrashTest {

    /** Longest history of one operation, in things done. */
    private static final int MOST_STEPS = 400;

    /** An operation and its expected end. */
    record Case(
            OperationKind kind,
            OperationParameters parameters,
            VmStatus before,
            List<VmStatus> after) {
        @Override
        public String toString() {
            return kind.label() + (parameters.toString().contains("cold=true") ? " cold" : "");
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        OperationKind.RUN,
                        OperationParameters.Run.DEFAULT,
                        VmStatus.DOWN,
                        List.of(VmStatus.UP)),
                new Case(
                        OperationKind.SHUTDOWN,
                        OperationParameters.Shutdown.DEFAULT,
                        VmStatus.UP,
                        List.of(VmStatus.DOWN)),
                new Case(
                        OperationKind.POWER_OFF,
                        OperationParameters.NONE,
                        VmStatus.UP,
                        List.of(VmStatus.DOWN)),
                new Case(
                        OperationKind.REBOOT,
                        new OperationParameters.Reboot(false),
                        VmStatus.UP,
                        List.of(VmStatus.UP)),
                new Case(
                        OperationKind.REBOOT,
                        new OperationParameters.Reboot(true),
                        VmStatus.UP,
                        List.of(VmStatus.UP)),
                new Case(
                        OperationKind.RESET,
                        OperationParameters.NONE,
                        VmStatus.UP,
                        List.of(VmStatus.UP)),
                new Case(
                        OperationKind.PAUSE,
                        OperationParameters.NONE,
                        VmStatus.UP,
                        List.of(VmStatus.PAUSED)),
                new Case(
                        OperationKind.SUSPEND,
                        OperationParameters.NONE,
                        VmStatus.UP,
                        List.of(VmStatus.SUSPENDED)),
                new Case(
                        OperationKind.MIGRATE,
                        OperationParameters.Migrate.DEFAULT,
                        VmStatus.UP,
                        List.of(VmStatus.UP)),
                new Case(
                        OperationKind.CONSOLE_TICKET,
                        new OperationParameters.Console("eve", null, 60),
                        VmStatus.UP,
                        List.of(VmStatus.UP)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyStep(Case asked) {
        List<OperationState> ends = new ArrayList<>();
        for (int steps = 0; steps < MOST_STEPS; steps++) {
            CommandLab lab = lab(asked);
            UUID id = begun(lab, asked);
            boolean over = walk(lab, id, steps);
            if (over) {
                assertThat(steps).as("steps of %s", asked).isGreaterThan(5);
                return;
            }
            lab.crash();
            lab.seconds(150);
            Operation durable =
                    lab.operations.all().stream()
                            .filter(operation -> operation.id().equals(id))
                            .findFirst()
                            .orElse(null);
            String where = "%s, crash after %s steps".formatted(asked, steps);
            assertThat(lab.open()).as(where).isEmpty();
            assertThat(lab.engine().pendingWork().open()).as(where).isEmpty();
            assertThat(lab.centre.doubles()).as(where).isEmpty();
            assertThat(lab.centre.homes(CommandLab.vmId(1)).size()).as(where).isLessThan(2);
            assertThat(lab.vm(1).state().placement().migratingTo()).as(where).isNull();
            if (durable == null) {
                assertThat(lab.status(1)).as(where).isEqualTo(asked.before());
                continue;
            }
            assertThat(durable.isEnded()).as("%s: %s", where, durable).isTrue();
            ends.add(durable.state());
            boolean interrupted =
                    durable.failure() != null
                            && durable.failure().code() == OperationFailure.Code.INTERRUPTED;
            if (!interrupted) {
                assertThat(durable.state())
                        .as("%s: %s", where, durable)
                        .isEqualTo(OperationState.SUCCEEDED);
                assertThat(asked.after()).as("%s: %s", where, durable).contains(lab.status(1));
            } else {
                assertThat(asked.kind())
                        .as("%s: %s", where, durable)
                        .isIn(
                                OperationKind.RESET,
                                OperationKind.REBOOT,
                                OperationKind.CONSOLE_TICKET);
            }
        }
        throw new AssertionError("%s did not end: %s".formatted(asked, ends));
    }

    /** Its host still holds the record of the run that ended a moment before. */
    @Test
    void everyStepOfAStartThatMeetsTheRecordOfTheLastRun() {
        for (int steps = 0; steps < MOST_STEPS; steps++) {
            CommandLab lab =
                    new CommandLab().withHosts(2).withVm(1).up(1, 1).withVm(2).up(2, 2).settled();
            UUID shutdown = lab.accepted(1, OperationKind.SHUTDOWN);
            lab.seconds(1);
            lab.vms.unavailable("slow");
            lab.seconds(60);
            assertThat(lab.operation(shutdown).state()).isEqualTo(OperationState.SUCCEEDED);
            lab.vms.unavailable(null);
            UUID run = new UUID(0x3000, 2);
            Object _ =
                    lab.commands.submit(
                            List.of(
                                    new OperationRequest(
                                            CommandLab.vmId(1),
                                            OperationKind.RUN,
                                            OperationParameters.Run.DEFAULT)),
                            CommandLab.TESTER);
            boolean over = walk(lab, run, steps);
            if (over) {
                assertThat(lab.operation(run).state()).isEqualTo(OperationState.SUCCEEDED);
                assertThat(lab.operation(run).target()).isEqualTo(CommandLab.hostId(1));
                assertThat(steps).isGreaterThan(5);
                return;
            }
            lab.crash();
            lab.seconds(150);
            String where = "crash after %s steps".formatted(steps);
            assertThat(lab.open()).as(where).isEmpty();
            assertThat(lab.centre.doubles()).as(where).isEmpty();
            Operation durable = lab.commands.operation(run);
            boolean begun = durable != null;
            assertThat(lab.status(1))
                    .as("%s: %s", where, durable)
                    .isEqualTo(begun ? VmStatus.UP : VmStatus.DOWN);
        }
        throw new AssertionError("it did not end");
    }

    private static CommandLab lab(Case asked) {
        CommandLab lab = new CommandLab().withHosts(3).withVm(1);
        if (asked.before() == VmStatus.UP) {
            lab.up(1, 1);
        }
        return lab.settled();
    }

    private static UUID begun(CommandLab lab, Case asked) {
        Object _ =
                lab.commands.submit(
                        List.of(
                                new OperationRequest(
                                        CommandLab.vmId(1),
                                        asked.kind(),
                                        asked.parameters(),
                                        "password")),
                        CommandLab.TESTER);
        return new UUID(0x3000, 1);
    }

    /** Does so many single things; whether the operation ended before. */
    private static boolean walk(CommandLab lab, UUID id, int steps) {
        int left = steps;
        for (int turns = 0; turns < MOST_STEPS * 10; turns++) {
            Operation operation = lab.commands.operation(id);
            if (operation != null && operation.isEnded() && lab.isDurable(operation)) {
                return true;
            }
            if (left == 0) {
                return false;
            }
            if (lab.stepOnce()) {
                left--;
            } else {
                lab.centre.advance(Duration.ofMillis(500), () -> {});
            }
        }
        throw new AssertionError("it does not end: " + lab.commands.operation(id));
    }
}
