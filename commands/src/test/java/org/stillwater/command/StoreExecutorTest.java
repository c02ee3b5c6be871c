package org.stillwater.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.testkit.VirtualClock;

class StoreExecutorTest {

    private final List<String> done = new ArrayList<>();
    private final StoreExecutor executor =
            new StoreExecutor(
                    new Workers(
                            WorkerSettings.DEFAULT,
                            VirtualClock.strict(),
                            new SimpleMeterRegistry()));

    private void submit(String name, boolean answers) {
        executor.submit(
                () -> {
                    done.add(name);
                    if (!answers) {
                        throw new StoreUnavailable("no answer", new IllegalStateException());
                    }
                },
                failure -> done.add(name + ": " + failure.getMessage()));
    }

    /** Each would wait for the connect timeout while the engine stops. */
    @Test
    void atTheEndALostDatabaseIsWaitedForOnce() {
        submit("first", true);
        submit("second", false);
        submit("third", true);
        submit("fourth", true);
        executor.drain();
        assertThat(done)
                .containsExactly(
                        "first",
                        "second",
                        "second: no answer",
                        "third: no answer",
                        "fourth: no answer");
        assertThat(executor.size()).isZero();
    }
}
