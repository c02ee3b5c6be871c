package org.stillwater.server.stall;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.StallSettings;
import org.stillwater.testkit.VirtualClock;

class StallWatchTest {

    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final VirtualClock clock = new VirtualClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Queue<Runnable> virtual = new ArrayDeque<>();
    private final StallWatch watch =
            new StallWatch(
                    new StallSettings(true, INTERVAL, Duration.ofMillis(20), Duration.ofSeconds(1)),
                    clock,
                    List::of,
                    new Workers(WorkerSettings.DEFAULT, clock, meters),
                    meters,
                    virtual::add);

    private double count(String what) {
        return meters.get("stillwater.stalls").tag("what", what).counter().count();
    }

    private double longestNanos(String what) {
        return meters.get("stillwater.stall.longest")
                .tag("what", what)
                .timeGauge()
                .value(TimeUnit.NANOSECONDS);
    }

    @Test
    void heartBeatsInTimeAreNoStalls() {
        for (int i = 0; i < 100; i++) {
            watch.beat();
            clock.advance(Duration.ofMillis(19));
            virtual.remove().run();
            clock.advance(INTERVAL.minusMillis(10));
        }
        assertThat(count("process")).isZero();
        assertThat(count("virtual_threads")).isZero();
        assertThat(longestNanos("process")).isZero();
    }

    @Test
    void aHeartBeatThatComesLateIsAStallOfTheProcess() {
        watch.beat();
        virtual.remove().run();
        clock.advance(INTERVAL.plusMillis(450));
        watch.beat();
        assertThat(count("process")).isEqualTo(1);
        assertThat(longestNanos("process")).isEqualTo(450_000_000);
        clock.advance(Duration.ofMinutes(3));
        assertThat(longestNanos("process")).isZero();
    }

    @Test
    void virtualThreadsThatWaitAreAskedOnceAndCounted() {
        watch.beat();
        for (int i = 0; i < 15; i++) {
            clock.advance(INTERVAL);
            watch.beat();
        }
        assertThat(virtual).hasSize(1);
        virtual.remove().run();
        assertThat(count("virtual_threads")).isEqualTo(1);
        assertThat(longestNanos("virtual_threads")).isEqualTo(1_500_000_000);
        clock.advance(INTERVAL);
        watch.beat();
        assertThat(virtual).hasSize(1);
    }
}
