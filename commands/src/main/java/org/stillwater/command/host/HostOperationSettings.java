package org.stillwater.command.host;

import java.time.Duration;

/**
 * How operations on hosts work.
 *
 * @param fencingDryRun whether fencing only reports its steps and switches nothing
 * @param fencingLimit longest that the power of one host may take to be off; must be less than a
 *     host may take to boot, after which it is watched again
 * @param fencingAttempts how often a host is fenced in one outage at the most, while it cannot be
 *     switched off, at least 1
 * @param fencingRetry pause before the second attempt; twice as long before each further one
 * @param leaseWait how long a host must have been silent before it is fenced, where its cluster
 *     respects storage leases: a host that lost its storage has lost its leases by then
 * @param look how often hosts are checked that are to be fenced or drained
 * @param drainPatience for how long a drain waits for VMs that cannot migrate at the moment
 * @param mostReasons VMs that an operation's result lists with the reason why they could not leave,
 *     at least 1
 */
public record HostOperationSettings(
        boolean fencingDryRun,
        Duration fencingLimit,
        int fencingAttempts,
        Duration fencingRetry,
        Duration leaseWait,
        Duration look,
        Duration drainPatience,
        int mostReasons) {

    /** Default settings for most installations; fencing switches nothing. */
    public static final HostOperationSettings DEFAULT =
            new HostOperationSettings(
                    true,
                    Duration.ofMinutes(8),
                    3,
                    Duration.ofMinutes(2),
                    Duration.ofSeconds(90),
                    Duration.ofSeconds(3),
                    Duration.ofMinutes(4),
                    20);

    public HostOperationSettings {
        for (Duration time :
                new Duration[] {fencingLimit, fencingRetry, leaseWait, look, drainPatience}) {
            if (!time.isPositive()) {
                throw new IllegalArgumentException("times of operations on hosts are positive");
            }
        }
        if (mostReasons < 1 || fencingAttempts < 1) {
            throw new IllegalArgumentException(
                    "at least one reason is given, and a host is fenced at least once");
        }
    }

    /** The same, switching power or not. */
    public HostOperationSettings withDryRun(boolean dryRun) {
        return new HostOperationSettings(
                dryRun,
                fencingLimit,
                fencingAttempts,
                fencingRetry,
                leaseWait,
                look,
                drainPatience,
                mostReasons);
    }
}
