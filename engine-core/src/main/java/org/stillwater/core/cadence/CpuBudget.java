package org.stillwater.core.cadence;

import java.time.Duration;
import java.util.Collection;

/**
 * Keeps the processor time of the engine within a share of a core by making intervals longer.
 *
 * <p>The cost of a polled VM is measured: the processor time of the whole process by the VMs that
 * were polled in it. The stretch is the least at which the present hosts, each with the interval
 * that it would have then, cost no more than the share. It is computed from the hosts instead of
 * being moved by the error of the load, because a host with a long interval follows only after that
 * interval: a controller without the hosts' intervals would overshoot for minutes.
 *
 * <p>All else that the engine does counts as if polls had cost it. The stretch takes it in: with
 * fewer polls a VM seems more expensive, until the total cost equals the share.
 *
 * @param share of a core; 0 for no limit
 */
public record CpuBudget(double share) {

    /** A new stretch that differs by less is not worth the moves of the hosts. */
    private static final double DEAD_BAND = 0.05;

    private static final int HALVINGS = 20;

    public CpuBudget {
        if (!(share >= 0)) {
            throw new IllegalArgumentException("a share of a core is not negative");
        }
    }

    /**
     * The next stretch.
     *
     * @param hosts all hosts that are polled
     * @param nanosPerVm processor time for each polled VM; 0 if it is not known
     * @param early VMs that are polled in a second beside the intervals: after events and commands
     * @param before the present stretch
     * @return 1 or more, at most the longest interval divided by the shortest
     */
    public double stretch(
            CadenceLimits limits,
            Collection<HostDemand> hosts,
            double nanosPerVm,
            double early,
            double before) {
        if (share == 0 || !(nanosPerVm > 0)) {
            return 1;
        }
        double most = share * Duration.ofSeconds(1).toNanos() / nanosPerVm - early;
        double least = 1;
        if (perSecond(limits, hosts, least) > most) {
            double enough = limits.range();
            for (int i = 0; i < HALVINGS; i++) {
                double middle = Math.sqrt(least * enough);
                if (perSecond(limits, hosts, middle) > most) {
                    least = middle;
                } else {
                    enough = middle;
                }
            }
            least = enough;
        }
        boolean same = Math.abs(least - before) < DEAD_BAND * before;
        return same && least > 1 && before > 1 ? before : least;
    }

    private static double perSecond(
            CadenceLimits limits, Collection<HostDemand> hosts, double stretch) {
        double sum = 0;
        for (HostDemand host : hosts) {
            sum += host.perSecond(limits, stretch);
        }
        return sum;
    }
}
