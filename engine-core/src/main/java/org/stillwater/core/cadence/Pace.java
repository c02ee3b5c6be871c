package org.stillwater.core.cadence;

import java.time.Duration;

/**
 * The interval of one host, and the state for the next decision about it.
 *
 * @param calmNanos interval that the movement of its VMs requests, without steps
 * @param step step of the limits that it is on
 * @param percent VMs that moved in the newest poll
 * @param limit longest interval that readers and rules bear
 * @param interval longest time between two polls
 * @param reason why it has this interval
 */
public record Pace(
        double calmNanos,
        int step,
        int percent,
        Duration limit,
        Duration interval,
        CadenceReason reason) {

    /** The pace of an unknown host. */
    public static Pace begin(CadenceLimits limits) {
        return ordinary(limits, 0, new CadenceReason.Starting());
    }

    static Pace ordinary(CadenceLimits limits, int percent, CadenceReason reason) {
        double nanos = limits.ordinaryNanos();
        return new Pace(
                nanos,
                limits.nearest(nanos),
                percent,
                limits.ordinary(),
                limits.ordinary(),
                reason);
    }
}
