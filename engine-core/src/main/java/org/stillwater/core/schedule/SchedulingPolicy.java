package org.stillwater.core.schedule;

/**
 * The rules for distributing a cluster's VMs among its hosts. Immutable.
 *
 * @param weighting preference among the hosts that fit
 * @param cpuOvercommit virtual CPUs that may be committed for each processor of a host, more than 0
 *     and at most 1 000. A VM never has more CPUs than its host has processors, independent of this
 *     value
 * @param memoryOvercommitPercent memory that may be committed, in percent of a host's physical
 *     memory, 1–1 000; 100 is the physical memory
 * @param reservedMebibytes memory of each host that no VM gets, at least 0 MiB; a larger amount
 *     that the host itself keeps back takes precedence
 * @param expectedCpuPercent expected load of a newly placed virtual CPU, in percent of a processor,
 *     0–100 %; applies until its host reports it
 * @param lowUtilisationPercent for {@link Weighting#POWER_SAVING}: hosts with a higher utilisation
 *     are preferred to those that might become empty, 0 to the high one
 * @param highUtilisationPercent for {@link Weighting#POWER_SAVING}: hosts that would exceed this
 *     come last, 1–100 %
 * @param affinityFactor weight of affinity that is not enforced; the weighting has 1; 0–100
 * @param namedHosts hosts that an explanation names for each rule, 0–1 000 000
 * @param longestExplanation characters of an explanation's text, 100–1 000 000
 */
public record SchedulingPolicy(
        Weighting weighting,
        double cpuOvercommit,
        int memoryOvercommitPercent,
        int reservedMebibytes,
        int expectedCpuPercent,
        int lowUtilisationPercent,
        int highUtilisationPercent,
        double affinityFactor,
        int namedHosts,
        int longestExplanation) {

    /**
     * Processors evenly busy, ten virtual CPUs for each, no memory promised twice, 512 MiB for the
     * host; affinity counts twice as much as balance.
     */
    public static final SchedulingPolicy DEFAULT =
            new SchedulingPolicy(Weighting.EVEN_CPU, 10, 100, 512, 20, 20, 80, 2, 5, 2_000);

    public SchedulingPolicy {
        check("cpuOvercommit", cpuOvercommit, Double.MIN_VALUE, 1_000);
        check("memoryOvercommitPercent", memoryOvercommitPercent, 1, 1_000);
        check("reservedMebibytes", reservedMebibytes, 0, Integer.MAX_VALUE);
        check("expectedCpuPercent", expectedCpuPercent, 0, 100);
        check("highUtilisationPercent", highUtilisationPercent, 1, 100);
        check("lowUtilisationPercent", lowUtilisationPercent, 0, highUtilisationPercent);
        check("affinityFactor", affinityFactor, 0, 100);
        check("namedHosts", namedHosts, 0, 1_000_000);
        check("longestExplanation", longestExplanation, 100, 1_000_000);
    }

    /** The same with another weighting. */
    public SchedulingPolicy with(Weighting other) {
        return new SchedulingPolicy(
                other,
                cpuOvercommit,
                memoryOvercommitPercent,
                reservedMebibytes,
                expectedCpuPercent,
                lowUtilisationPercent,
                highUtilisationPercent,
                affinityFactor,
                namedHosts,
                longestExplanation);
    }

    /** The same with other limits of commitment. */
    public SchedulingPolicy promising(
            double newCpuOvercommit, int newMemoryOvercommitPercent, int newReservedMebibytes) {
        return new SchedulingPolicy(
                weighting,
                newCpuOvercommit,
                newMemoryOvercommitPercent,
                newReservedMebibytes,
                expectedCpuPercent,
                lowUtilisationPercent,
                highUtilisationPercent,
                affinityFactor,
                namedHosts,
                longestExplanation);
    }

    /** The same with other limits of explanations. */
    public SchedulingPolicy explaining(int newNamedHosts, int newLongestExplanation) {
        return new SchedulingPolicy(
                weighting,
                cpuOvercommit,
                memoryOvercommitPercent,
                reservedMebibytes,
                expectedCpuPercent,
                lowUtilisationPercent,
                highUtilisationPercent,
                affinityFactor,
                newNamedHosts,
                newLongestExplanation);
    }

    private static void check(String what, double value, double least, double most) {
        if (!(value >= least && value <= most)) { // so that NaN is refused too
            throw new IllegalArgumentException(
                    what + " is " + least + " to " + most + ", not " + value);
        }
    }
}
