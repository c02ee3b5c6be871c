package org.stillwater.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.testkit.VirtualClock;

/** Health is DOWN while a thread does not work. */
class WorkersHealthTest {

    private final VirtualClock clock = new VirtualClock();
    private final Workers workers =
            new Workers(WorkerSettings.DEFAULT, clock, new SimpleMeterRegistry());
    private final SupervisedWorker worker =
            workers.worker("batch-writer", SupervisedWorker.STEPPED);
    private final WorkersHealthIndicator indicator = new WorkersHealthIndicator(workers);

    private Health health() {
        return indicator.health();
    }

    /** One failure makes no thread failing; the second one in a row does. */
    private void failTwice(SupervisedWorker failing, Throwable failure) {
        for (int i = 0; i < 2; i++) {
            boolean _ =
                    failing.step(() -> {
                        if (failure instanceof Error error) {
                            throw error;
                        }
                        throw (RuntimeException) failure;
                    });
            clock.advance(Duration.ofNanos(failing.pausedNanos()));
        }
    }

    @Test
    void upWhileAllWork() {
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        assertThat(health().getDetails()).isEmpty();
    }

    @Test
    void aThreadThatFailsIsNamedAndThenDown() {
        failTwice(worker, new StackOverflowError());
        assertThat(health().getStatus()).as("for a moment").isEqualTo(Status.UP);
        assertThat(health().getDetails())
                .extractingByKey("threads")
                .asString()
                .contains("batch-writer");

        clock.advance(WorkerSettings.DEFAULT.failingLimit());
        assertThat(health().getStatus()).isEqualTo(Status.DOWN);
        assertThat(health().getDetails().get("threads"))
                .isInstanceOfSatisfying(
                        Map.class,
                        threads ->
                                assertThat(threads.get("batch-writer").toString())
                                        .contains("failing for 30 s", "StackOverflowError"));

        assertThat(worker.step(() -> true)).isTrue();
        assertThat(health().getStatus()).isEqualTo(Status.UP);
    }

    /** Hosts are watched without history and without the audit log, and no restart mends these. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "history-sampler",
                "history-writer",
                "audit-writer",
                "regression-points",
                "alert-delivery-webhook",
                "alert-delivery-mail",
                "trace-push",
                "xapi-watch-one-state"
            })
    void aThreadThatHealthDoesNotDependOnIsNamedOnly(String name) {
        SupervisedWorker optional = workers.worker(name, SupervisedWorker.STEPPED);
        failTwice(optional, new IllegalStateException("the disk is full"));
        clock.advance(WorkerSettings.DEFAULT.failingLimit());
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        assertThat(health().getDetails().toString()).contains(name, "failing for 30 s");
        failTwice(worker, new IllegalStateException("broken"));
        clock.advance(WorkerSettings.DEFAULT.failingLimit());
        assertThat(health().getStatus()).as("another one fails").isEqualTo(Status.DOWN);
    }

    @Test
    void aPieceOfWorkThatFailsForTooLongIsDown() {
        Runnable fails =
                () -> {
                    throw new IllegalStateException("broken");
                };
        assertThat(worker.isolate("fencing of host alpha", fails)).isFalse();
        assertThat(worker.isolate("fencing of host alpha", fails)).isFalse();
        clock.advance(WorkerSettings.DEFAULT.failingLimit().plus(Duration.ofSeconds(1)));
        assertThat(health().getStatus()).isEqualTo(Status.DOWN);
        assertThat(health().getDetails().toString()).contains("fencing of host alpha");
        worker.forget("fencing of host alpha");
        assertThat(health().getStatus()).isEqualTo(Status.UP);
    }
}
