package org.stillwater.core.analysis.host;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of a fact about a host.
 *
 * @param next the belief from now on; its condition is the known instance when nothing durable
 *     changed
 * @param decisions the decisions, in order
 * @param refusal why an order is not followed, null when it is; then no change is made
 * @param transitions the transitions that were taken, in order; mostly none
 */
public record HostOutcome(
        KnownHost next,
        List<HostDecision> decisions,
        @Nullable String refusal,
        List<HostTransition> transitions) {

    public HostOutcome {
        decisions = List.copyOf(decisions);
        transitions = List.copyOf(transitions);
    }

    /** An outcome in which the status stays. */
    public HostOutcome(KnownHost next, List<HostDecision> decisions, @Nullable String refusal) {
        this(next, decisions, refusal, List.of());
    }
}
