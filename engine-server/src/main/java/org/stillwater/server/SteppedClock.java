package org.stillwater.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;

/**
 * A clock with a wall time that a file moves, so that tests can let it jump while the machine's
 * clock stays unchanged. Monotonic time does not jump, as on a real machine. Thread-safe.
 *
 * <p>The file holds one ISO 8601 duration such as {@code PT1H} or {@code -PT10M}; without the file
 * nothing is moved. It is checked 20 times a second at most, and only when the time is requested.
 */
public final class SteppedClock implements EngineClock {

    private static final Logger LOG = LoggerFactory.getLogger(SteppedClock.class);
    private static final long LOOK_NANOS = 50_000_000;

    private final EngineClock machine;
    private final Path file;
    private volatile Reading reading;

    private record Reading(long atNanos, Duration offset) {}

    /**
     * @param machine the clock that is moved
     * @param file contains the offset
     */
    public SteppedClock(EngineClock machine, Path file) {
        this.machine = machine;
        this.file = file;
        this.reading = new Reading(machine.nanoTime(), read(Duration.ZERO));
        LOG.warn("The file {} moves the wall clock: for tests only", file);
    }

    @Override
    public long nanoTime() {
        return machine.nanoTime();
    }

    @Override
    public Instant now() {
        long nanos = machine.nanoTime();
        Reading last = reading;
        if (nanos - last.atNanos() >= LOOK_NANOS) {
            last = new Reading(nanos, read(last.offset()));
            reading = last;
        }
        return machine.now().plus(last.offset());
    }

    private Duration read(Duration before) {
        try {
            Duration offset = Duration.parse(Files.readString(file).strip());
            if (!offset.equals(before)) {
                LOG.warn("The wall clock jumps: now moved by {}", offset);
            }
            return offset;
        } catch (NoSuchFileException _) {
            return Duration.ZERO;
        } catch (IOException | DateTimeException e) {
            LOG.warn("The clock stays where it is: {} cannot be read: {}", file, e.toString());
            return before;
        }
    }
}
