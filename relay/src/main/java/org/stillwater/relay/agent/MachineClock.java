package org.stillwater.relay.agent;

import java.time.Instant;
import org.stillwater.core.time.EngineClock;

/** The machine's clocks; no other class of the relay reads them. Thread-safe. */
public final class MachineClock implements EngineClock {

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }
}
