package org.stillwater.core.cadence;

import java.time.Duration;

/**
 * Demand of one host on the CPU budget.
 *
 * @param weight its VMs, and one for the host itself
 * @param pace its present pace
 */
public record HostDemand(int weight, Pace pace) {

    /** VMs that are polled in a second with this stretch of intervals. */
    double perSecond(CadenceLimits limits, double stretch) {
        double nanos =
                switch (pace.reason()) {
                    case CadenceReason.Starting _,
                            CadenceReason.Pushed _,
                            CadenceReason.Trouble _ ->
                            (double) pace.interval().toNanos();
                    case CadenceReason.Operation _ ->
                            (double) Cadence.prompt(limits, stretch).toNanos();
                    case CadenceReason.Rule _,
                            CadenceReason.Viewed _,
                            CadenceReason.Moving _,
                            CadenceReason.Quiet _,
                            CadenceReason.Budget _ ->
                            Math.min(
                                    (double) pace.limit().toNanos(),
                                    Cadence.stretched(limits, pace.calmNanos(), stretch));
                };
        return weight * (double) Duration.ofSeconds(1).toNanos() / nanos;
    }
}
