package org.stillwater.monitoring.vm;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.history.RingFormat;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmStatus;

/**
 * Finds VMs by identity and by host. Complete: every VM of the database is here, so the engine does
 * not know a VM that is missing. Thread-safe; lookups do not lock.
 */
public final class VmRegistry {

    private final Map<VmId, VmManager> vms = new ConcurrentHashMap<>();
    private final Map<HostId, HostVms> hosts = new ConcurrentHashMap<>();
    private final Map<VmId, Claim> claims = new ConcurrentHashMap<>();
    private final Map<VmId, Long> removed = new Removals();

    /** Counts the VMs that came and went. */
    private final AtomicInteger membership = new AtomicInteger();

    private final VmStatusCounts counts = new VmStatusCounts();
    private volatile Readings readings = new Readings(0, List.of());
    private final AtomicLong definitions = new AtomicLong();
    private final int historyLimit;
    private final @Nullable RingFormat recentHistory;

    /** The VMs at the time of this number of additions and removals. */
    private record Readings(int membership, List<? extends VmReading> vms) {}

    /** The newest deletions: enough for every answer that was under way when they happened. */
    private static final class Removals extends LinkedHashMap<VmId, Long> {

        private static final long serialVersionUID = 1;
        private static final int MOST = 10_000;

        @Override
        protected boolean removeEldestEntry(Map.Entry<VmId, Long> eldest) {
            return size() > MOST;
        }
    }

    /**
     * An empty registry of VMs without recent history.
     *
     * @param historyLimit usage samples kept per VM and metric, 0–127
     */
    public VmRegistry(int historyLimit) {
        this(historyLimit, null);
    }

    /**
     * An empty registry.
     *
     * @param historyLimit usage samples kept per VM and metric, 0–127
     * @param recentHistory how VMs keep their recent history, null for not at all
     */
    public VmRegistry(int historyLimit, @Nullable RingFormat recentHistory) {
        this.historyLimit = historyLimit;
        this.recentHistory = recentHistory;
    }

    /** The VM with this identity, or null. */
    public @Nullable VmManager find(VmId id) {
        return vms.get(id);
    }

    /** Changes whenever a VM is added or removed. */
    public int membership() {
        return membership.get();
    }

    /** Every VM, in no order, as of about now. */
    public Stream<VmManager> all() {
        return vms.values().stream();
    }

    /**
     * A recent snapshot of all VMs, unordered; must not be modified. Has no cost while no VM is
     * added or removed.
     */
    public List<? extends VmReading> readings() {
        Readings known = readings;
        int present = membership.get();
        if (known.membership() != present) {
            known = new Readings(present, List.of(vms.values().toArray(VmManager[]::new)));
            readings = known;
        }
        return known.vms();
    }

    /** Number of VMs. */
    public int size() {
        return vms.size();
    }

    /** Number of VMs with one of these statuses, without a pass over the VMs. */
    public int size(Set<VmStatus> statuses) {
        return counts.sum(statuses);
    }

    /** Numbers of VMs by status, without a pass over the VMs. */
    public Map<VmStatus, Integer> byStatus() {
        return counts.all();
    }

    /** Grows whenever a VM is added, removed or defined otherwise. */
    public long definitions() {
        return definitions.get();
    }

    /** A VM was defined otherwise. */
    public void redefined() {
        definitions.incrementAndGet();
    }

    /** The VMs that a host is responsible for. */
    public HostVms on(HostId host) {
        return hosts.computeIfAbsent(host, HostVms::new);
    }

    /**
     * Adds a VM; the one that already exists wins.
     *
     * @param whenNew called with the new manager, under its lock, before another thread can change
     *     it
     * @return whether the VM is new
     */
    public boolean register(
            VmId id, VmStatic definition, VmState state, Consumer<VmManager> whenNew) {
        VmManager fresh = new VmManager(id, definition, state, historyLimit, recentHistory);
        fresh.lock();
        try {
            if (vms.putIfAbsent(id, fresh) != null) {
                return false;
            }
            membership.incrementAndGet();
            fresh.countIn(counts);
            place(fresh, state.placement());
            whenNew.accept(fresh);
            definitions.incrementAndGet();
            return true;
        } finally {
            fresh.unlock();
        }
    }

    /**
     * Forgets a VM that was deleted, under its lock.
     *
     * @param nanos the engine's monotonic clock; answers to earlier requests do not concern the VM
     *     any more
     */
    public void remove(VmManager vm, long nanos) {
        synchronized (removed) {
            removed.put(vm.id(), nanos);
        }
        if (vms.remove(vm.id(), vm)) {
            membership.incrementAndGet();
            definitions.incrementAndGet();
        }
        vm.countIn(null);
        vm.moveTo(null);
    }

    /**
     * Whether a VM was deleted after a report about it was requested, so that the report is about a
     * removed VM.
     */
    public boolean wasRemovedAfter(VmId id, long fetchedNanos) {
        synchronized (removed) {
            Long nanos = removed.get(id);
            return nanos != null && fetchedNanos - nanos <= 0;
        }
    }

    /** Keeps the index of hosts true after a change of placement; under the VM's lock. */
    public void place(VmManager vm, VmPlacement placement) {
        HostId host = placement.runOn();
        vm.moveTo(host == null ? null : on(host));
    }

    /**
     * An unknown VM that one host has for itself.
     *
     * @param host the host
     * @param others hosts that would have had it, and the way to notify them of the decision
     */
    private record Claim(HostId host, Map<HostId, Runnable> others) {

        Claim wantedBy(HostId other, Runnable told) {
            Map<HostId, Runnable> all = new HashMap<>(others);
            all.put(other, told);
            return new Claim(host, all);
        }
    }

    /**
     * Reserves an unknown VM for one host, so that two hosts that report it never add it twice.
     *
     * @param decided called once, on any thread, when another host has the VM and its import is
     *     decided: this host's reports of the VM were left aside until then
     * @return whether the host has it now
     */
    public boolean claim(VmId id, HostId host, Runnable decided) {
        Claim claim =
                claims.compute(
                        id,
                        (_, present) -> {
                            if (present == null) {
                                return new Claim(host, Map.of());
                            }
                            return present.host().equals(host)
                                    ? present
                                    : present.wantedBy(host, decided);
                        });
        if (!claim.host().equals(host)) {
            return false;
        }
        if (vms.containsKey(id)) {
            unclaim(id, host);
            decided.run();
            return false;
        }
        return true;
    }

    /** Releases a claim, and notifies the hosts that wanted the VM too. */
    public void unclaim(VmId id, HostId host) {
        Claim claim = claims.get(id);
        if (claim != null && claim.host().equals(host)) {
            Claim given = claims.remove(id);
            if (given != null) {
                given.others().values().forEach(Runnable::run);
            }
        }
    }

    /** Forgets a host that was removed, on which there is no VM. */
    public void forget(HostId host) {
        hosts.computeIfPresent(host, (_, vms) -> vms.size() == 0 ? null : vms);
    }
}
