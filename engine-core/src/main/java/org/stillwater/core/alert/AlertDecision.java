package org.stillwater.core.alert;

import java.time.Instant;
import java.util.UUID;

/** Change of the alerts of a rule. */
public sealed interface AlertDecision {

    /**
     * The condition holds since now.
     *
     * @param subject the object
     */
    record Pending(UUID subject, double value) implements AlertDecision {}

    /**
     * The condition has lasted.
     *
     * @param since when it began to hold
     * @param value the newest; NaN without any
     */
    record Fired(UUID subject, Instant since, double value) implements AlertDecision {}

    /** An alert that fired ended. */
    record Resolved(UUID subject, AlertResolution why) implements AlertDecision {}

    /** Many objects at once: one alert stands for them. */
    record GroupFired(int members) implements AlertDecision {}

    /** The group has at least twice as many members as before. */
    record GroupGrew(int members) implements AlertDecision {}

    /** No object of the group is left. */
    record GroupResolved() implements AlertDecision {}
}
