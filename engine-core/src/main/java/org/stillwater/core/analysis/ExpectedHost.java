package org.stillwater.core.analysis;

import org.stillwater.core.model.HostId;
import org.stillwater.core.model.PauseStatus;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatus;

/** A VM has a process on the host that is responsible for it (monitoring specification §4.4). */
final class ExpectedHost {

    private ExpectedHost() {}

    static VmOutcome decide(KnownVm known, VmRuntime seen, AnalysisContext context) {
        Verdict verdict = new Verdict(known, context);
        if (seen.status() == VmStatus.MIGRATING_TO) {
            if (known.runtime().status() == VmStatus.UNKNOWN && !HandOver.isAwaited(known)) {
                // It was unknown because its host was silent, and still arrives there.
                verdict.runtime = verdict.runtime.with(RuntimeField.STATUS, VmStatus.MIGRATING_TO);
            }
            return verdict.outcome();
        }
        if (isInPostCopy(seen)) {
            // The guest runs on the destination already; this is the half that stays behind.
            HostId target = known.placement().migratingTo();
            VmClaim claim = Claims.strongest(known);
            if (known.runtime().status() == VmStatus.MIGRATING_FROM && target != null) {
                HandOver.to(target, verdict);
            } else if (target == null && claim != null) {
                return Claims.grant(claim, known, context, null);
            }
            return verdict.outcome();
        }
        Reporting.watchdog(verdict, seen);
        Reporting.console(verdict, seen);
        Transitions.onItsHost(verdict, seen);
        Reporting.apply(verdict, seen);
        return verdict.outcome();
    }

    static boolean isInPostCopy(VmRuntime seen) {
        return seen.status() == VmStatus.PAUSED && seen.pauseStatus() == PauseStatus.POSTCOPY;
    }
}
