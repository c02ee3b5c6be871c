package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.Mockito;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.SystemClock;
import org.stillwater.server.api.vm.VmLists;
import org.stillwater.server.api.web.Streams;

/** The rehearsed requests are those of the console. */
@Timeout(60)
class ConsoleRehearsalTest {

    private static final Path SOURCES = Path.of("..", "console", "src", "main", "web");

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Workers workers = new Workers(WorkerSettings.DEFAULT, new SystemClock(), meters);

    @Test
    void theFirstRowsAreThoseOfTheDocument() throws Exception {
        var query = ConsoleRehearsal.FIRST_ROWS;
        assertThat(Files.readString(SOURCES.resolve("index.html")))
                .contains(
                        "href=\"api/v1/vms?sort=%s&amp;limit=%s&amp;total=%s&amp;age=%s&amp;fields=%s\""
                                .formatted(
                                        query.sort(),
                                        query.limit(),
                                        query.total(),
                                        query.age(),
                                        query.fields()));
    }

    @Test
    void theSnapshotIsThatOfTheConsolesWorker() throws Exception {
        var query = ConsoleRehearsal.ALL_ROWS;
        assertThat(Files.readString(SOURCES.resolve("worker").resolve("main.ts")))
                .contains(
                        "entity=%s&snapshot=%s&fields=${FIELDS}"
                                .formatted(query.entity(), query.snapshot()),
                        "const FIELDS = '" + query.fields() + "'");
    }

    @Test
    void aSmallFleetIsNotRehearsedAndTheThreadEndsWithTheEngine() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CountDownLatch refreshed = new CountDownLatch(1);
        VmLists lists = mock(VmLists.class);
        Mockito.doAnswer(
                        _ -> {
                            thread.set(Thread.currentThread());
                            refreshed.countDown();
                            return null;
                        })
                .when(lists)
                .refresh();
        ConsoleRehearsal rehearsal =
                new ConsoleRehearsal(
                        mock(FleetReader.class),
                        lists,
                        mock(SubscriptionServer.class),
                        mock(Streams.class),
                        new SystemClock(),
                        workers);
        rehearsal.start();
        assertThat(rehearsal.isRunning()).isTrue();
        assertThat(refreshed.await(30, TimeUnit.SECONDS)).isTrue();
        rehearsal.stop();
        assertThat(thread.get().join(Duration.ofSeconds(30))).isTrue();
        assertThat(rehearsal.isRunning()).isFalse();
        Mockito.verify(lists, Mockito.never()).rehearse(ConsoleRehearsal.FIRST_ROWS);
    }

    @Test
    void itRestsForItsOwnWorkAndNotForTheTimeInWhichTheVmsCame() throws Exception {
        AtomicInteger turns = new AtomicInteger();
        EngineClock clock = mock(EngineClock.class);
        Mockito.when(clock.nanoTime()).thenAnswer(_ -> Duration.ofHours(turns.get()).toNanos());
        FleetReader fleet = mock(FleetReader.class);
        Mockito.when(fleet.vmCount()).thenAnswer(_ -> turns.get() == 1 ? 0 : 100_000);
        VmLists lists = mock(VmLists.class);
        Mockito.doAnswer(_ -> noted(turns)).when(lists).refresh();
        CountDownLatch second = new CountDownLatch(1);
        SubscriptionServer streams = mock(SubscriptionServer.class);
        Mockito.doAnswer(
                        _ -> {
                            second.countDown();
                            return null;
                        })
                .when(streams)
                .rehearse(Mockito.any(), Mockito.any(), Mockito.any());
        ConsoleRehearsal rehearsal =
                new ConsoleRehearsal(fleet, lists, streams, mock(Streams.class), clock, workers);
        rehearsal.start();
        assertThat(second.await(30, TimeUnit.SECONDS)).isTrue();
        rehearsal.stop();
    }

    private static @Nullable Object noted(AtomicInteger turns) {
        turns.incrementAndGet();
        return null;
    }

    @Test
    void aFailureCostsOneTurnOnly() throws Exception {
        CountDownLatch refreshed = new CountDownLatch(2);
        VmLists lists = mock(VmLists.class);
        Mockito.doAnswer(
                        _ -> {
                            refreshed.countDown();
                            if (refreshed.getCount() == 1) {
                                throw new IllegalStateException("expected by this test");
                            }
                            return null;
                        })
                .when(lists)
                .refresh();
        ConsoleRehearsal rehearsal =
                new ConsoleRehearsal(
                        mock(FleetReader.class),
                        lists,
                        mock(SubscriptionServer.class),
                        mock(Streams.class),
                        new SystemClock(),
                        workers);
        rehearsal.start();
        assertThat(refreshed.await(30, TimeUnit.SECONDS)).isTrue();
        rehearsal.stop();
        assertThat(workers.health())
                .singleElement()
                .satisfies(worker -> {
                    assertThat(worker.name()).isEqualTo("console-rehearsal");
                    assertThat(worker.failures()).isEqualTo(1);
                });
    }
}
