package org.stillwater.monitoring.device;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.monitoring.vm.VmRegistry;

/**
 * The unknown VMs of one host that wait for their import. Used by the host's thread only.
 *
 * <p>A VM waits until it is durable, so it is neither requested nor added twice; a claim in the
 * registry excludes other hosts. A failed VM waits again for the next cycle.
 */
final class ExternalIntake {

    private final HostId host;
    private final VmRegistry registry;
    private final int limit;
    private final FailedReads failures;
    private final Runnable decidedElsewhere;

    private final Map<VmId, VmReport.Running> unknown = new LinkedHashMap<>();
    private final Set<VmId> underWay = new HashSet<>();

    /**
     * Has no waiting VMs.
     *
     * @param limit most waiting unknown VMs
     * @param failures VMs that are skipped for a while
     * @param decidedElsewhere called on any thread when the import of a VM claimed by another host
     *     has ended
     */
    ExternalIntake(
            HostId host,
            VmRegistry registry,
            int limit,
            FailedReads failures,
            Runnable decidedElsewhere) {
        this.host = host;
        this.registry = registry;
        this.limit = limit;
        this.failures = failures;
        this.decidedElsewhere = decidedElsewhere;
    }

    /**
     * A VM that the engine does not know is running here.
     *
     * @param admitted whether a VM may wait; evaluated only for one that could begin to wait now
     * @return false if it cannot wait now: too many do, it failed lately, another host has it, or
     *     it is not admitted
     */
    boolean seen(VmReport.Running report, long nowNanos, BooleanSupplier admitted) {
        VmId id = report.vmId();
        if (failures.isPaused(id, nowNanos)) {
            return false;
        }
        if (!unknown.containsKey(id)) {
            if (unknown.size() >= limit || !registry.claim(id, host, decidedElsewhere)) {
                return false;
            }
            if (!admitted.getAsBoolean()) {
                registry.unclaim(id, host);
                return false;
            }
        }
        unknown.put(id, report);
        return true;
    }

    /** A VM that the engine does not know is no longer running here. */
    void gone(VmId id) {
        if (unknown.remove(id) != null && !underWay.contains(id)) {
            registry.unclaim(id, host);
        }
    }

    /**
     * VMs to be requested now; empty if none waits. They are under way then.
     *
     * @param most how many at most
     */
    List<VmId> nextChunk(int most) {
        List<VmId> next = new ArrayList<>();
        for (VmId id : unknown.keySet()) {
            if (next.size() >= most) {
                break;
            }
            if (underWay.add(id)) {
                next.add(id);
            }
        }
        return next;
    }

    /** The newest report of an unknown VM; null if it is known, or gone since. */
    VmReport.@Nullable Running unknown(VmId id) {
        return unknown.get(id);
    }

    /** Everything about this VM is done. */
    void done(VmId id) {
        underWay.remove(id);
        unknown.remove(id);
        registry.unclaim(id, host);
    }

    /** It did not work this time; the next report of the VM starts it again. */
    void failed(VmId id) {
        done(id);
    }

    /** Requests it again, unless the VM has disappeared since. */
    void again(VmId id) {
        underWay.remove(id);
        if (!unknown.containsKey(id)) {
            registry.unclaim(id, host);
        }
    }

    /** The number of these VMs among the waiting and running ones. */
    int waiting(Predicate<VmId> meant) {
        return (int) unknown.keySet().stream().filter(meant).count();
    }

    /** Whether a VM waits that is not under way. */
    boolean isAnyToAsk() {
        return underWay.size() < unknown.size() || !underWay.containsAll(unknown.keySet());
    }

    /** Whether no VM waits and no request is running. */
    boolean isIdle() {
        return unknown.isEmpty() && underWay.isEmpty();
    }

    /** Forgets waiting VMs, for the end of monitoring. */
    void clear() {
        // One that is under way may be gone since: no answer will come that would free it.
        List.copyOf(underWay).forEach(this::done);
        List.copyOf(unknown.keySet()).forEach(this::done);
    }
}
