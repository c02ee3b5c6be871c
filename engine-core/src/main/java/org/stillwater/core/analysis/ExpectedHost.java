package org.stillwater.core.analysis;

import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** A VM has a process on the host that is responsible for it (monitoring specification §4.4). */
final class ExpectedHost {

    private ExpectedHost() {}

    static VmOutcome decide(KnownVm known, VmRuntime seen, AnalysisContext context) {
        DecisionBuilder builder = new DecisionBuilder(known, context);
        if (seen.status() == VmStatus.MIGRATING_TO) {
            if (known.runtime().status() == VmStatus.UNKNOWN && !HandOver.isAwaited(known)) {
                // It was unknown because its host was silent, and still arrives there.
                builder.runtime = builder.runtime.with(RuntimeField.STATUS, VmStatus.MIGRATING_TO);
                builder.by(VmRule.STILL_ARRIVING);
            }
            return builder.outcome();
        }
        if (isInPostCopy(seen)) {
            // The guest runs on the destination already; this is the half that stays behind.
            HostId target = known.placement().migratingTo();
            VmClaim claim = Claims.strongest(known);
            if (known.runtime().status() == VmStatus.MIGRATING_FROM && target != null) {
                HandOver.to(target, builder);
                builder.by(VmRule.POST_COPY);
            } else if (target == null && claim != null) {
                return Claims.grant(claim, known, context, null);
            }
            return builder.outcome();
        }
        Reporting.watchdog(builder, seen);
        Reporting.console(builder, seen);
        Transitions.onItsHost(builder, seen);
        Reporting.apply(builder, seen);
        return builder.outcome();
    }

    static boolean isInPostCopy(VmRuntime seen) {
        return seen.status() == VmStatus.PAUSED && seen.pauseStatus() == PauseStatus.POSTCOPY;
    }
}
