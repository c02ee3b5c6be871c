package org.stillwater.server;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.stillwater.core.time.EngineClock;

/**
 * The machine's clocks: the only class of the engine that reads them. Wall time has the resolution
 * that the database keeps, microseconds, so that a time read back equals the one written.
 * Thread-safe.
 */
public final class SystemClock implements EngineClock {

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }
}
