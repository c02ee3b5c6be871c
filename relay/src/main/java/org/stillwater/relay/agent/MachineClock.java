package org.stillwater.relay.agent;

import java.time.Instant;
import org.stillwater.core.port.EngineClock;

/** The machine's clocks: the only place of the relay that reads them. Thread-safe. */
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
