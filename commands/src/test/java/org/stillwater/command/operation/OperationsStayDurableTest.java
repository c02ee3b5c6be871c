package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.worker.WorkerHealth;

/**
 * Operations stay durable through every failure of the store; each failure is visible while it
 * lasts.
 */
@Timeout(30)
class OperationsStayDurableTest {

    /** A failure that no guard below a thread's top frame knows. */
    private static final class StrangeError extends Error {
        private static final long serialVersionUID = 1L;

        StrangeError() {
            super("strange");
        }
    }

    private static Stream<Supplier<Throwable>> failures() {
        return Stream.of(
                () -> new IllegalStateException("broken"),
                StackOverflowError::new,
                () -> new NoClassDefFoundError("gone"),
                () -> new OutOfMemoryError("full"),
                StrangeError::new);
    }

    private static CommandLab lab() {
        return new CommandLab().withHosts(3).withVm(1).withVm(2).withVm(3).settled();
    }

    private static OperationRequest run(int vm) {
        return new OperationRequest(
                CommandLab.vmId(vm), OperationKind.RUN, CommandLab.usual(OperationKind.RUN));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aStoreThatFailsToSave(Supplier<Throwable> failure) {
        CommandLab lab = lab();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.faults.fail(Set.of("save", "removeEndedBefore"), failure);
        lab.seconds(30);
        assertThat(lab.commands.state().notDurableSince()).as("since when").isNotNull();
        assertThat(lab.commands.state().notDurableReason()).as("why").isNotNull();

        lab.faults.heal();
        lab.seconds(60);

        assertThat(lab.commands.state().notDurableSince()).isNull();
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(lab.isDurable(lab.operation(run))).isTrue();
        assertThat(lab.ask(2, OperationKind.RUN, CommandLab.usual(OperationKind.RUN)))
                .isInstanceOf(Answer.Accepted.class);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aStoreThatFailsToBegin(Supplier<Throwable> failure) {
        CommandLab lab = lab();
        lab.faults.fail(Set.of("begin"), failure);
        for (int vm = 1; vm <= 3; vm++) {
            assertThat(lab.ask(vm, OperationKind.RUN, CommandLab.usual(OperationKind.RUN)))
                    .as("each one who asks gets an answer")
                    .isInstanceOf(Answer.Refused.class);
        }
        assertThat(lab.commands.state().notDurableSince()).as("since when").isNotNull();

        lab.faults.heal();
        lab.seconds(2);
        assertThat(lab.accepted(2, OperationKind.RUN)).isNotNull();

        assertThat(lab.commands.state().notDurableSince()).isNull();
        assertThat(lab.commands.state().waiting()).isZero();
        lab.seconds(60);
        assertThat(lab.status(2)).isEqualTo(VmStatus.UP);
    }

    /** Take-overs and discharges of work are tasks of the same thread. */
    @ParameterizedTest
    @MethodSource("failures")
    void aStoreThatFailsToTakeOverAndToDischarge(Supplier<Throwable> failure) {
        CommandLab lab =
                new CommandLab().withHosts(3).withVm(1, true, 0).up(1, 1).withVm(2).settled();
        lab.faults.fail(Set.of("takeOver", "discharge"), failure);
        lab.host(1).crash(CommandLab.vmId(1), "gone");
        lab.seconds(30);

        assertThat(lab.ask(2, OperationKind.RUN, CommandLab.usual(OperationKind.RUN)))
                .isInstanceOf(Answer.Accepted.class);
        lab.faults.heal();
        lab.seconds(120);
        assertThat(lab.engine().pendingWork().open()).isEmpty();
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.commands.state().notDurableSince()).isNull();
    }

    private static boolean isOf(Object given, UUID id) {
        return (given instanceof Operation operation && operation.id().equals(id))
                || (given instanceof Begun begun && begun.operation().id().equals(id));
    }

    @Test
    void anOperationThatCannotBeSavedCostsTheOthersNothing() {
        CommandLab lab = lab();
        UUID bad = lab.accepted(1, OperationKind.RUN);
        lab.faults.fail(
                (method, given) ->
                        method.equals("save")
                                && ((List<?>) given[0]).stream().anyMatch(each -> isOf(each, bad)),
                () -> new IllegalStateException("a broken column"));
        UUID good = lab.accepted(2, OperationKind.RUN);
        lab.seconds(60);

        assertThat(lab.operation(good).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(lab.isDurable(lab.operation(good))).isTrue();
        assertThat(lab.commands.state().notSaved())
                .containsOnlyKeys(bad)
                .extractingByKey(bad)
                .asString()
                .contains("a broken column");
        assertThat(lab.ask(1, OperationKind.POWER_OFF, CommandLab.usual(OperationKind.POWER_OFF)))
                .as("two operations on a VM are never open in the database")
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.why()).isEqualTo(Answer.Why.UNAVAILABLE));

        lab.faults.heal();
        lab.seconds(60);
        assertThat(lab.commands.state().notSaved()).isEmpty();
        assertThat(lab.isDurable(lab.operation(bad))).isTrue();
        assertThat(lab.accepted(1, OperationKind.POWER_OFF)).isNotNull();
    }

    @Test
    void anOperationThatCannotBeginCostsTheOthersNothing() {
        CommandLab lab = lab();
        UUID bad = new UUID(0x3000, 1);
        lab.faults.fail(
                (method, given) ->
                        method.equals("begin")
                                && ((List<?>) given[0]).stream().anyMatch(each -> isOf(each, bad)),
                () -> new IllegalStateException("a broken column"));
        List<CompletableFuture<Answer>> answers =
                lab.commands.submit(List.of(run(1), run(2), run(3)), CommandLab.TESTER);
        lab.pump();

        assertThat(answers.get(0).join()).isInstanceOf(Answer.Refused.class);
        assertThat(answers.get(1).join()).isInstanceOf(Answer.Accepted.class);
        assertThat(answers.get(2).join()).isInstanceOf(Answer.Accepted.class);
        assertThat(lab.commands.state().notDurableSince()).isNull();
    }

    /** Monitoring shows a VM that it found before the VM's row is written. */
    @Test
    void aVmThatIsNotStoredYetIsToBeAskedForAgain() {
        CommandLab lab = lab();
        StoredVm row = lab.vms.vm(CommandLab.vmId(1));
        assertThat(row).isNotNull();
        assertThat(lab.vms.remove(CommandLab.vmId(1))).isTrue();

        assertThat(lab.ask(1, OperationKind.RUN, CommandLab.usual(OperationKind.RUN)))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> {
                            assertThat(refused.why()).isEqualTo(Answer.Why.UNAVAILABLE);
                            assertThat(refused.reason()).contains("not in the database yet");
                        });

        lab.vms.put(row);
        assertThat(lab.accepted(1, OperationKind.RUN)).isNotNull();
    }

    /** With its real threads, on a clock that the test moves. */
    @ParameterizedTest
    @MethodSource("failures")
    void theThreadsSurvive(Supplier<Throwable> failure) {
        CommandLab lab = lab();
        lab.commands.start();
        lab.faults.fail((_, _) -> true, failure);
        CompletableFuture<Answer> first =
                lab.commands.submit(List.of(run(1)), CommandLab.TESTER).getFirst();
        until(lab, first::isDone);
        assertThat(first.join()).isInstanceOf(Answer.Refused.class);

        lab.faults.heal();
        // A thread without a processor looks stuck: the test's time passes much faster.
        until(lab, () -> !isStuck(lab));
        CompletableFuture<Answer> second =
                lab.commands.submit(List.of(run(2)), CommandLab.TESTER).getFirst();
        until(lab, second::isDone);

        assertThat(second.join()).isInstanceOf(Answer.Accepted.class);
        until(lab, () -> lab.commands.state().notDurableSince() == null);
        lab.commands.close();
    }

    @Test
    void aStoreThatNeverAnswersIsShownAndRefusesAtOnce() {
        CommandLab lab = lab();
        lab.commands.start();
        lab.faults.block();
        CompletableFuture<Answer> hangs =
                lab.commands.submit(List.of(run(1)), CommandLab.TESTER).getFirst();
        until(lab, () -> isStuck(lab));
        assertThat(lab.commands.state().notDurableSince()).as("since when").isNotNull();
        CompletableFuture<Answer> next =
                lab.commands.submit(List.of(run(2)), CommandLab.TESTER).getFirst();
        assertThat(next)
                .isCompletedWithValueMatching(answer ->
                        answer instanceof Answer.Refused(Answer.Why why, String _)
                                && why == Answer.Why.UNAVAILABLE);

        lab.faults.heal();
        until(lab, hangs::isDone);
        assertThat(hangs.join()).isInstanceOf(Answer.Accepted.class);
        until(lab, () -> !isStuck(lab));
        assertThat(lab.commands.state().notDurableSince()).isNull();
        lab.commands.close();
    }

    private static boolean isStuck(CommandLab lab) {
        return lab.commands.workers().stream()
                .anyMatch(worker -> worker.condition() == WorkerHealth.Condition.STUCK);
    }

    private static void until(CommandLab lab, java.util.function.BooleanSupplier over) {
        while (!over.getAsBoolean()) {
            lab.clock.advance(Duration.ofMillis(1));
            assertThat(Thread.currentThread().isInterrupted()).as("out of time").isFalse();
            Thread.onSpinWait();
        }
    }

    /** Followers are foreign code on the thread that decides. */
    @ParameterizedTest
    @MethodSource("failures")
    void aFollowerThatFailsCostsNothing(Supplier<Throwable> failure) {
        CommandLab lab = lab();
        lab.commands.follow(_ -> raise(failure.get()));
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(60);
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.SUCCEEDED);
    }

    /** Throws an undeclared exception. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable failure) throws E {
        throw (E) failure;
    }

    // ----------------------------------------------------------------------------------- bounds

    /** An answer that counts how often it is compared with another one. */
    private static final class Counting extends CompletableFuture<Answer> {
        private final AtomicInteger comparisons;

        Counting(AtomicInteger comparisons) {
            this.comparisons = comparisons;
        }

        @Override
        public boolean equals(Object other) {
            comparisons.incrementAndGet();
            return this == other;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Test
    void takingManyBeginningsComparesNoneWithAnother() {
        CommandLab lab = lab();
        AtomicInteger comparisons = new AtomicInteger();
        Operation operation = lab.operation(lab.accepted(1, OperationKind.RUN));
        Begun begun = Begun.of(operation);
        List<Counting> answers = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            Counting answer = new Counting(comparisons);
            answers.add(answer);
            lab.commands.begin(begun, answer);
        }
        lab.pump();
        assertThat(answers).allMatch(CompletableFuture::isDone);
        assertThat(comparisons).hasValue(0);
    }

    @Test
    void aFullMailboxRefusesRequestsAndKeepsAwaitedMessages() {
        CommandLab lab = lab();
        AtomicInteger done = new AtomicInteger();
        int most = lab.commands.settings().mailbox();
        for (int i = 0; i < most; i++) {
            lab.commands.context().post(done::incrementAndGet);
        }
        assertThat(lab.commands.state().messages()).isEqualTo(most);
        assertThat(lab.commands.submit(List.of(run(1)), CommandLab.TESTER).getFirst())
                .isCompletedWithValueMatching(answer ->
                        answer instanceof Answer.Refused(Answer.Why why, String _)
                                && why == Answer.Why.UNAVAILABLE);
        lab.commands.context().post(done::incrementAndGet);
        lab.pump();
        assertThat(done).hasValue(most + 1);
        assertThat(lab.accepted(1, OperationKind.RUN)).isNotNull();
    }
}
