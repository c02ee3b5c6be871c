package org.stillwater.testkit;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.stillwater.core.port.EngineClock;

/** A clock that stands still until it is moved. Thread-safe. */
public final class VirtualClock implements EngineClock {

    private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
    private static final long FIRST_NANOS = -5_000_000_000L;

    private final AtomicLong elapsedNanos = new AtomicLong();

    /** The monotonic time starts below zero, so that comparing without subtraction shows. */
    @Override
    public long nanoTime() {
        return FIRST_NANOS + elapsedNanos.get();
    }

    @Override
    public Instant now() {
        return EPOCH.plusNanos(elapsedNanos.get());
    }

    /** Lets time pass. */
    public void advance(Duration duration) {
        elapsedNanos.addAndGet(duration.toNanos());
    }
}
