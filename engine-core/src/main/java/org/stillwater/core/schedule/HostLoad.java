package org.stillwater.core.schedule;

import org.jspecify.annotations.Nullable;

/**
 * A host's committed capacity and its present load. Immutable.
 *
 * @param freeMebibytes free memory as last reported, in MiB; null if not known
 * @param committedMebibytes memory, with overhead, of the VMs with a process on the host, those
 *     about to leave included, in MiB
 * @param pendingMebibytes the same of VMs on their way: placed, but not yet reported by the host,
 *     in MiB
 * @param committedCpus virtual CPUs of the VMs with a process on the host
 * @param pendingCpus virtual CPUs of VMs on their way
 * @param runningVms VMs with a process on the host or on their way
 * @param cpuPercent load of its processors, 0–100 %; null if not known
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
                    "the load of a host is negative: "
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
