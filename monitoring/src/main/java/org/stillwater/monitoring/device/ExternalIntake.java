package org.stillwater.monitoring.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.monitoring.vm.VmRegistry;

/**
 * Which of one host's VMs wait for their domain XML: VMs that the engine does not know, to be taken
 * in, and known external VMs whose device hash changed. Used by the host's thread only.
 *
 * <p>A VM waits until it is durable, so it is neither asked for nor added twice; a claim in the
 * registry keeps other hosts from it. What fails goes back to waiting for the next cycle.
 */
public final class ExternalIntake {

    private final HostId host;
    private final VmRegistry registry;
    private final int limit;
    private final int chunk;
    private final long refusalNanos;

    private final Map<VmId, VmReport.Running> unknown = new LinkedHashMap<>();
    private final Map<VmId, String> changedDevices = new LinkedHashMap<>();
    private final Set<VmId> underWay = new HashSet<>();
    private final Map<VmId, Long> refusedAt = new HashMap<>();

    /**
     * Nothing waits.
     *
     * @param limit unknown VMs that may wait at most
     * @param chunk VMs asked for at once at most
     * @param refusalNanos time for which a VM that the database refused is left alone
     */
    public ExternalIntake(
            HostId host, VmRegistry registry, int limit, int chunk, long refusalNanos) {
        this.host = host;
        this.registry = registry;
        this.limit = limit;
        this.chunk = chunk;
        this.refusalNanos = refusalNanos;
    }

    /**
     * A VM that the engine does not know is running here.
     *
     * @return false if it cannot wait now: too many do, the database refused it lately, or another
     *     host has it
     */
    public boolean seen(VmReport.Running report, long nowNanos) {
        VmId id = report.vmId();
        Long refused = refusedAt.get(id);
        if (refused != null) {
            if (nowNanos - refused < refusalNanos) {
                return false;
            }
            refusedAt.remove(id);
        }
        if (!unknown.containsKey(id) && (unknown.size() >= limit || !registry.claim(id, host))) {
            return false;
        }
        unknown.put(id, report);
        return true;
    }

    /** A VM that the engine does not know is not running here any more. */
    public void gone(VmId id) {
        if (unknown.remove(id) != null && !underWay.contains(id)) {
            registry.unclaim(id, host);
        }
    }

    /** A known VM has other devices than the saved ones, says this hash. */
    public void devicesChanged(VmId id, String hash) {
        if (changedDevices.size() < limit) {
            changedDevices.put(id, hash);
        }
    }

    /** The newest hash of a VM whose devices changed; null if they did not. */
    public @Nullable String changedHash(VmId id) {
        return changedDevices.get(id);
    }

    /**
     * VMs to be asked for now, unknown ones first; empty if none waits. They are under way then.
     */
    public List<VmId> nextChunk() {
        List<VmId> next = new ArrayList<>();
        for (VmId id : unknown.keySet()) {
            if (next.size() == chunk) {
                break;
            }
            if (underWay.add(id)) {
                next.add(id);
            }
        }
        for (VmId id : changedDevices.keySet()) {
            if (next.size() == chunk) {
                break;
            }
            if (underWay.add(id)) {
                next.add(id);
            }
        }
        return next;
    }

    /** The newest report of an unknown VM; null if it is known, or gone since. */
    public VmReport.@Nullable Running unknown(VmId id) {
        return unknown.get(id);
    }

    /** Everything about this VM is done. */
    public void done(VmId id) {
        underWay.remove(id);
        changedDevices.remove(id);
        unknown.remove(id);
        registry.unclaim(id, host);
    }

    /** It did not work this time; the next report of the VM starts it again. */
    public void failed(VmId id) {
        done(id);
    }

    /** The database refused this VM; it is left alone for a while. */
    public void refused(VmId id, long nowNanos) {
        done(id);
        if (refusedAt.size() < limit) {
            refusedAt.put(id, nowNanos);
        }
    }

    /** Whether nothing waits and nothing is under way. */
    public boolean isIdle() {
        return unknown.isEmpty() && changedDevices.isEmpty() && underWay.isEmpty();
    }

    /** Forgets what waits, for the end of monitoring. */
    public void clear() {
        List.copyOf(unknown.keySet()).forEach(this::done);
        changedDevices.clear();
        underWay.clear();
    }
}
