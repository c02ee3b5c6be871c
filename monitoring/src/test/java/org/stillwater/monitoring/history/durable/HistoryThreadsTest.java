package org.stillwater.monitoring.history.durable;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.WriterSettings;

/** The recorder's threads end with it. */
@Timeout(60)
class HistoryThreadsTest {

    private final Recording lab = new Recording(DurableHistorySettings.DEFAULT);

    private HistoryRecorder recorder(HistoryStore store) {
        return new HistoryRecorder(
                DurableHistorySettings.DEFAULT,
                WriterSettings.DEFAULT,
                Duration.ofMinutes(1),
                lab.fleet,
                store,
                lab.clock,
                new SimpleMeterRegistry());
    }

    private static List<String> threads(Path dump) throws Exception {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        return Files.readAllLines(dump).stream()
                .filter(line ->
                        line.contains("\"history-sampler\"") || line.contains("\"history-writer\""))
                .toList();
    }

    @Test
    void stoppingLeavesNoThread(@TempDir Path folder) throws Exception {
        HistoryRecorder recorder = recorder(lab.store);
        recorder.start(new Workers(WorkerSettings.DEFAULT, lab.clock, new SimpleMeterRegistry()));
        assertThat(threads(folder.resolve("running"))).hasSize(2);

        recorder.stop(Duration.ofSeconds(20));

        assertNoThreads(folder);
    }

    @Test
    void aDatabaseThatDoesNotAnswerKeepsNoThread(@TempDir Path folder) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        HistoryRecorder recorder = recorder(silent(asked));
        recorder.start(new Workers(WorkerSettings.DEFAULT, lab.clock, new SimpleMeterRegistry()));
        awaitRestingSampler(folder);
        lab.clock.advance(Duration.ofMinutes(2));
        assertThat(recorder.sampleDue()).as("there is something to write").isTrue();
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();

        recorder.stop(Duration.ofMillis(1));

        assertNoThreads(folder);
    }

    @Test
    void threadsThatNeverRanAreStoppedToo(@TempDir Path folder) throws Exception {
        recorder(lab.store).stop(Duration.ofSeconds(1));
        assertNoThreads(folder);
    }

    /** Until the sampler waits in real time: one that begins later would see the clock advanced. */
    private static void awaitRestingSampler(Path folder) throws Exception {
        boolean rests = false;
        for (int look = 0; !rests; look++) {
            rests =
                    threads(folder.resolve("resting-" + look)).stream()
                            .anyMatch(line -> line.contains("\"history-sampler\" TIMED_WAITING"));
        }
    }

    /** A thread that was interrupted ends as soon as it has a processor. */
    private static void assertNoThreads(Path folder) throws Exception {
        List<String> left = threads(folder.resolve("stopped"));
        for (int look = 0; look < 1_000 && !left.isEmpty(); look++) {
            left = threads(folder.resolve("stopped-" + look));
        }
        assertThat(left).isEmpty();
    }

    /** Waits for an answer until it is interrupted, as a connection does. */
    private static HistoryStore silent(CountDownLatch asked) {
        return (HistoryStore)
                Proxy.newProxyInstance(
                        HistoryStore.class.getClassLoader(),
                        new Class<?>[] {HistoryStore.class},
                        (_, _, _) -> {
                            asked.countDown();
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                                throw new StoreUnavailable("interrupted", e);
                            }
                            return null;
                        });
    }
}
