package org.stillwater.server.xapi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.GuestAddresses;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.xapi.host.PoolHost;
import org.stillwater.xapi.host.PoolVm;
import org.stillwater.xapi.host.XapiPool;

/**
 * Makes the engine's VMs of a pool those that the pool has, with their definitions and the states
 * that no host reports. VMs become known in pieces of {@value #CHUNK}; their rows follow by the
 * writer. One thread at a time; blocks while the database is written.
 */
final class PoolVmKeeping {

    private static final Logger log = LoggerFactory.getLogger(PoolVmKeeping.class);

    /** VMs that become known in one piece, and are written with one statement for each table. */
    static final int CHUNK = 1_000;

    private final VmCommandAccess vms;
    private final VmStore store;
    private final DefinitionStore definitions;
    private final PoolRefusals refusals;
    private final EngineClock clock;

    /** Known VMs with rows that wait to be written, and whether to check them again afterwards. */
    private final Map<VmId, Boolean> open = new HashMap<>();

    /** VMs that are left out because their host is, by pool. */
    private final Map<XapiPool, Set<VmId>> hostless = new HashMap<>();

    /** Results of waiting rows; the writer's thread adds them. */
    private final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();

    private record Outcome(XapiPool pool, List<VmId> vms, Map<VmId, String> refused) {}

    /** Keeps VMs in this engine. */
    PoolVmKeeping(
            VmCommandAccess vms,
            VmStore store,
            DefinitionStore definitions,
            PoolRefusals refusals,
            EngineClock clock) {
        this.vms = vms;
        this.store = store;
        this.definitions = definitions;
        this.refusals = refusals;
        this.clock = clock;
    }

    /** VMs of a pool that are left out because their host is. */
    Set<VmId> hostless(XapiPool pool) {
        return hostless.getOrDefault(pool, Set.of());
    }

    /** Whether rows of VMs of a cluster are still to be written. */
    boolean isWriting(ClusterId cluster) {
        return open.keySet().stream()
                .anyMatch(id ->
                        cluster.equals(vms.decide(id, manager -> manager.definition().cluster())));
    }

    /** A pool is watched no longer. */
    void forgetPool(String pool) {
        hostless.keySet().removeIf(each -> each.name().equals(pool));
    }

    /** A VM moves in its pool: the engine expects it on the other host. */
    void moving(VmId vm, HostId from, HostId to) {
        Boolean _ = vms.decide(vm, manager -> moving(manager, from, to));
    }

    private boolean moving(VmManager vm, HostId from, HostId to) {
        VmState state = vm.state();
        // A VM that a command holds is where that command takes it.
        boolean isNews =
                !vm.isHeld()
                        && state.placement().isOn(from)
                        && !to.equals(state.placement().migratingTo());
        if (isNews) {
            vms.change(
                    vm,
                    state.runtime().with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                    state.placement().withMigratingTo(to),
                    vm.commands(clock.nanoTime()));
        }
        return isNews;
    }

    /** Takes over VMs that the pool has changed. */
    void keep(XapiPool pool, ClusterId cluster, Collection<VmId> touched) throws StoreUnavailable {
        List<PoolVm> unknown = new ArrayList<>();
        List<PoolVm> refusedBefore = new ArrayList<>();
        List<PoolVm> known = new ArrayList<>();
        List<VmId> gone = new ArrayList<>();
        Set<VmId> waited = hostless.getOrDefault(pool, Set.of());
        Set<VmId> without = new HashSet<>();
        for (VmId id : touched) {
            if (open.containsKey(id)) {
                open.put(id, true); // its row must be there before it changes
                continue;
            }
            PoolVm vm = pool.vm(id);
            ClusterId home = vms.decide(id, manager -> manager.definition().cluster());
            if (vm == null) {
                refusals.clear("VM " + id);
                if (cluster.equals(home)) {
                    gone.add(id);
                }
            } else if (home == null && vm.host() != null && vms.host(vm.host()) == null) {
                // Its row would refer to a row that does not exist.
                refusals.refuse("VM " + id, pool, "VM " + id, "its host is not taken over");
                without.add(id);
            } else if (home == null && waited.contains(id)) {
                refusals.clear("VM " + id);
                unknown.add(vm);
            } else if (home == null) {
                (refusals.has("VM " + id) ? refusedBefore : unknown).add(vm);
            } else if (home.equals(cluster)) {
                known.add(vm);
            } else {
                refusals.refuse(
                        "VM " + id, pool, "VM " + id, "another cluster has a VM of its identity");
            }
        }
        hostless.put(pool, without);
        adopt(pool, unknown); // first: it does not wait for the database
        for (VmId id : gone) {
            remove(pool, id);
        }
        Set<HostId> hosts =
                pool.hosts().stream().map(PoolHost::id).collect(Collectors.toUnmodifiableSet());
        for (PoolVm vm : known) {
            keepVm(pool, hosts, vm);
        }
        pool.admit(known.stream().map(PoolVm::id).toList());
        for (int from = 0; from < refusedBefore.size(); from += CHUNK) {
            add(pool, refusedBefore.subList(from, Math.min(refusedBefore.size(), from + CHUNK)));
        }
    }

    /** Makes VMs known; their rows follow by the writer. */
    private void adopt(XapiPool pool, List<PoolVm> fresh) {
        List<StoredVm> rows = rows(fresh);
        for (int from = 0; from < rows.size(); from += CHUNK) {
            List<StoredVm> chunk = rows.subList(from, Math.min(rows.size(), from + CHUNK));
            List<VmId> ids = chunk.stream().map(StoredVm::id).toList();
            ids.forEach(id -> open.put(id, false));
            vms.adopt(
                    chunk,
                    rejected -> {
                        outcomes.add(new Outcome(pool, ids, rejected));
                        pool.reconsider();
                    });
            pool.admit(ids);
            giveWay();
        }
    }

    /** Between two pieces others get the processor. */
    @SuppressWarnings("ThreadPriorityCheck") // giving it away is the purpose
    private static void giveWay() {
        Thread.yield();
    }

    /** Rows of VMs exist, or the database has refused them. */
    void takeOutcomes() {
        for (Outcome each = outcomes.poll(); each != null; each = outcomes.poll()) {
            XapiPool pool = each.pool();
            List<VmId> again = new ArrayList<>();
            for (VmId id : each.vms()) {
                boolean touched = Boolean.TRUE.equals(open.remove(id));
                String reason = each.refused().get(id);
                if (reason != null) {
                    refusals.refuse("VM " + id, pool, "VM " + id, reason);
                    ClusterId home = vms.decide(id, manager -> manager.definition().cluster());
                    if (home != null && home.equals(pool.cluster())) {
                        boolean _ = vms.forget(id);
                    }
                }
                if (touched) {
                    again.add(id);
                }
            }
            pool.dismiss(each.refused().keySet());
            if (!again.isEmpty()) {
                pool.touchAgain(again);
                pool.reconsider(); // it may be another pool than the one that is kept now
            }
        }
    }

    private static List<StoredVm> rows(List<PoolVm> fresh) {
        return fresh.stream()
                .map(PoolVmKeeping::stored)
                .sorted(Comparator.comparing(StoredVm::id))
                .toList();
    }

    private void remove(XapiPool pool, VmId id) throws StoreUnavailable {
        boolean _ = definitions.remove(id);
        boolean _ = vms.forget(id);
        log.info("pool={} vm={} removed", pool.name(), id);
    }

    /** Adds VMs that the database refused before: they become known only when it takes them. */
    private void add(XapiPool pool, List<PoolVm> fresh) throws StoreUnavailable {
        List<StoredVm> rows = rows(fresh);
        Map<String, String> reasons = new HashMap<>();
        try {
            reasons.putAll(rejections(rows));
        } catch (RuntimeException e) { // one row must not cost the others
            for (StoredVm row : rows) {
                try {
                    reasons.putAll(rejections(List.of(row)));
                } catch (RuntimeException again) {
                    log.error("pool={} vm={} cannot be written", pool.name(), row.id(), again);
                    reasons.put(row.id().toString(), again.toString());
                }
            }
        }
        List<VmId> added = new ArrayList<>();
        for (StoredVm row : rows) {
            String reason = reasons.get(row.id().toString());
            if (reason == null) {
                refusals.clear("VM " + row.id());
                vms.added(row);
                added.add(row.id());
            } else {
                refusals.refuse("VM " + row.id(), pool, "VM " + row.id(), reason);
            }
        }
        pool.admit(added);
    }

    /** Writes VMs; why the database refuses some, by identity. */
    private Map<String, String> rejections(List<StoredVm> rows) throws StoreUnavailable {
        return switch (store.add(rows)) {
            case WriteOutcome.Unavailable(String reason) ->
                    throw new StoreUnavailable(reason, new IllegalStateException(reason));
            case WriteOutcome.Written written ->
                    written.rejected().stream()
                            .collect(
                                    Collectors.toMap(
                                            WriteOutcome.Rejected::key,
                                            WriteOutcome.Rejected::reason));
        };
    }

    /** A VM as it is known at first. */
    private static StoredVm stored(PoolVm vm) {
        VmRuntime runtime = vm.firstRuntime();
        HostId host = vm.host();
        if (host == null) {
            VmStatus rests = vm.status() == VmStatus.SUSPENDED ? VmStatus.SUSPENDED : VmStatus.DOWN;
            return new StoredVm(
                    vm.id(),
                    vm.definition(),
                    runtime.with(RuntimeField.STATUS, rests),
                    VmPlacement.NOWHERE);
        }
        return new StoredVm(
                vm.id(),
                vm.definition(),
                runtime.with(
                        RuntimeField.GUEST_IPS,
                        GuestAddresses.of(runtime.guestNics(), vm.definition())),
                VmPlacement.on(host).withLastStart(vm.startedAt()));
    }

    private void keepVm(XapiPool pool, Set<HostId> hosts, PoolVm vm) throws StoreUnavailable {
        VmStatic before = vms.decide(vm.id(), VmManager::definition);
        if (before != null && !same(before, vm.definition())) {
            try {
                boolean _ =
                        definitions.update(
                                vm.id(),
                                new DefinitionStore.Definition(
                                        vm.definition(), null, 0, null, null));
                boolean _ = vms.redefine(vm.id(), vm.definition());
                refusals.clear("VM " + vm.id());
            } catch (IllegalArgumentException e) { // something of it is another VM's, for instance
                refusals.refuse(
                        "VM " + vm.id(),
                        pool,
                        "the definition of VM " + vm.id(),
                        String.valueOf(e.getMessage()));
            }
        }
        List<HostId> elsewhere = vms.decide(vm.id(), manager -> settle(hosts, vm, manager));
        if (elsewhere != null) {
            elsewhere.forEach(host -> pool.believedOn(host, vm.id()));
        }
    }

    private static boolean same(VmStatic one, VmStatic other) {
        return sorted(one).equals(sorted(other));
    }

    private static VmStatic sorted(VmStatic vm) {
        return vm.withNics(vm.nics().stream().sorted(Comparator.comparing(VmNic::id)).toList());
    }

    /**
     * Sets, under the VM's lock, the states that no host reports.
     *
     * @param hosts of the pool
     * @return the host of the pool on which the engine has the VM although it is not there; none if
     *     there is no such host
     */
    private List<HostId> settle(Set<HostId> hosts, PoolVm vm, VmManager manager) {
        VmState state = manager.state();
        HostId believed = state.placement().runOn();
        if (believed != null && hosts.contains(believed)) {
            return believed.equals(vm.host()) ? List.of() : List.of(believed);
        }
        VmStatus status = state.runtime().status();
        boolean resting = vm.host() == null && vm.status().isNotRunning() && !manager.isHeld();
        if (resting && (believed != null || status != vm.status())) {
            vms.change(
                    manager,
                    state.runtime().with(RuntimeField.STATUS, vm.status()),
                    state.placement().withRunOn(null).withMigratingTo(null),
                    manager.commands(clock.nanoTime()));
        }
        return List.of();
    }
}
