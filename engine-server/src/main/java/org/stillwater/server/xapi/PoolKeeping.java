package org.stillwater.server.xapi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.GuestAddresses;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.cluster.Saving;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.xapi.host.PoolHost;
import org.stillwater.xapi.host.PoolVm;
import org.stillwater.xapi.host.XapiPool;

/**
 * Makes the engine's inventory that of a pool: its cluster, its hosts with their service, its VMs
 * with their definitions, and the states of VMs without a reporting host. Doing it again changes
 * nothing. One thread at a time; blocks while the database is written.
 *
 * <p>A pool that is read for the first time costs one transaction for its cluster and one for its
 * hosts. Its VMs become known in pieces without any wait for the database: the pool keeps the truth
 * about them, so a row that is lost with this process is made again. The rows follow by the writer.
 * A VM that the database refuses is forgotten again and named; from then on it becomes known only
 * after its row.
 *
 * <p>It is long because clusters, hosts and VMs of a pool are kept in one order, each step with the
 * outcome of the one before.
 */
public final class PoolKeeping {

    private static final Logger log = LoggerFactory.getLogger(PoolKeeping.class);

    /** VMs that become known in one piece, and are written with one statement for each table. */
    static final int CHUNK = 1_000;

    /** Names that are tried for a host: its own, the same with the pool's, and its identity. */
    private static final int NAMES = 3;

    /** Prefix of the keys of refused hosts. */
    private static final String HOST = "host ";

    private final FleetReader fleet;
    private final HostAdministration administration;
    private final VmCommandAccess vms;
    private final VmStore store;
    private final DefinitionStore definitions;
    private final EngineClock clock;
    private final HostEnablement enablement;
    private final PoolTags tags;

    /** Objects that could not be taken over. */
    private final Map<String, Refusal> refused = new ConcurrentHashMap<>();

    /**
     * Known VMs with rows that wait to be written, and whether to check them again afterwards. Used
     * by the thread that keeps pools.
     */
    private final Map<VmId, Boolean> open = new HashMap<>();

    /**
     * VMs that are left out because their host is, by pool. Used by the thread that keeps pools.
     */
    private final Map<XapiPool, Set<VmId>> hostless = new HashMap<>();

    /** Results of waiting rows; the writer's thread adds them. */
    private final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();

    private record Refusal(String pool, String sentence) {}

    private record Outcome(XapiPool pool, List<VmId> vms, Map<VmId, String> refused) {}

    /**
     * Keeps pools' clusters, hosts and VMs in this engine.
     *
     * @param mostTags different tags of one pool that are shown; 0 for none
     */
    public PoolKeeping(
            FleetReader fleet,
            HostAdministration administration,
            VmCommandAccess vms,
            VmStore store,
            DefinitionStore definitions,
            EngineClock clock,
            int mostTags) {
        this.fleet = fleet;
        this.administration = administration;
        this.vms = vms;
        this.store = store;
        this.definitions = definitions;
        this.clock = clock;
        this.enablement = new HostEnablement(fleet, administration);
        this.tags = new PoolTags(fleet, mostTags);
    }

    /** Objects of pools that could not be taken over, each as a sentence. Any thread. */
    public List<String> refused() {
        return Stream.concat(
                        refused.values().stream().map(Refusal::sentence), tags.leftOut().stream())
                .sorted()
                .toList();
    }

    /**
     * Takes over the pool's changes.
     *
     * @throws StoreUnavailable if the database cannot be written now; nothing is lost then
     */
    public void keep(XapiPool pool) throws StoreUnavailable {
        ClusterId cluster = pool.cluster();
        if (cluster == null) {
            return;
        }
        takeOutcomes();
        Set<VmId> touched = new HashSet<>(pool.takeTouched());
        touched.addAll(hostless.getOrDefault(pool, Set.of()));
        boolean done = false;
        try {
            keepCluster(pool, cluster);
            keepHosts(pool, cluster);
            for (PoolHost host : pool.hosts()) {
                enablement.follow(pool, host);
            }
            if (!pool.isReady()) {
                fleet.vms()
                        .filter(vm -> vm.definition().cluster().equals(cluster))
                        .forEach(vm -> touched.add(vm.id()));
            }
            keepVms(pool, cluster, touched);
            tags.keep(pool, cluster, touched);
            done = true;
        } finally {
            if (!done) {
                pool.touchAgain(touched);
            }
        }
        pool.ready();
    }

    /** A VM moves in its pool: the engine expects it on the other host. */
    public void moving(VmId vm, HostId from, HostId to) {
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

    private void keepCluster(XapiPool pool, ClusterId id) throws StoreUnavailable {
        if (fleet.cluster(id) != null) {
            return;
        }
        for (String name : List.of(pool.name(), pool.name() + " " + id)) {
            Saving saving =
                    administration.addCluster(
                            new Cluster(
                                    id,
                                    DataCentreId.DEFAULT,
                                    shortened(name),
                                    pool.label(),
                                    HostRequirements.NONE,
                                    MigrateOnError.NONE,
                                    new FencingPolicy(false, null, false),
                                    MemoryThresholds.DEFAULT,
                                    Hypervisor.XAPI));
            if (saving == Saving.SAVED) {
                log.info("pool={} is the cluster {}", pool.name(), id);
                return;
            }
            if (saving != Saving.NAME_TAKEN) {
                throw new IllegalStateException(
                        "the cluster of pool " + pool.name() + " is not added: " + saving);
            }
        }
        throw new IllegalStateException("the names of pool " + pool.name() + " are taken");
    }

    private static String shortened(String name) {
        return name.length() > 255 ? name.substring(0, 255) : name;
    }

    private void keepHosts(XapiPool pool, ClusterId cluster) throws StoreUnavailable {
        List<PoolHost> fresh = new ArrayList<>();
        Set<String> present = new HashSet<>();
        for (PoolHost host : pool.hosts()) {
            present.add(HOST + host.id());
            if (host.address().isBlank()) {
                continue; // it is being added to the pool
            }
            HostView known = fleet.host(host.id());
            if (known == null) {
                fresh.add(host);
            } else {
                keepHost(pool, cluster, host, known.state().definition());
            }
        }
        addHosts(pool, cluster, fresh);
        refused.entrySet()
                .removeIf(each ->
                        each.getKey().startsWith(HOST)
                                && each.getValue().pool().equals(pool.name())
                                && !present.contains(each.getKey()));
    }

    private void keepHost(XapiPool pool, ClusterId cluster, PoolHost host, HostDefinition before)
            throws StoreUnavailable {
        String key = HOST + host.id();
        try {
            if (!before.address().equals(host.address())
                    || before.port() != pool.port()
                    || !before.cluster().equals(cluster)) {
                String refusal =
                        administration.updateHostOfPool(
                                new HostDefinition(
                                        before.id(),
                                        before.name(),
                                        host.address(),
                                        pool.port(),
                                        cluster,
                                        before.traits()));
                if (refusal != null) {
                    throw new IllegalArgumentException(refusal);
                }
            }
            refused.remove(key);
        } catch (IllegalArgumentException e) { // its address is another host's, for instance
            refuse(key, pool, "host " + host.name(), String.valueOf(e.getMessage()));
        }
    }

    /** Adds all of them in one transaction, and each VM with a taken name in a separate one. */
    private void addHosts(XapiPool pool, ClusterId cluster, List<PoolHost> fresh)
            throws StoreUnavailable {
        List<PoolHost> left = fresh;
        for (int attempt = 0; attempt < NAMES && !left.isEmpty(); attempt++) {
            Map<HostId, HostDefinition> wanted = new LinkedHashMap<>();
            Map<HostId, String> reasons = new HashMap<>();
            Set<String> names = new HashSet<>();
            for (PoolHost host : left) {
                String name = shortened(name(pool, host, attempt));
                if (fleet.hostNamed(name) != null || !names.add(name)) {
                    continue;
                }
                try {
                    wanted.put(
                            host.id(),
                            new HostDefinition(
                                    host.id(), name, host.address(), pool.port(), cluster));
                } catch (IllegalArgumentException e) { // its address is too long, for instance
                    reasons.put(host.id(), String.valueOf(e.getMessage()));
                }
            }
            Set<HostId> added = Set.of();
            if (!wanted.isEmpty()) {
                HostStore.Additions outcome =
                        administration.addHosts(cluster, List.copyOf(wanted.values()));
                added = outcome.added();
                reasons.putAll(outcome.refused());
            }
            List<PoolHost> next = new ArrayList<>();
            for (PoolHost host : left) {
                String reason = reasons.get(host.id());
                if (added.contains(host.id())) {
                    refused.remove(HOST + host.id());
                } else if (reason != null) {
                    refuse(HOST + host.id(), pool, "host " + host.name(), reason);
                } else {
                    next.add(host);
                }
            }
            left = next;
        }
        left.forEach(host ->
                refuse(HOST + host.id(), pool, "host " + host.name(), "its names are taken"));
    }

    private static String name(XapiPool pool, PoolHost host, int attempt) {
        return switch (attempt) {
            case 0 -> host.name();
            case 1 -> host.name() + " of " + pool.name();
            default -> host.id().toString();
        };
    }

    private void refuse(String key, XapiPool pool, String what, String reason) {
        String sentence =
                "%s of pool %s is not taken over: %s".formatted(what, pool.name(), reason);
        Refusal refusal = new Refusal(pool.name(), sentence);
        if (!refusal.equals(refused.put(key, refusal))) {
            log.warn(sentence);
        }
    }

    private void keepVms(XapiPool pool, ClusterId cluster, Collection<VmId> touched)
            throws StoreUnavailable {
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
                refused.remove("VM " + id);
                if (cluster.equals(home)) {
                    gone.add(id);
                }
            } else if (home == null && vm.host() != null && vms.host(vm.host()) == null) {
                // Its row would refer to a row that does not exist.
                refuse("VM " + id, pool, "VM " + id, "its host is not taken over");
                without.add(id);
            } else if (home == null && waited.contains(id)) {
                refused.remove("VM " + id);
                unknown.add(vm);
            } else if (home == null) {
                (refused.containsKey("VM " + id) ? refusedBefore : unknown).add(vm);
            } else if (home.equals(cluster)) {
                known.add(vm);
            } else {
                refuse("VM " + id, pool, "VM " + id, "another cluster has a VM of its identity");
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
    private void takeOutcomes() {
        for (Outcome each = outcomes.poll(); each != null; each = outcomes.poll()) {
            XapiPool pool = each.pool();
            List<VmId> again = new ArrayList<>();
            for (VmId id : each.vms()) {
                boolean touched = Boolean.TRUE.equals(open.remove(id));
                String reason = each.refused().get(id);
                if (reason != null) {
                    refuse("VM " + id, pool, "VM " + id, reason);
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
                .map(PoolKeeping::stored)
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
            reasons.putAll(refusals(rows));
        } catch (RuntimeException e) { // one row must not cost the others
            for (StoredVm row : rows) {
                try {
                    reasons.putAll(refusals(List.of(row)));
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
                refused.remove("VM " + row.id());
                vms.added(row);
                added.add(row.id());
            } else {
                refuse("VM " + row.id(), pool, "VM " + row.id(), reason);
            }
        }
        pool.admit(added);
    }

    /** Writes VMs; why the database refuses some, by identity. */
    private Map<String, String> refusals(List<StoredVm> rows) throws StoreUnavailable {
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
                refused.remove("VM " + vm.id());
            } catch (IllegalArgumentException e) { // something of it is another VM's, for instance
                refuse(
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
