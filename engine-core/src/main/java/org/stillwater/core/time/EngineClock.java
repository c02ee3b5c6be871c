package org.stillwater.core.time;

import java.time.Instant;

/** The only source of time. */
public interface EngineClock {

    /** Monotonic time in ns from an arbitrary origin; compare by subtraction. */
    long nanoTime();

    /** Wall-clock time, for people and for the database. */
    Instant now();
}
