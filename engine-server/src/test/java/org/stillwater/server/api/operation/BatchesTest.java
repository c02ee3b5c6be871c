package org.stillwater.server.api.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.StoreUnavailable;

/** Batches that are read from the database while their operations go on. */
class BatchesTest {

    private static final UUID ID = new UUID(1, 1);
    private static final int KEPT = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static Operation operation() {
        return Operation.on(
                new VmId(1, 1),
                new UUID(2, 1),
                OperationKind.RUN,
                OperationParameters.Run.DEFAULT,
                new Operation.Origin("eve", "test", ID, 0),
                0,
                Instant.EPOCH);
    }

    @Test
    void aSecondRequestWaitsUntilTheFirstHasReadTheBatch() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        AtomicInteger reads = new AtomicInteger();
        Batches batches =
                new Batches(
                        _ -> {
                            reads.incrementAndGet();
                            asked.countDown();
                            pass(answered);
                            return List.of(operation());
                        },
                        KEPT,
                        PATIENCE);
        FutureTask<Integer> first = new FutureTask<>(() -> size(batches));
        Thread _ = Thread.ofPlatform().start(first);
        pass(asked);
        FutureTask<Integer> second = new FutureTask<>(() -> size(batches));
        Thread other = Thread.ofPlatform().start(second);
        while (!second.isDone() && other.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        answered.countDown();
        assertThat(first.get()).isEqualTo(1);
        assertThat(second.get()).as("a batch without operations looks ended").isEqualTo(1);
        assertThat(reads).hasValue(1);
    }

    /**
     * A client that got 503 does not know its batch, which was kept without operations for ever.
     */
    @Test
    void aBatchWithoutAnAnswerIsReadFromTheDatabase() throws StoreUnavailable {
        AtomicInteger reads = new AtomicInteger();
        Batches batches =
                new Batches(
                        _ -> {
                            reads.incrementAndGet();
                            return List.of(operation());
                        },
                        KEPT,
                        PATIENCE);
        Batch answered = batches.begin(ID);
        assertThat(batches.answered(answered, () -> 7)).isEqualTo(7);
        assertThat(batches.find(ID)).isSameAs(answered);
        assertThat(reads).hasValue(0);
        assertThatThrownBy(() ->
                        batches.answered(
                                answered,
                                () -> {
                                    throw new IllegalStateException("no answer in time");
                                }))
                .hasMessage("no answer in time");
        assertThat(size(batches)).isEqualTo(1);
        assertThat(reads).hasValue(1);
    }

    private static int size(Batches batches) throws StoreUnavailable {
        return Objects.requireNonNull(batches.find(ID)).size();
    }

    private static void pass(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aStepThatIsTakenWhileTheBatchIsReadIsNewer() throws StoreUnavailable {
        Batches[] holder = new Batches[1];
        Operation later = operation().doing("looks for a host", Instant.EPOCH.plusSeconds(1));
        holder[0] =
                new Batches(
                        _ -> {
                            holder[0].told(later);
                            return List.of(operation());
                        },
                        KEPT,
                        PATIENCE);
        Batch batch = Objects.requireNonNull(holder[0].find(ID));
        assertThat(batch.all()).containsExactly(later);
        assertThat(holder[0].find(ID)).isSameAs(batch);
    }

    @Test
    void aBatchThatCannotBeReadOrIsUnknownIsReadAgain() throws StoreUnavailable {
        AtomicInteger reads = new AtomicInteger();
        Batches batches =
                new Batches(
                        _ -> {
                            if (reads.incrementAndGet() == 1) {
                                throw new StoreUnavailable(
                                        "gone", new IllegalStateException("gone"));
                            }
                            return reads.get() == 2 ? List.of() : List.of(operation());
                        },
                        KEPT,
                        PATIENCE);
        assertThatThrownBy(() -> batches.find(ID)).isInstanceOf(StoreUnavailable.class);
        assertThat(batches.find(ID)).isNull();
        assertThat(batches.find(ID)).isNotNull();
    }
}
