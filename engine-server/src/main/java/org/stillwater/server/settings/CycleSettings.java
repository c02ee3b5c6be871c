package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Monitoring of hosts.
 *
 * @param interval time between two statistics cycles of one host; the phases of hosts are spread
 *     over it
 * @param pollDeadline time after which an unanswered poll fails, if the connection reports no
 *     failure
 * @param connectSpread longest time over which the first connections are spread
 * @param connectSpacing time between two first connections, as far as the spread allows
 * @param mailboxEvents events of one host that may wait; older ones are dropped for newer ones and
 *     the next cycle corrects the state
 * @param mailboxSize bytes of events of one host that may wait
 * @param repollPause shortest time between polls of one host outside the schedule
 * @param domainChunk VMs in one call for definitions or devices
 * @param unknownLimit VMs of one host that may wait to be added, or for their devices
 * @param claimLimit VMs of other hosts that one host may claim; further claims are ignored, and the
 *     host is named
 * @param domainXmlLimit largest domain XML of one VM that is read; a character counts as a byte
 * @param externalDataCalls calls for TPM or NVRAM data that may be under way on one host
 * @param handOverPatience time for which a VM may stay unreported after a migration to an unknown
 *     destination, before it counts as lost
 * @param hostedEngineName name of the VM that runs the engine itself; it is not taken for an
 *     external VM
 * @param powerOffWindow time after an ordered destruction of a VM for which its absence is expected
 * @param usageHistory usage samples kept per VM and metric
 * @param quietPeriod least time between two log lines of the same complaint
 * @param adaptive whether the interval of each host adapts to the movement of its VMs, to readers,
 *     operations and the CPU budget
 * @param shortest shortest interval of a host with adaptive
 * @param longest longest interval of a host with adaptive
 * @param cpuBudget processor time that the engine may use with adaptive, as a share of a core; 0
 *     for any. Polls that readers depend on stay on time even beyond it
 */
@ConfigurationProperties("stillwater.cycle")
public record CycleSettings(
        @DefaultValue("15s") Duration interval,
        @DefaultValue("4m") Duration pollDeadline,
        @DefaultValue("10s") Duration connectSpread,
        @DefaultValue("10ms") Duration connectSpacing,
        @DefaultValue("4096") int mailboxEvents,
        @DefaultValue("16MB") DataSize mailboxSize,
        @DefaultValue("1s") Duration repollPause,
        @DefaultValue("50") int domainChunk,
        @DefaultValue("20000") int unknownLimit,
        @DefaultValue("1000") int claimLimit,
        @DefaultValue("4MB") DataSize domainXmlLimit,
        @DefaultValue("4") int externalDataCalls,
        @DefaultValue("5m") Duration handOverPatience,
        @DefaultValue("HostedEngine") String hostedEngineName,
        @DefaultValue("20s") Duration powerOffWindow,
        @DefaultValue("40") int usageHistory,
        @DefaultValue("10m") Duration quietPeriod,
        @DefaultValue("false") boolean adaptive,
        @DefaultValue("5s") Duration shortest,
        @DefaultValue("120s") Duration longest,
        @DefaultValue("0.5") double cpuBudget) {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int MOST_CORES = 64;

    public CycleSettings {
        Checks.duration("cycle.interval", interval, SHORTEST, Duration.ofHours(1));
        Checks.duration("cycle.poll-deadline", pollDeadline, SHORTEST, DAY);
        Checks.duration("cycle.connect-spread", connectSpread, Duration.ZERO, Duration.ofHours(1));
        Checks.duration(
                "cycle.connect-spacing", connectSpacing, Duration.ZERO, Duration.ofMinutes(1));
        Checks.number("cycle.mailbox-events", mailboxEvents, 1, 1_000_000);
        Checks.size(
                "cycle.mailbox-size",
                mailboxSize,
                DataSize.ofKilobytes(64),
                DataSize.ofGigabytes(1));
        Checks.duration("cycle.repoll-pause", repollPause, Duration.ZERO, Duration.ofHours(1));
        Checks.number("cycle.domain-chunk", domainChunk, 1, 10_000);
        Checks.number("cycle.unknown-limit", unknownLimit, 1, 1_000_000);
        Checks.number("cycle.claim-limit", claimLimit, 1, 1_000_000);
        Checks.size(
                "cycle.domain-xml-limit",
                domainXmlLimit,
                DataSize.ofKilobytes(16),
                DataSize.ofMegabytes(256));
        Checks.number("cycle.external-data-calls", externalDataCalls, 1, 100);
        Checks.duration("cycle.hand-over-patience", handOverPatience, Duration.ZERO, DAY);
        Checks.duration(
                "cycle.power-off-window", powerOffWindow, Duration.ZERO, Duration.ofHours(1));
        Checks.number("cycle.usage-history", usageHistory, 0, 127);
        Checks.duration("cycle.quiet-period", quietPeriod, SHORTEST, DAY);
        Checks.duration("cycle.shortest", shortest, SHORTEST, Duration.ofHours(1));
        Checks.duration("cycle.longest", longest, SHORTEST, Duration.ofHours(1));
        Checks.require(
                cpuBudget >= 0 && cpuBudget <= MOST_CORES,
                "cycle.cpu-budget",
                "0 to " + MOST_CORES,
                String.valueOf(cpuBudget));
        Checks.require(
                !adaptive
                        || (shortest.compareTo(interval) <= 0 && interval.compareTo(longest) <= 0),
                "cycle.interval",
                "cycle.shortest to cycle.longest with cycle.adaptive",
                Checks.text(interval));
    }
}
