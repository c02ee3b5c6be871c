package org.stillwater.monitoring.host;

import java.time.Duration;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.analysis.host.HostLimits;
import org.stillwater.core.analysis.host.HostPolicy;

/**
 * How hosts are watched.
 *
 * @param interval time between two statistics cycles of one host
 * @param pollDeadline after which a poll without an answer is given up, also if the connection does
 *     not report a failure
 * @param connectSpread longest time over which the first connections are spread
 * @param connectSpacing time between two first connections, as far as the spread allows
 * @param mailboxEvents events of one host that may wait; older ones are dropped for newer ones and
 *     a poll replaces the lost ones
 * @param mailboxBytes bytes of events of one host that may wait
 * @param repollPause shortest time between polls outside the schedule
 * @param domainChunk VMs in one call for domain XML
 * @param unknownLimit VMs of one host that may wait to be taken in
 * @param claimLimit VMs of other hosts that one host may claim to run; more are ignored
 * @param domainXmlLimit largest domain XML of one VM that is read, in characters
 * @param externalDataCalls calls for TPM or NVRAM data that may be under way on one host
 * @param quietPeriod a repeated complaint is logged once in this time
 * @param limits limits beyond which a host's numbers are reported
 * @param hostedEngineName name of the VM that runs the engine itself ({@code HostedEngineVmName})
 * @param powerOffWindow how long after a VM's destruction was ordered its absence is no surprise
 * @param handOver how long a VM that migrated to an unknown host may be unseen before it counts as
 *     lost
 * @param refresh how often a host out of contact, or one that goes into maintenance, is looked at
 *     ({@code VdsRefreshRate})
 * @param policy how patient the engine is with hosts
 * @param watchdog when the watching of a host counts as stuck
 * @param slowAnswer from which time on an answer of a host is called slow
 * @param checks checks of the statistics of VMs
 * @param flood load that one host may cause before it is limited
 */
public record HostMonitorSettings(
        Duration interval,
        Duration pollDeadline,
        Duration connectSpread,
        Duration connectSpacing,
        int mailboxEvents,
        long mailboxBytes,
        Duration repollPause,
        int domainChunk,
        int unknownLimit,
        int claimLimit,
        int domainXmlLimit,
        int externalDataCalls,
        Duration quietPeriod,
        HostLimits limits,
        String hostedEngineName,
        Duration powerOffWindow,
        Duration handOver,
        Duration refresh,
        HostPolicy policy,
        WatchdogSettings watchdog,
        Duration slowAnswer,
        CheckSettings checks,
        FloodLimits flood) {

    /** Cycles of 15 s; see the reference page for the rest. */
    public static final HostMonitorSettings DEFAULT =
            new HostMonitorSettings(
                    Duration.ofSeconds(15),
                    Duration.ofMinutes(4),
                    Duration.ofSeconds(10),
                    Duration.ofMillis(10),
                    4_096,
                    16L * 1024 * 1024,
                    Duration.ofSeconds(1),
                    50,
                    20_000,
                    1_000,
                    DomainXmlReader.USUAL_LIMIT,
                    4,
                    Duration.ofMinutes(10),
                    HostLimits.DEFAULT,
                    "HostedEngine",
                    Duration.ofSeconds(20),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(3),
                    HostPolicy.DEFAULT,
                    WatchdogSettings.DEFAULT,
                    Duration.ofSeconds(5),
                    CheckSettings.DEFAULT,
                    FloodLimits.DEFAULT);

    public HostMonitorSettings {
        if (!interval.isPositive()
                || !pollDeadline.isPositive()
                || !quietPeriod.isPositive()
                || !refresh.isPositive()
                || !slowAnswer.isPositive()) {
            throw new IllegalArgumentException(
                    "interval, deadline, quiet period, refresh and slow answer are" + " positive");
        }
        if (connectSpread.isNegative()
                || connectSpacing.isNegative()
                || repollPause.isNegative()
                || powerOffWindow.isNegative()) {
            throw new IllegalArgumentException(
                    "spread, spacing, pause and power-off window are not negative");
        }
        if (mailboxEvents < 1
                || mailboxBytes < 1
                || domainChunk < 1
                || unknownLimit < 1
                || claimLimit < 1
                || domainXmlLimit < 1
                || externalDataCalls < 1) {
            throw new IllegalArgumentException("limits of a host monitor are at least 1");
        }
    }

    /** The same with another limit of claims. */
    public HostMonitorSettings withClaimLimit(int other) {
        return with(pollDeadline, policy, watchdog, other, powerOffWindow, flood);
    }

    /** The same with another deadline for calls. */
    public HostMonitorSettings withPollDeadline(Duration other) {
        return with(other, policy, watchdog, claimLimit, powerOffWindow, flood);
    }

    /** The same with another watchdog. */
    public HostMonitorSettings withWatchdog(WatchdogSettings other) {
        return with(pollDeadline, policy, other, claimLimit, powerOffWindow, flood);
    }

    /** The same with another patience. */
    public HostMonitorSettings withPolicy(HostPolicy other) {
        return with(pollDeadline, other, watchdog, claimLimit, powerOffWindow, flood);
    }

    /** The same with other limits of one host's load. */
    public HostMonitorSettings withFlood(FloodLimits other) {
        return with(pollDeadline, policy, watchdog, claimLimit, powerOffWindow, other);
    }

    /** The same with another time in which the absence of a destroyed VM is no surprise. */
    public HostMonitorSettings withPowerOffWindow(Duration other) {
        return with(pollDeadline, policy, watchdog, claimLimit, other, flood);
    }

    private HostMonitorSettings with(
            Duration newDeadline,
            HostPolicy newPolicy,
            WatchdogSettings newWatchdog,
            int newClaimLimit,
            Duration newPowerOffWindow,
            FloodLimits newFlood) {
        return new HostMonitorSettings(
                interval,
                newDeadline,
                connectSpread,
                connectSpacing,
                mailboxEvents,
                mailboxBytes,
                repollPause,
                domainChunk,
                unknownLimit,
                newClaimLimit,
                domainXmlLimit,
                externalDataCalls,
                quietPeriod,
                limits,
                hostedEngineName,
                newPowerOffWindow,
                handOver,
                refresh,
                newPolicy,
                newWatchdog,
                slowAnswer,
                checks,
                newFlood);
    }
}
