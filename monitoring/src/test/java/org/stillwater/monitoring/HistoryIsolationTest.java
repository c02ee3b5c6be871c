package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.history.durable.DurableHistorySettings;
import org.stillwater.monitoring.history.durable.HistoryRecorder;
import org.stillwater.monitoring.write.WriterSettings;

/** History cannot delay anything else. */
class HistoryIsolationTest {

    private final Lab lab = new Lab();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);

    /** Blocks each caller for as long as the test runs. */
    private HistoryStore blocking() {
        return (HistoryStore)
                Proxy.newProxyInstance(
                        HistoryStore.class.getClassLoader(),
                        new Class<?>[] {HistoryStore.class},
                        (_, _, _) -> {
                            reached.countDown();
                            never.await();
                            throw new IllegalStateException("the test is over");
                        });
    }

    @Test
    void aStoreThatNeverAnswersHoldsNeitherACycleNorTheWriter() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        HistoryRecorder recorder =
                new HistoryRecorder(
                        DurableHistorySettings.DEFAULT,
                        WriterSettings.DEFAULT,
                        Duration.ofMinutes(1),
                        new FleetHistory(
                                lab.engine.services().registry(),
                                new WatchedHosts(),
                                lab.engine.cadence()),
                        blocking(),
                        lab.clock,
                        new SimpleMeterRegistry());
        recorder.begin();
        lab.clock.advance(Duration.ofMinutes(1));
        assertThat(recorder.sampleDue()).isTrue();
        Thread writer = Thread.ofVirtual().start(recorder::writeDue);
        try {
            assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
            lab.answer(ALPHA, poll -> poll.running(VM, 1_000, Lab.status(VmStatus.UP)));
            lab.cycle(ALPHA, poll -> poll.running(VM, 2_000, Lab.status(VmStatus.PAUSED)));
            assertThat(lab.status(VM)).isEqualTo(VmStatus.PAUSED);
            assertThat(lab.vms.vm(VM).runtime().status())
                    .as("and is durable")
                    .isEqualTo(VmStatus.PAUSED);
            for (int minute = 0; minute < 30; minute++) {
                lab.clock.advance(Duration.ofMinutes(1));
                assertThat(recorder.sampleDue()).as("sampling goes on").isTrue();
            }
            assertThat(recorder.state().waiting())
                    .as("and what waits is bounded")
                    .isEqualTo(DurableHistorySettings.DEFAULT.backlog());
        } finally {
            writer.interrupt();
            writer.join();
        }
    }
}
