package org.stillwater.core.schedule;

/**
 * The remaining capacity of a host during placement. Belongs to one pass; not shared.
 *
 * <p>Memory is checked twice: the committed memory must not exceed the policy's limit, and the
 * reported free memory must suffice for the VMs on their way. A host may be free because its VMs
 * are idle, or full although little is committed.
 */
final class HostCapacity {

    private static final double ROUNDING = 1e-9;
    private static final int PERCENT = 100;

    /** More than any host has; keeps sums of absurd reports within a long. */
    private static final long MOST_MEBIBYTES = 1L << 50;

    final HostCandidate host;

    /** Its place among the hosts of the pass, by which lists of numbers are kept. */
    final int index;

    final int onlineCpus;
    final boolean memoryKnown;

    /** Memory that may be promised, in MiB. */
    final long memoryCapacity;

    /** Virtual CPUs that may be promised. */
    final long cpuCapacity;

    private final int expectedCpuPercent;
    private final double reportedCpuPercent;
    private long promisedMebibytes;
    private long freeMebibytes;
    private long promisedCpus;
    private long pendingCpus;

    HostCapacity(HostCandidate host, int index, SchedulingPolicy policy) {
        this.host = host;
        this.index = index;
        HostOffer offer = host.offer();
        HostLoad load = host.load();
        onlineCpus = offer.onlineCpus();
        memoryKnown = offer.physicalMebibytes() > 0;
        long physical = Math.min(offer.physicalMebibytes(), MOST_MEBIBYTES);
        long allowed = physical * policy.memoryOvercommitPercent() / PERCENT;
        long reserved = Math.max(offer.reservedMebibytes(), policy.reservedMebibytes());
        memoryCapacity = Math.max(0, allowed - reserved);
        cpuCapacity = (long) Math.floor(onlineCpus * policy.cpuOvercommit() + ROUNDING);
        promisedMebibytes = load.committedMebibytes() + load.pendingMebibytes();
        Long free = load.freeMebibytes();
        freeMebibytes = free == null ? MOST_MEBIBYTES * 16 : free - load.pendingMebibytes();
        promisedCpus = (long) load.committedCpus() + load.pendingCpus();
        pendingCpus = load.pendingCpus();
        expectedCpuPercent = policy.expectedCpuPercent();
        Integer busy = load.cpuPercent();
        reportedCpuPercent = busy == null ? cpuShare(load.committedCpus()) : busy;
    }

    void take(PlacementRequest vm) {
        change(vm.memoryMebibytes(), vm.cpus());
    }

    void giveBack(PlacementRequest vm) {
        change(-vm.memoryMebibytes(), -vm.cpus());
    }

    private void change(int mebibytes, int cpus) {
        promisedMebibytes += mebibytes;
        freeMebibytes -= mebibytes;
        promisedCpus += cpus;
        pendingCpus += cpus;
    }

    /** Memory that a VM may take, in MiB; negative if too much was promised. */
    long memoryLeft() {
        return Math.min(memoryCapacity - promisedMebibytes, freeMebibytes);
    }

    /** Whether the reported free memory, rather than the committed memory, limits the host. */
    boolean isMemoryScarcerThanPromised() {
        return freeMebibytes < memoryCapacity - promisedMebibytes;
    }

    /** Virtual CPUs that may still be promised; negative if too many were. */
    long cpusLeft() {
        return cpuCapacity - promisedCpus;
    }

    /**
     * The expected load of the processors with this number of further virtual CPUs, in percent;
     * more than 100 if they are overcommitted.
     */
    double expectedCpuPercent(int more) {
        return reportedCpuPercent + cpuShare(pendingCpus + more);
    }

    /** The share of its memory that is left after a VM of this size in MiB, in percent. */
    double memoryLeftPercent(int mebibytes) {
        return memoryCapacity == 0
                ? 0
                : PERCENT * (double) (memoryLeft() - mebibytes) / memoryCapacity;
    }

    private double cpuShare(long cpus) {
        return (double) expectedCpuPercent * cpus / Math.max(1, onlineCpus);
    }
}
