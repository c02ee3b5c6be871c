package org.stillwater.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.unit.DataSize;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.server.settings.HttpSettings;

/** One failure does not end the limits: an executor forgets a periodic task that throws. */
@Timeout(60)
class ConnectionLimitsFailureTest {

    private final HttpSettings settings =
            new HttpSettings(
                    DataSize.ofBytes(0),
                    1_000,
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(30),
                    DataSize.ofKilobytes(1),
                    List.of(),
                    "x-forwarded",
                    List.of(),
                    List.of());

    @Test
    void slowSendersAreLookedForAfterALookThatFailed() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch again = new CountDownLatch(1);
        EngineClock broken =
                new EngineClock() {
                    @Override
                    public long nanoTime() {
                        switch (asked.incrementAndGet()) {
                            case 1 -> throw new StackOverflowError("the first look");
                            case 2 -> {} // by the complaint
                            default -> again.countDown();
                        }
                        return 0;
                    }

                    @Override
                    public Instant now() {
                        return Instant.EPOCH;
                    }
                };
        comesAgain(new ConnectionLimits(settings, broken, new NoEngine(() -> {})), again);
    }

    @Test
    void endedConnectionsAreReportedAfterAReportThatFailed() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch again = new CountDownLatch(1);
        ObjectProvider<MonitoringEngine> broken =
                new NoEngine(() -> {
                    if (asked.incrementAndGet() == 1) {
                        throw new IllegalStateException("the first report");
                    }
                    again.countDown();
                });
        EngineClock clock =
                new EngineClock() {
                    @Override
                    public long nanoTime() {
                        return 0;
                    }

                    @Override
                    public Instant now() {
                        return Instant.EPOCH;
                    }
                };
        comesAgain(new ConnectionLimits(settings, clock, broken), again);
    }

    private static void comesAgain(ConnectionLimits limits, CountDownLatch again)
            throws InterruptedException {
        limits.start();
        try {
            assertThat(again.await(50, TimeUnit.SECONDS)).isTrue();
        } finally {
            limits.stop();
        }
    }

    private record NoEngine(Runnable asked) implements ObjectProvider<MonitoringEngine> {
        @Override
        public MonitoringEngine getIfAvailable() {
            asked.run();
            return null;
        }
    }
}
