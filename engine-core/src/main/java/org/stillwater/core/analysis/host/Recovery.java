package org.stillwater.core.analysis.host;

import java.util.Map;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.NonOperationalReason;

/** A host agent that has just started and is finding its VMs (monitoring specification §3.5). */
final class Recovery {

    private Recovery() {}

    /** It answers, so it is there; it only cannot tell about its VMs yet. */
    static void recovering(HostVerdict verdict) {
        verdict.watch = verdict.watch.answered(verdict.now()).withFit(false);
        if (verdict.can(HostTransition.AGENT_RECOVERING)) {
            verdict.take(HostTransition.AGENT_RECOVERING);
            verdict.audit(AuditEvent.VDS_INITIALIZING);
        }
    }

    /** After too long without more than that. Its VMs stay: nobody knows them. */
    static void timePassed(HostVerdict verdict) {
        if (verdict.can(HostTransition.RECOVERY_TIMED_OUT)
                && verdict.hasStood(verdict.context.policy().recovery())) {
            NonOperationalReason reason = NonOperationalReason.TIMEOUT_RECOVERING_FROM_CRASH;
            verdict.take(HostTransition.RECOVERY_TIMED_OUT, reason);
            verdict.run(HostDecision.Step.FORGET_STAMPS); // its machine may have booted, too
            verdict.audit(AuditEvent.VDS_SET_NONOPERATIONAL, Map.of("reason", reason.clause()));
            verdict.tell(HostDecision.Signal.HOST_NON_OPERATIONAL);
        }
    }
}
