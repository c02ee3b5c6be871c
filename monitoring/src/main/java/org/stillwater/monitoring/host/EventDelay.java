package org.stillwater.monitoring.host;

import java.time.Duration;

/**
 * How late events of a host arrived, compared to its quickest message. A host stamps its messages
 * with a clock of its own: what its quickest message took is not known, and is no part of it.
 *
 * @param events events so far
 * @param total sum of their delays
 */
public record EventDelay(long events, Duration total) {

    /** No event yet. */
    public static final EventDelay NONE = new EventDelay(0, Duration.ZERO);
}
