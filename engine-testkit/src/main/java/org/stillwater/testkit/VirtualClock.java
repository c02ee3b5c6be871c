package org.stillwater.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.stillwater.core.time.EngineClock;

/** A clock that stands still until it is moved. Thread-safe. */
public final class VirtualClock implements EngineClock {

    private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
    private static final long FIRST_NANOS = -5_000_000_000L;

    private final AtomicLong elapsedNanos = new AtomicLong();
    private final AtomicLong jumpedNanos = new AtomicLong();
    private final long nanosPerLook;

    /** A clock that stands still. */
    public VirtualClock() {
        this(0);
    }

    private VirtualClock(long nanosPerLook) {
        this.nanosPerLook = nanosPerLook;
    }

    /**
     * A clock on which every reading of the monotonic time takes a nanosecond: no two are equal.
     */
    public static VirtualClock strict() {
        return new VirtualClock(1);
    }

    /** The monotonic time starts below zero, so that comparing without subtraction shows. */
    @Override
    public long nanoTime() {
        return FIRST_NANOS + elapsedNanos.addAndGet(nanosPerLook);
    }

    /** To the microsecond, as databases keep it. */
    @Override
    public Instant now() {
        return EPOCH.plusNanos(elapsedNanos.get() + jumpedNanos.get())
                .truncatedTo(ChronoUnit.MICROS);
    }

    /** Lets time pass. */
    public void advance(Duration duration) {
        elapsedNanos.addAndGet(duration.toNanos());
    }

    /** Sets the wall clock forwards or back; monotonic time stays. */
    public void jump(Duration duration) {
        jumpedNanos.addAndGet(duration.toNanos());
    }
}
