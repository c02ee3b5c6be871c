package org.stillwater.monitoring.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.monitoring.worker.WorkerHealth.Condition;
import org.stillwater.testkit.VirtualClock;

@Timeout(30)
class SupervisedWorkerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final VirtualClock clock = new VirtualClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Workers workers = new Workers(WorkerSettings.DEFAULT, clock, meters);
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final SupervisedWorker worker = workers.worker("test", new Loop());

    private final class Loop implements SupervisedWorker.Work {
        private Runnable next = () -> {};

        @Override
        public boolean await() throws InterruptedException {
            next = tasks.take();
            return true;
        }

        @Override
        public void perform() {
            next.run();
        }
    }

    private static Stream<Supplier<Throwable>> failures() {
        return Stream.of(
                () -> new IllegalStateException("broken"),
                StackOverflowError::new,
                () -> new NoClassDefFoundError("gone"),
                () -> new OutOfMemoryError("full"),
                () -> new Error("any"),
                () -> new InterruptedException("from elsewhere"));
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable failure) throws E {
        throw (E) failure;
    }

    private void until(BooleanSupplier over) {
        while (!over.getAsBoolean()) {
            clock.advance(Duration.ofMillis(1));
            assertThat(Thread.currentThread().isInterrupted()).as("out of time").isFalse();
            Thread.onSpinWait();
        }
    }

    private double counted() {
        return meters.get("stillwater.worker.failures").tag("worker", "test").counter().count();
    }

    @ParameterizedTest
    @MethodSource("failures")
    void theThreadContinuesAfterAnyFailure(Supplier<Throwable> failure) {
        worker.start();
        CountDownLatch done = new CountDownLatch(1);
        tasks.add(() -> raise(failure.get()));
        tasks.add(done::countDown);
        until(() -> done.getCount() == 0);
        assertThat(counted()).isOne();
        until(() -> worker.health().condition() == Condition.WELL);
        assertThat(worker.stop(PATIENCE.dividedBy(1_000))).isTrue();
    }

    @Test
    void aWorkerOnAPlatformThreadIsInTheGroupOfWorkersAndEndsAsAnyOther() throws Exception {
        worker.startOnPlatformThread();
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        tasks.add(() -> thread.complete(Thread.currentThread()));
        assertThat(thread.get().isVirtual()).isFalse();
        assertThat(thread.get().isDaemon()).isTrue();
        assertThat(thread.get().getThreadGroup().getName()).isEqualTo(SupervisedWorker.GROUP);
        assertThat(worker.stop(Duration.ZERO)).isTrue();
    }

    @Test
    void aForgottenWorkerIsInNeitherHealthNorMeters() {
        worker.start();
        assertThat(worker.stop(Duration.ZERO)).isTrue();
        assertThat(workers.health()).hasSize(1);
        workers.forget(worker);
        assertThat(workers.health()).isEmpty();
        assertThat(meters.find("stillwater.worker.failures").counter()).isNull();
    }

    @Test
    void anInterruptFromElsewhereDoesNotEndIt() throws Exception {
        worker.start();
        CountDownLatch done = new CountDownLatch(1);
        tasks.add(() -> Thread.currentThread().interrupt());
        tasks.add(done::countDown);
        until(() -> done.getCount() == 0);
        assertThat(done.await(0, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.stop(Duration.ZERO)).isTrue();
    }

    @Test
    void pausesDoubleUpToTheLongest() {
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            assertThat(
                            worker.step(() -> {
                                throw new IllegalStateException("broken");
                            }))
                    .isFalse();
            pauses.add(Duration.ofNanos(worker.pausedNanos()).toMillis());
            boolean early = worker.step(() -> true);
            assertThat(early).as("nothing is done in the pause").isFalse();
            clock.advance(Duration.ofNanos(worker.pausedNanos()));
        }
        assertThat(pauses)
                .containsExactly(100L, 200L, 400L, 800L, 1_600L, 3_200L, 6_400L, 10_000L, 10_000L);
        assertThat(worker.step(() -> true)).isTrue();
        assertThat(worker.health().condition()).isEqualTo(Condition.WELL);
    }

    @Test
    void aTaskThatFailsForTooLongIsDown() {
        for (int i = 0; i < 3; i++) {
            boolean _ =
                    worker.step(() -> {
                        throw new IllegalStateException("broken");
                    });
            clock.advance(Duration.ofNanos(worker.pausedNanos()));
        }
        assertThat(worker.health())
                .satisfies(
                        health -> assertThat(health.condition()).isEqualTo(Condition.DEGRADED),
                        health -> assertThat(health.failuresInRow()).isEqualTo(3),
                        health -> assertThat(health.reason()).contains("broken"),
                        health -> assertThat(health.isDown()).isFalse());
        clock.advance(WorkerSettings.DEFAULT.failingLimit());
        assertThat(worker.health().condition()).isEqualTo(Condition.FAILING);
        assertThat(worker.health().isDown()).isTrue();
        assertThat(meters.get("stillwater.workers.unwell").gauge().value()).isOne();
    }

    /** The next turn may be a day away; until then there is nothing that could succeed. */
    @Test
    void aTaskThatFailedOnceIsNotDownUntilItsNextTurn() {
        step(() -> raise(new OutOfMemoryError("full")));
        clock.advance(Duration.ofHours(20));
        assertThat(worker.health().condition()).isEqualTo(Condition.DEGRADED);
        step(() -> raise(new OutOfMemoryError("full")));
        assertThat(worker.health().condition()).isEqualTo(Condition.FAILING);
        clock.advance(Duration.ofNanos(worker.pausedNanos()));
        step(() -> {});
        assertThat(worker.health().condition()).isEqualTo(Condition.WELL);
    }

    @Test
    void aSingleFailureDoesNotHideARepeatedOne() {
        step(() -> raise(new OutOfMemoryError("once")));
        clock.advance(Duration.ofSeconds(1));
        assertThat(fails("one")).isFalse();
        assertThat(fails("one")).isFalse();
        clock.advance(WorkerSettings.DEFAULT.failingLimit());
        assertThat(worker.health().condition()).isEqualTo(Condition.FAILING);
        assertThat(worker.health().reason()).contains("one: ");
    }

    private void step(Runnable turn) {
        boolean _ =
                worker.step(() -> {
                    turn.run();
                    return true;
                });
    }

    @Test
    void workThatDoesNotEndIsDown() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        worker.start();
        tasks.add(() -> {
            begun.countDown();
            try {
                letGo.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // the test ends
            }
        });
        begun.await();
        assertThat(worker.health().condition()).isEqualTo(Condition.WELL);
        clock.advance(WorkerSettings.DEFAULT.stuckLimit());
        assertThat(worker.health().condition()).isEqualTo(Condition.STUCK);
        letGo.countDown();
        until(() -> worker.health().condition() == Condition.WELL);
        assertThat(worker.stop(Duration.ZERO)).isTrue();
    }

    private boolean fails(String piece) {
        Runnable unit = () -> raise(new OutOfMemoryError("full"));
        return worker.isolate(piece, unit);
    }

    @Test
    void onePieceThatFailsCostsTheOthersNothing() {
        List<String> done = new ArrayList<>();
        assertThat(fails("one")).isFalse();
        assertThat(worker.isolate("other", (Runnable) () -> done.add("other"))).isTrue();
        assertThat(done).containsExactly("other");
        assertThat(worker.health().reason()).contains("one").contains("full");
        assertThat(fails("one")).isFalse();
        clock.advance(WorkerSettings.DEFAULT.failingLimit());
        assertThat(worker.health().condition()).isEqualTo(Condition.FAILING);
        assertThat(worker.isolate("one", (Runnable) () -> {})).isTrue();
        assertThat(worker.health().condition()).isEqualTo(Condition.WELL);
    }

    @Test
    void theOwnerOfAFailedTaskAlwaysGetsTheReason() {
        List<Throwable> told = new ArrayList<>();
        assertThat(worker.guard("test", () -> raise(new Error("any")), told::add)).isFalse();
        assertThat(told).hasSize(1);
        assertThat(
                        worker.guard(
                                "test",
                                () -> raise(new Error("any")),
                                _ -> raise(new Error("again"))))
                .isFalse();
        assertThat(counted()).isEqualTo(3);
    }
}
