package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.time.EngineClock;

class SteppedClockTest {

    private static final Instant START = Instant.parse("2026-11-22T12:00:00Z");

    @TempDir private Path folder;
    private long nanos;

    private final EngineClock machine =
            new EngineClock() {
                @Override
                public long nanoTime() {
                    return nanos;
                }

                @Override
                public Instant now() {
                    return START.plusNanos(nanos);
                }
            };

    @Test
    void withoutTheFileItIsTheMachinesClock() {
        EngineClock clock = new SteppedClock(machine, folder.resolve("offset"));
        pass(Duration.ofSeconds(1));
        assertThat(clock.now()).isEqualTo(START.plusSeconds(1));
        assertThat(clock.nanoTime()).isEqualTo(nanos);
    }

    @Test
    void theFileMovesTheWallClockAndNotTheMonotonicOne() throws Exception {
        Path file = folder.resolve("offset");
        EngineClock clock = new SteppedClock(machine, file);
        Files.writeString(file, "PT1H\n");
        assertThat(clock.now()).as("looked at a moment ago").isEqualTo(START);
        pass(Duration.ofMillis(50));
        assertThat(clock.now()).isEqualTo(START.plusMillis(50).plusSeconds(3600));
        assertThat(clock.nanoTime()).isEqualTo(nanos);

        Files.writeString(file, "-PT10M");
        pass(Duration.ofMillis(50));
        assertThat(clock.now()).isEqualTo(START.plusMillis(100).minusSeconds(600));
    }

    @Test
    void otherTextsThanDurationsDoNotMoveTheClock() throws Exception {
        Path file = Files.writeString(folder.resolve("offset"), "PT1H");
        EngineClock clock = new SteppedClock(machine, file);
        Files.writeString(file, "tomorrow");
        pass(Duration.ofMillis(50));
        assertThat(clock.now()).isEqualTo(START.plusMillis(50).plusSeconds(3600));
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
