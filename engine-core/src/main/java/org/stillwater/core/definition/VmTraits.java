package org.stillwater.core.definition;

import java.util.regex.Pattern;

/**
 * Properties of a VM beside its hardware that users decide.
 *
 * @param guestSystem the system that it is meant for, as clients name it ({@code other}, {@code
 *     rhel_9x64}): 1 to 64 letters, digits, dots, hyphens and underscores; only reported, never
 *     used
 * @param workload its intended use; only shown, never acted on
 * @param cpuShares its weight among the VMs of its host when there are not enough CPUs for all
 *     (libvirt: {@code cputune/shares}): 2 to 10000, which hosts of either version of control
 *     groups understand; 0 for the host's usual one
 * @param deleteProtected whether it cannot be removed until a user takes that back
 */
public record VmTraits(
        String guestSystem, Workload workload, int cpuShares, boolean deleteProtected) {

    private static final int LEAST_SHARES = 2;
    private static final int MOST_SHARES = 10_000;
    private static final Pattern SYSTEM = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** A server with any system, without anything special. */
    public static final VmTraits USUAL = new VmTraits("other", Workload.SERVER, 0, false);

    public VmTraits {
        if (!SYSTEM.matcher(guestSystem).matches()) {
            throw new IllegalArgumentException(
                    "the name of a guest's system has 1 to 64 letters, digits, dots, hyphens and"
                            + " underscores");
        }
        if (cpuShares != 0 && (cpuShares < LEAST_SHARES || cpuShares > MOST_SHARES)) {
            throw new IllegalArgumentException(
                    "the CPU shares of a VM are %d to %d, or 0 for the usual ones, not %d"
                            .formatted(LEAST_SHARES, MOST_SHARES, cpuShares));
        }
    }

    /** Intended use of a VM. */
    public enum Workload {
        DESKTOP,
        SERVER,
        HIGH_PERFORMANCE
    }
}
