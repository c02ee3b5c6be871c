package org.stillwater.core.analysis.host;

import java.util.Map;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.NonOperationalReason;

/** A host agent that has just started and is finding its VMs (monitoring specification §3.5). */
final class Recovery {

    private Recovery() {}

    /** The host answers, so it is alive; only its VMs are unknown yet. */
    static void recovering(HostDecisionBuilder builder) {
        builder.watch = builder.watch.answered(builder.now()).withFit(false);
        if (builder.can(HostTransition.AGENT_RECOVERING)) {
            builder.take(HostTransition.AGENT_RECOVERING);
            builder.audit(AuditEvent.VDS_INITIALIZING);
        }
    }

    /** After too long without more than that. Its VMs stay unknown. */
    static void timePassed(HostDecisionBuilder builder) {
        if (builder.can(HostTransition.RECOVERY_TIMED_OUT)
                && builder.hasStood(builder.context.policy().recovery())) {
            NonOperationalReason reason = NonOperationalReason.TIMEOUT_RECOVERING_FROM_CRASH;
            builder.take(HostTransition.RECOVERY_TIMED_OUT, reason);
            builder.run(HostDecision.Step.FORGET_STAMPS); // its machine may have booted, too
            builder.audit(AuditEvent.VDS_SET_NONOPERATIONAL, Map.of("reason", reason.clause()));
            builder.tell(HostDecision.Signal.HOST_NON_OPERATIONAL);
        }
    }
}
