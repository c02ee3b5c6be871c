package org.stillwater.monitoring.explain;

import java.time.Duration;
import java.time.Instant;
import org.stillwater.core.time.EngineClock;

/**
 * The moment of an explanation on both clocks: it translates monotonic times of the engine.
 *
 * @param now wall clock
 * @param nanos the engine's monotonic clock
 */
record Moment(Instant now, long nanos) {

    static Moment of(EngineClock clock) {
        return new Moment(clock.now(), clock.nanoTime());
    }

    Instant at(long monotonicNanos) {
        return now.minusNanos(nanos - monotonicNanos);
    }

    Duration since(long monotonicNanos) {
        return Duration.ofNanos(nanos - monotonicNanos);
    }

    String ago(Instant at) {
        return Ages.text(Duration.between(at, now)) + " ago";
    }
}
