package org.stillwater.monitoring.host;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a host takes to answer.
 *
 * @param last how long its last answer took, null before the first
 * @param slowest how long the slowest of its last answers took, null before the first
 * @param waiting how long the oldest call has waited for its answer, null when none waits
 * @param slowFor for how long it has been slow, null while it is not
 */
public record AnswerTime(
        @Nullable Duration last,
        @Nullable Duration slowest,
        @Nullable Duration waiting,
        @Nullable Duration slowFor) {

    /** A host without a request so far. */
    public static final AnswerTime NONE = new AnswerTime(null, null, null, null);
}
