package org.stillwater.fake.world;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The virtual time of one world, in milliseconds since the world began. It runs at a multiple of
 * real time, or stands still and is stepped by hand. Thread-safe; it never goes back.
 *
 * <p>This is the only place of the simulated world that reads the machine's clock.
 */
public final class SimulationClock {

    /**
     * The instant at which a stepped world begins, on every day: its bytes must not depend on the
     * day.
     */
    public static final Instant FIXED_BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private static final double NANOS_PER_MILLI = 1_000_000.0;

    private final Instant beginning;
    private final double speed;
    private final LongSupplier nanos;
    private final long startedNanos;
    private long skippedMillis;
    private @Nullable Consumer<Duration> driver;

    private SimulationClock(Instant beginning, double speed, LongSupplier nanos) {
        this.beginning = beginning;
        this.speed = speed;
        this.nanos = nanos;
        this.startedNanos = nanos.getAsLong();
    }

    /** A clock that moves only by {@link World#advance}. */
    public static SimulationClock manual() {
        return manual(FIXED_BEGINNING);
    }

    /** A clock that begins at the given instant and moves only by {@link World#advance}. */
    public static SimulationClock manual(Instant beginning) {
        return new SimulationClock(beginning, 0, () -> 0);
    }

    /**
     * A clock that begins now and runs.
     *
     * @param speed virtual seconds per real second, above 0
     */
    public static SimulationClock running(double speed) {
        if (!(speed > 0)) {
            throw new IllegalArgumentException("speed must be above 0, was " + speed);
        }
        return new SimulationClock(
                Instant.ofEpochMilli(System.currentTimeMillis()), speed, System::nanoTime);
    }

    /** Virtual milliseconds since the world began. */
    public synchronized long millis() {
        return skippedMillis
                + (long) ((nanos.getAsLong() - startedNanos) / NANOS_PER_MILLI * speed);
    }

    /** The virtual wall clock. */
    public Instant instant() {
        return beginning.plusMillis(millis());
    }

    /** The wall clock at the beginning of the world. */
    public Instant beginning() {
        return beginning;
    }

    /** Virtual seconds per real second; 0 for a clock stepped by hand. */
    public double speed() {
        return speed;
    }

    /** Whether time moves only by steps. */
    public boolean isManual() {
        return speed == 0;
    }

    /**
     * Real nanoseconds until the given virtual time; 0 if it has come, -1 if it never comes alone.
     */
    synchronized long nanosUntil(long virtualMillis) {
        long missing = virtualMillis - millis();
        if (missing <= 0) {
            return 0;
        }
        return speed == 0 ? -1 : (long) Math.ceil(missing * NANOS_PER_MILLI / speed);
    }

    /** Jumps forward to the given virtual time; earlier times are ignored. */
    void skipTo(long virtualMillis) {
        synchronized (this) {
            skippedMillis += Math.max(0, virtualMillis - millis());
        }
    }

    /** Lets virtual time pass; all steps planned for it run before this returns. */
    public void advance(Duration duration) {
        Consumer<Duration> world;
        synchronized (this) {
            world = driver;
        }
        if (world == null) {
            skipTo(millis() + duration.toMillis());
        } else {
            world.accept(duration);
        }
    }

    synchronized void drivenBy(Consumer<Duration> world) {
        driver = world;
    }
}
