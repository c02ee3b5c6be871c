package org.stillwater.monitoring.device;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;

/**
 * Failed reads of one host's VMs: reason and time of the next attempt for each definition that
 * could not be read or saved. The pause doubles from half a cycle, so that the next cycle tries
 * again at first, to a longest one. Used by the host's thread only; bounded.
 */
final class FailedReads {

    /**
     * A VM that failed.
     *
     * @param inRow how often in a row
     * @param untilNanos when it is tried again
     * @param seenNanos when the host reported the VM last
     * @param certain whether trying again is not expected to help
     */
    private record Failed(
            String reason, int inRow, long untilNanos, long seenNanos, boolean certain) {}

    private final int limit;
    private final long firstNanos;
    private final long longestNanos;
    private final Map<VmId, Failed> failed = new HashMap<>();

    /**
     * Has no failures.
     *
     * @param limit most stored VMs; others are tried again with each report
     * @param firstNanos the first pause
     * @param longestNanos the longest pause
     */
    FailedReads(int limit, long firstNanos, long longestNanos) {
        this.limit = limit;
        this.firstNanos = Math.min(firstNanos, longestNanos);
        this.longestNanos = longestNanos;
    }

    /** The host reported a VM: whether it is left alone for now. */
    boolean isPaused(VmId id, long nowNanos) {
        Failed before = failed.get(id);
        if (before == null) {
            return false;
        }
        failed.put(
                id,
                new Failed(
                        before.reason, before.inRow, before.untilNanos, nowNanos, before.certain));
        return nowNanos - before.untilNanos < 0;
    }

    /** It failed, for a reason that may pass. */
    void failed(VmId id, String reason, long nowNanos) {
        Failed before = failed.get(id);
        int inRow = before == null ? 1 : before.inRow + 1;
        long pause = doubled(firstNanos, inRow - 1, longestNanos);
        put(id, new Failed(reason, inRow, nowNanos + pause, nowNanos, inRow > 1));
    }

    /** It failed for a reason that lies in the VM's definition. */
    void unreadable(VmId id, String reason, long nowNanos) {
        failed(id, reason, nowNanos);
        failed.computeIfPresent(
                id,
                (_, now) -> new Failed(now.reason, now.inRow, now.untilNanos, now.seenNanos, true));
    }

    /** The database refused it: the longest pause. */
    void refused(VmId id, String reason, long nowNanos) {
        put(id, new Failed(reason, 1, nowNanos + longestNanos, nowNanos, true));
    }

    private void put(VmId id, Failed next) {
        if (failed.size() < limit || failed.containsKey(id)) {
            failed.put(id, next);
        }
    }

    /** It succeeded. */
    void succeeded(VmId id) {
        failed.remove(id);
    }

    /** Forgets VMs that a complete poll of this time did not report. */
    void polled(long receivedNanos) {
        failed.values().removeIf(each -> each.seenNanos - receivedNanos < 0);
    }

    /** All are tried again with the next report. */
    void resume(long nowNanos) {
        failed.replaceAll((_, each) ->
                new Failed(each.reason, each.inRow, nowNanos, each.seenNanos, each.certain));
    }

    /** Whether a VM failed last time. */
    boolean has(VmId id) {
        return failed.containsKey(id);
    }

    /** Forgets everything. */
    void clear() {
        failed.clear();
    }

    /** VMs that failed last time. */
    int size() {
        return failed.size();
    }

    /** VMs of which trying again is not expected to help. */
    int certain() {
        return (int) failed.values().stream().filter(Failed::certain).count();
    }

    /** Why the VM with the least id of those failed; null if none did. */
    @Nullable String reason(boolean onlyCertain) {
        return failed.entrySet().stream()
                .filter(each -> each.getValue().certain || !onlyCertain)
                .min(Map.Entry.comparingByKey())
                .map(each -> each.getValue().reason)
                .orElse(null);
    }

    /** A time doubled this often, up to a limit. */
    static long doubled(long nanos, int times, long most) {
        return (long) Math.min(nanos * Math.pow(2, Math.min(times, 62)), (double) most);
    }
}
