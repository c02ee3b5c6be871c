package org.stillwater.core.schedule;

import org.jspecify.annotations.Nullable;

/**
 * What a host has promised and what it does. Immutable.
 *
 * @param freeMebibytes free memory as last reported, in MiB; null if not known
 * @param committedMebibytes memory, with overhead, of the VMs whose processes are there, those that
 *     are about to leave included, in MiB
 * @param pendingMebibytes the same of VMs that are on their way: placed, but not yet reported by
 *     the host, in MiB
 * @param committedCpus virtual CPUs of the VMs whose processes are there
 * @param pendingCpus virtual CPUs of VMs that are on their way
 * @param runningVms VMs whose processes are there or on their way
 * @param cpuPercent how busy its processors are, 0–100 %; null if not known
 */
public record HostLoad(
        @Nullable Long freeMebibytes,
        long committedMebibytes,
        long pendingMebibytes,
        int committedCpus,
        int pendingCpus,
        int runningVms,
        @Nullable Integer cpuPercent) {

    /** A host without VMs of which nothing was reported. */
    public static final HostLoad NONE = new HostLoad(null, 0, 0, 0, 0, 0, null);

    public HostLoad {
        if (committedMebibytes < 0
                || pendingMebibytes < 0
                || committedCpus < 0
                || pendingCpus < 0
                || runningVms < 0) {
            throw new IllegalArgumentException(
                    "a host has promised no less than nothing: "
                            + committedMebibytes
                            + " and "
                            + pendingMebibytes
                            + " MiB, "
                            + committedCpus
                            + " and "
                            + pendingCpus
                            + " CPUs, "
                            + runningVms
                            + " VMs");
        }
    }

    /** The same with one more VM on its way. */
    public HostLoad withPending(int mebibytes, int cpus) {
        return new HostLoad(
                freeMebibytes,
                committedMebibytes,
                pendingMebibytes + mebibytes,
                committedCpus,
                pendingCpus + cpus,
                runningVms + 1,
                cpuPercent);
    }
}
