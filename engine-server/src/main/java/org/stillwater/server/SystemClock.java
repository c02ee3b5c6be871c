package org.stillwater.server;

import java.time.Instant;
import org.stillwater.core.port.EngineClock;

/** The machine's clocks: the only place of the engine that reads them. Thread-safe. */
public final class SystemClock implements EngineClock {

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }
}
