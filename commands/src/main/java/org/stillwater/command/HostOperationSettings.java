package org.stillwater.command;

import java.time.Duration;

/**
 * How operations on hosts work.
 *
 * @param fencingDryRun whether fencing only says what it would do
 * @param fencingLimit longest that the power of one host may take to be off; must be less than a
 *     host may take to boot, after which it is watched again
 * @param look how often hosts are looked at that are to be fenced or drained
 * @param drainPatience for how long a drain waits for VMs that cannot migrate at the moment
 * @param mostReasons VMs of which an operation's result says why they could not leave, at least 1
 */
public record HostOperationSettings(
        boolean fencingDryRun,
        Duration fencingLimit,
        Duration look,
        Duration drainPatience,
        int mostReasons) {

    /** What is right for most; nothing is switched. */
    public static final HostOperationSettings DEFAULT =
            new HostOperationSettings(
                    true, Duration.ofMinutes(8), Duration.ofSeconds(3), Duration.ofMinutes(4), 20);

    public HostOperationSettings {
        for (Duration time : new Duration[] {fencingLimit, look, drainPatience}) {
            if (!time.isPositive()) {
                throw new IllegalArgumentException("times of operations on hosts are positive");
            }
        }
        if (mostReasons < 1) {
            throw new IllegalArgumentException("at least one reason is told");
        }
    }

    /** The same, switching power or not. */
    public HostOperationSettings withDryRun(boolean dryRun) {
        return new HostOperationSettings(dryRun, fencingLimit, look, drainPatience, mostReasons);
    }
}
