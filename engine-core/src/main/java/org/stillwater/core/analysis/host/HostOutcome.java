package org.stillwater.core.analysis.host;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What follows from something that happened to a host.
 *
 * @param next what is believed from now on; its condition is the known instance when nothing
 *     durable changed
 * @param decisions what is to be done, in order
 * @param refusal why an order is not followed, null when it is; nothing changes then
 */
public record HostOutcome(KnownHost next, List<HostDecision> decisions, @Nullable String refusal) {

    public HostOutcome {
        decisions = List.copyOf(decisions);
    }
}
