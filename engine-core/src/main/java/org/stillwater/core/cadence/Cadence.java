package org.stillwater.core.cadence;

import java.time.Duration;

/**
 * Decides how often one host is polled.
 *
 * <p><b>Movement</b> sets the base. The interval is to be such that {@value #FEW_PERCENT} to
 * {@value #SOME_PERCENT} % of the host's VMs move between two polls. If more of them do, it becomes
 * shorter in proportion, from {@value #MANY_PERCENT} % on the shortest at once; if fewer do, it
 * becomes longer by half. So the engine follows a burst with the next poll, and leaves a host alone
 * only after several quiet polls, each of them longer. The band between the two, and the inertia of
 * the steps, absorb noise.
 *
 * <p><b>The CPU budget</b> stretches that base by a factor common to all hosts ({@link CpuBudget}).
 *
 * <p><b>Readers, rules and operations</b> are upper limits, applied last: read values are fresh
 * independently of the budget. An operation requests the shortest interval, which the budget may
 * stretch up to the limit of read hosts.
 *
 * <p>A host that is not well, or that a relay pushes, keeps the ordinary interval: the rules about
 * silence, about interfaces that are down and about relays that lag count in it.
 */
public final class Cadence {

    private static final int FEW_PERCENT = 5;
    private static final int SOME_PERCENT = 10;
    private static final int MANY_PERCENT = 30;

    private static final double FEW = FEW_PERCENT / 100.0;
    private static final double SOME = SOME_PERCENT / 100.0;
    private static final double MANY = MANY_PERCENT / 100.0;

    /** By how much a quiet poll makes the interval longer. */
    private static final double GROWTH = 1.5;

    private Cadence() {}

    /** The next pace of a host. */
    public static Pace next(CadenceLimits limits, Pace before, HostActivity activity) {
        HostActivity.Polled polled = activity.polled();
        int percent = polled == null ? before.percent() : polled.percent();
        CadenceReason held = activity.held();
        if (held != null) {
            return Pace.ordinary(limits, percent, held);
        }
        double calm = polled == null ? before.calmNanos() : calm(limits, before, polled);
        double stretch = activity.stretch();
        double wanted = stretched(limits, calm, stretch);
        // A budget is kept by steps that are no shorter than it requests.
        int step =
                stretch > 1
                        ? limits.stepAbove(wanted, before.step())
                        : limits.stepNear(wanted, before.step());
        Duration interval = limits.interval(step);
        CadenceReason reason = movement(limits, calm, step, percent, stretch);
        if (polled == null && before.reason() instanceof CadenceReason.Starting) {
            reason = before.reason();
            interval = limits.ordinary();
        }
        Duration limit = limits.longest();
        Duration rule = activity.rule();
        if (rule != null) {
            limit = least(limit, rule.compareTo(limits.viewed()) < 0 ? limits.viewed() : rule);
            if (limit.compareTo(interval) < 0) {
                interval = limit;
                reason = new CadenceReason.Rule();
            }
        }
        if (activity.viewed()) {
            limit = least(limit, limits.viewed());
            if (limit.compareTo(interval) < 0) {
                interval = limit;
                reason = new CadenceReason.Viewed();
            }
        }
        Duration prompt = prompt(limits, stretch);
        if ((activity.operations() > 0 || activity.commanded()) && prompt.compareTo(interval) < 0) {
            interval = prompt;
            reason = new CadenceReason.Operation(activity.operations());
        }
        return new Pace(calm, step, percent, limit, interval, reason);
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Interval of a host with an operation under way, or one that has just sent an event. */
    public static Duration prompt(CadenceLimits limits, double stretch) {
        Duration prompt = Duration.ofNanos(Math.round(limits.shortestNanos() * stretch));
        return prompt.compareTo(limits.viewed()) > 0 ? limits.viewed() : prompt;
    }

    /** Interval that movement requests, longer by the budget, within the limits. */
    static double stretched(CadenceLimits limits, double calmNanos, double stretch) {
        return Math.clamp(calmNanos * stretch, limits.shortestNanos(), limits.longestNanos());
    }

    private static double calm(CadenceLimits limits, Pace before, HostActivity.Polled polled) {
        double calm = before.calmNanos();
        double share = polled.share();
        double after = Math.max(1, (double) polled.after().toNanos());
        // More VMs move in more time: a budget that makes intervals longer is no movement.
        double moving = share * Math.min(1, calm / after);
        if (moving >= MANY) {
            return limits.shortestNanos();
        }
        if (moving > SOME) {
            return Math.max(limits.shortestNanos(), calm * SOME / moving);
        }
        // And fewer in less: a host that is read often is not quiet for that, and two polls in
        // quick succession show little movement of any host.
        boolean tells = 2 * after >= before.interval().toNanos();
        boolean quiet = share * Math.max(1, calm / after) < FEW;
        return tells && quiet ? Math.min(limits.longestNanos(), calm * GROWTH) : calm;
    }

    private static CadenceReason movement(
            CadenceLimits limits, double calm, int step, int percent, double stretch) {
        if (stretch > 1 && step > limits.nearest(calm)) {
            return new CadenceReason.Budget(stretch);
        }
        return limits.interval(step).compareTo(limits.ordinary()) > 0
                ? new CadenceReason.Quiet(percent)
                : new CadenceReason.Moving(percent);
    }
}
