package org.stillwater.core.vm;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;

/**
 * One transition of the engine's belief about a VM or host: the new belief and its reason.
 *
 * @param at when it was decided
 * @param receivedAt when the report that led to it arrived; {@code at} without a report
 * @param cause its cause
 * @param reporter the host that the cause is about; null for none
 * @param hostStampMillis the host's own stamp of the report; null without one
 * @param rule the rule that decided
 * @param before code of the status before, of {@link VmStatus} or {@link HostStatus}
 * @param status code of the status from then on
 * @param host the responsible host of a VM from then on; null for none, and for a host
 * @param target where the VM migrates to from then on; null for nowhere, and for a host
 * @param decided bits of the decisions that followed, of {@link DecisionKind}
 */
public record Belief(
        Instant at,
        Instant receivedAt,
        BeliefCause cause,
        @Nullable HostId reporter,
        @Nullable Long hostStampMillis,
        BeliefRule rule,
        int before,
        int status,
        @Nullable HostId host,
        @Nullable HostId target,
        int decided) {}
