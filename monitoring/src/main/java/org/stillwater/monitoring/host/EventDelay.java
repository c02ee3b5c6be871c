package org.stillwater.monitoring.host;

import java.time.Duration;

/**
 * Delay of a host's events relative to its fastest message. A host stamps its messages with its own
 * clock: the travel time of its fastest message is unknown and not included.
 *
 * @param events events so far
 * @param total sum of their delays
 */
public record EventDelay(long events, Duration total) {

    /** No event yet. */
    public static final EventDelay NONE = new EventDelay(0, Duration.ZERO);
}
