package org.stillwater.monitoring.host;

import java.time.Duration;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.analysis.host.HostLimits;
import org.stillwater.core.analysis.host.HostPolicy;

/**
 * Settings of host monitors.
 *
 * @param interval time between two statistics cycles of one host
 * @param pollDeadline after which a poll without an answer is abandoned, even if the connection
 *     reports no failure
 * @param connectSpread longest time over which the first connections are spread
 * @param connectSpacing time between two first connections, as far as the spread allows
 * @param mailboxEvents events of one host that may wait; older ones are dropped for newer ones and
 *     a poll replaces the lost ones
 * @param mailboxBytes bytes of events of one host that may wait
 * @param repollPause shortest time between polls outside the schedule
 * @param domainChunk VMs in one call for domain XML
 * @param unknownLimit most VMs of one host that wait for import
 * @param claimLimit VMs of other hosts that one host may claim to run; more are ignored
 * @param domainXmlLimit largest domain XML of one VM that is read, in characters
 * @param externalDataCalls calls for TPM or NVRAM data that may be under way on one host
 * @param quietPeriod a repeated problem is logged once in this time
 * @param limits limits of a host's statistics for reports
 * @param hostedEngineName name of the VM that runs the engine itself ({@code HostedEngineVmName})
 * @param powerOffWindow time after a VM's destruction during which its absence is expected
 * @param handOver time after which a VM that migrated to an unknown host counts as lost
 * @param refresh time between two checks of a host out of contact or preparing for maintenance
 *     ({@code VdsRefreshRate})
 * @param policy time limits for hosts
 * @param watchdog limits for stuck monitoring
 * @param slowAnswer time above which an answer of a host counts as slow
 * @param checks checks of the statistics of VMs
 * @param flood limits of the load of one host
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
