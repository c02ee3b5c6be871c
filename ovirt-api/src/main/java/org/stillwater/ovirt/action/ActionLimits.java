package org.stillwater.ovirt.action;

import java.time.Duration;

/**
 * How much a request may send, and for how long it waits before it is answered.
 *
 * @param durable for the database to store the request
 * @param ordered for the host to accept an order, so that the answer reports a refusal
 * @param ended for the end of operations that a caller waits for, and of changes of definitions
 * @param largestBody bytes of a body
 * @param mostTags tags that there may be
 * @param mostGroupMembers VMs that an affinity group may have
 */
public record ActionLimits(
        Duration durable,
        Duration ordered,
        Duration ended,
        long largestBody,
        int mostTags,
        int mostGroupMembers) {}
