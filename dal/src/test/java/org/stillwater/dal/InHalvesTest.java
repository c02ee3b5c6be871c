package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.store.WriteOutcome.Rejected;
import org.stillwater.core.store.WriteOutcome.Unavailable;
import org.stillwater.core.store.WriteOutcome.Written;

class InHalvesTest {

    private static final List<Integer> ROWS = IntStream.range(0, 7).boxed().toList();

    @Test
    void theHalvesAreWrittenAtTheSameTimeAndInTheirOrderReported() {
        CountDownLatch both = new CountDownLatch(2);
        WriteOutcome outcome =
                Transactions.InHalves.write(
                        ROWS,
                        half -> {
                            both.countDown();
                            awaitUninterruptibly(both);
                            return new Written(
                                    half.size(),
                                    half.stream()
                                            .map(row -> new Rejected(row.toString(), "bad"))
                                            .toList());
                        });
        assertThat(outcome).isInstanceOf(Written.class);
        assertThat(((Written) outcome).rows()).isEqualTo(7);
        assertThat(((Written) outcome).rejected())
                .extracting(Rejected::key)
                .containsExactly("0", "1", "2", "3", "4", "5", "6");
    }

    @Test
    void aBatchWithAnUnavailableHalfIsUnavailable() {
        for (int missing : new int[] {0, 3}) {
            AtomicInteger attempts = new AtomicInteger();
            WriteOutcome outcome =
                    Transactions.InHalves.write(
                            ROWS,
                            half -> {
                                attempts.incrementAndGet();
                                return half.getFirst() == missing
                                        ? new Unavailable("half " + missing)
                                        : new Written(half.size(), List.of());
                            });
            assertThat(outcome).isEqualTo(new Unavailable("half " + missing));
            assertThat(attempts).as("the other half is written all the same").hasValue(2);
        }
    }

    @Test
    void aFailureOfEitherHalfIsThrownAfterBothHaveEnded() {
        assertFailure(0, new IllegalStateException("lower"));
        assertFailure(3, new IllegalStateException("upper"));
        assertFailure(3, new StackOverflowError("upper"));
    }

    private static void assertFailure(int broken, Throwable failure) {
        AtomicInteger ended = new AtomicInteger();
        Function<List<Integer>, WriteOutcome> write =
                half -> {
                    if (half.getFirst() == broken) {
                        switch (failure) {
                            case RuntimeException unchecked -> throw unchecked;
                            case Error error -> throw error;
                            default -> throw new IllegalArgumentException(failure);
                        }
                    }
                    ended.incrementAndGet();
                    return new Written(half.size(), List.of());
                };
        assertThatThrownBy(() -> Transactions.InHalves.write(ROWS, write)).isSameAs(failure);
        assertThat(ended).hasValue(1);
    }

    @Test
    void anInterruptedWriterWaitsForTheOtherHalf() {
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread writer = Thread.currentThread();
        AtomicInteger ended = new AtomicInteger();
        WriteOutcome outcome =
                Transactions.InHalves.write(
                        ROWS,
                        half -> {
                            if (Thread.currentThread().equals(writer)) {
                                writer.interrupt();
                                interrupted.countDown();
                            } else {
                                awaitUninterruptibly(interrupted);
                            }
                            ended.incrementAndGet();
                            return new Written(half.size(), List.of());
                        });
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        assertThat(ended).hasValue(2);
        assertThat(outcome).isEqualTo(new Written(7, List.of()));
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // The test's own interrupt.
            }
        }
    }
}
