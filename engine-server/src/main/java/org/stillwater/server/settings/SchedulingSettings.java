package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.stillwater.core.schedule.Weighting;

/**
 * Choice of hosts for VMs.
 *
 * @param weighting preferred host among those that fit: least CPU load, most free memory, fullest,
 *     or any
 * @param cpuOvercommit virtual CPUs that may be committed for each processor of a host
 * @param memoryOvercommitPercent memory that may be committed, in percent of a host's physical
 *     memory; 100 is the physical memory
 * @param reservedMebibytes memory of each host that no VM gets, in MiB; a larger amount that the
 *     host itself keeps back takes precedence
 * @param expectedCpuPercent expected load of a newly placed virtual CPU, in percent of a processor,
 *     until its host reports it
 * @param lowUtilisationPercent for power-saving: hosts with a higher utilisation are preferred to
 *     those that might become empty
 * @param highUtilisationPercent for power-saving: hosts that would exceed this come last
 * @param affinityFactor weight of affinity that is not enforced; the weighting has 1
 * @param namedHosts hosts that an explanation names for each rule
 * @param longestExplanation characters of an explanation
 */
@ConfigurationProperties("stillwater.commands.scheduling")
public record SchedulingSettings(
        @DefaultValue("even-cpu") Weighting weighting,
        @DefaultValue("10") double cpuOvercommit,
        @DefaultValue("100") int memoryOvercommitPercent,
        @DefaultValue("512") int reservedMebibytes,
        @DefaultValue("20") int expectedCpuPercent,
        @DefaultValue("20") int lowUtilisationPercent,
        @DefaultValue("80") int highUtilisationPercent,
        @DefaultValue("2") double affinityFactor,
        @DefaultValue("5") int namedHosts,
        @DefaultValue("2000") int longestExplanation) {

    public SchedulingSettings {
        ratio("commands.scheduling.cpu-overcommit", cpuOvercommit, 0.01, 1_000);
        Checks.number(
                "commands.scheduling.memory-overcommit-percent", memoryOvercommitPercent, 1, 1_000);
        Checks.number("commands.scheduling.reserved-mebibytes", reservedMebibytes, 0, 1 << 30);
        Checks.number("commands.scheduling.expected-cpu-percent", expectedCpuPercent, 0, 100);
        Checks.number(
                "commands.scheduling.high-utilisation-percent", highUtilisationPercent, 1, 100);
        Checks.number(
                "commands.scheduling.low-utilisation-percent",
                lowUtilisationPercent,
                0,
                highUtilisationPercent);
        ratio("commands.scheduling.affinity-factor", affinityFactor, 0, 100);
        Checks.number("commands.scheduling.named-hosts", namedHosts, 0, 1_000_000);
        Checks.number("commands.scheduling.longest-explanation", longestExplanation, 100, 100_000);
    }

    private static void ratio(String name, double value, double least, double most) {
        Checks.require(
                value >= least && value <= most,
                name,
                least + " to " + most,
                Double.toString(value));
    }
}
