package org.stillwater.server.xapi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.GuestAddresses;
import org.stillwater.core.model.Cluster;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.DataCentreId;
import org.stillwater.core.model.FencingPolicy;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostRequirements;
import org.stillwater.core.model.Hypervisor;
import org.stillwater.core.model.MemoryThresholds;
import org.stillwater.core.model.MigrateOnError;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmNic;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.DefinitionStore;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.StoredVm;
import org.stillwater.core.port.VmStore;
import org.stillwater.core.port.WriteOutcome;
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
 * with their definitions, and the states of VMs that no host can tell. Doing it again changes
 * nothing. One thread at a time; blocks while the database is written.
 */
public final class PoolKeeping {

    private static final Logger log = LoggerFactory.getLogger(PoolKeeping.class);

    /** VMs that are added with one statement. */
    private static final int CHUNK = 500;

    private final FleetReader fleet;
    private final HostAdministration administration;
    private final VmCommandAccess vms;
    private final VmStore store;
    private final DefinitionStore definitions;
    private final EngineClock clock;
    private final HostEnablement enablement;

    /** What could not be taken over, by pool and object, each as a sentence. */
    private final Map<String, String> refused = new ConcurrentHashMap<>();

    /** For pools whose cluster, hosts and VMs this engine is to know. */
    public PoolKeeping(
            FleetReader fleet,
            HostAdministration administration,
            VmCommandAccess vms,
            VmStore store,
            DefinitionStore definitions,
            EngineClock clock) {
        this.fleet = fleet;
        this.administration = administration;
        this.vms = vms;
        this.store = store;
        this.definitions = definitions;
        this.clock = clock;
        this.enablement = new HostEnablement(fleet, administration);
    }

    /** What of pools could not be taken over, each as a sentence. Any thread. */
    List<String> refused() {
        return refused.values().stream().sorted().toList();
    }

    /**
     * Takes over what changed.
     *
     * @throws StoreUnavailable if the database cannot be written now; nothing is lost then
     */
    public void keep(XapiPool pool) throws StoreUnavailable {
        ClusterId cluster = pool.cluster();
        if (cluster == null) {
            return;
        }
        Set<VmId> touched = new HashSet<>(pool.takeTouched());
        boolean done = false;
        try {
            keepCluster(pool, cluster);
            for (PoolHost host : pool.hosts()) {
                keepHost(pool, cluster, host);
                enablement.follow(pool, host);
            }
            if (!pool.isReady()) {
                fleet.vms()
                        .filter(vm -> vm.definition().cluster().equals(cluster))
                        .forEach(vm -> touched.add(vm.id()));
            }
            keepVms(pool, cluster, touched);
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

    private void keepHost(XapiPool pool, ClusterId cluster, PoolHost host) throws StoreUnavailable {
        String key = "host " + host.id();
        if (host.address().isBlank()) {
            return; // it is being added to the pool
        }
        try {
            HostView known = fleet.host(host.id());
            if (known == null) {
                addHost(pool, cluster, host);
            } else {
                HostDefinition before = known.state().definition();
                if (!before.address().equals(host.address())
                        || before.port() != pool.port()
                        || !before.cluster().equals(cluster)) {
                    String refusal =
                            administration.updateHost(
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
            }
            refused.remove(key);
        } catch (IllegalArgumentException e) { // its address is another host's, for instance
            refuse(key, pool, "host " + host.name(), String.valueOf(e.getMessage()));
        }
    }

    private void addHost(XapiPool pool, ClusterId cluster, PoolHost host) throws StoreUnavailable {
        for (String name :
                List.of(host.name(), host.name() + " of " + pool.name(), host.id().toString())) {
            if (fleet.hostNamed(shortened(name)) == null
                    && administration.addHost(
                            new HostDefinition(
                                    host.id(),
                                    shortened(name),
                                    host.address(),
                                    pool.port(),
                                    cluster))) {
                return;
            }
        }
        throw new IllegalArgumentException("its names are taken");
    }

    private void refuse(String key, XapiPool pool, String what, String reason) {
        String sentence =
                "%s of pool %s is not taken over: %s".formatted(what, pool.name(), reason);
        if (!sentence.equals(refused.put(key, sentence))) {
            log.warn(sentence);
        }
    }

    private void keepVms(XapiPool pool, ClusterId cluster, Collection<VmId> touched)
            throws StoreUnavailable {
        List<PoolVm> unknown = new ArrayList<>();
        List<VmId> known = new ArrayList<>();
        for (VmId id : touched) {
            PoolVm vm = pool.vm(id);
            ClusterId home = vms.decide(id, manager -> manager.definition().cluster());
            if (vm == null) {
                refused.remove("VM " + id);
                if (cluster.equals(home)) {
                    remove(pool, id);
                }
            } else if (home == null) {
                unknown.add(vm);
            } else if (home.equals(cluster)) {
                keepVm(pool, vm);
                known.add(id);
            } else {
                refuse("VM " + id, pool, "VM " + id, "another cluster has a VM of its identity");
            }
        }
        pool.admit(known);
        for (int from = 0; from < unknown.size(); from += CHUNK) {
            add(pool, unknown.subList(from, Math.min(unknown.size(), from + CHUNK)));
        }
    }

    private void remove(XapiPool pool, VmId id) throws StoreUnavailable {
        boolean _ = definitions.remove(id);
        boolean _ = vms.forget(id);
        log.info("pool={} vm={} removed", pool.name(), id);
    }

    private void add(XapiPool pool, List<PoolVm> fresh) throws StoreUnavailable {
        List<StoredVm> rows =
                fresh.stream()
                        .map(PoolKeeping::stored)
                        .sorted(Comparator.comparing(StoredVm::id))
                        .toList();
        Set<String> rejected;
        switch (store.add(rows)) {
            case WriteOutcome.Unavailable(String reason) ->
                    throw new StoreUnavailable(reason, new IllegalStateException(reason));
            case WriteOutcome.Written written -> {
                written.rejected()
                        .forEach(row ->
                                refuse("VM " + row.key(), pool, "VM " + row.key(), row.reason()));
                rejected =
                        written.rejected().stream()
                                .map(WriteOutcome.Rejected::key)
                                .collect(Collectors.toSet());
            }
        }
        List<VmId> added = new ArrayList<>();
        for (StoredVm row : rows) {
            if (!rejected.contains(row.id().toString())) {
                vms.added(row);
                added.add(row.id());
            }
        }
        pool.admit(added);
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

    private void keepVm(XapiPool pool, PoolVm vm) throws StoreUnavailable {
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
        List<HostId> elsewhere = vms.decide(vm.id(), manager -> settle(pool, vm, manager));
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
     * Under the VM's lock: what no host tells is set here.
     *
     * @return the host of the pool on which the engine believes the VM although it is not there;
     *     none if there is no such host
     */
    private List<HostId> settle(XapiPool pool, PoolVm vm, VmManager manager) {
        VmState state = manager.state();
        HostId believed = state.placement().runOn();
        if (believed != null) {
            boolean ofPool = pool.hosts().stream().anyMatch(host -> host.id().equals(believed));
            if (ofPool) {
                return believed.equals(vm.host()) ? List.of() : List.of(believed);
            }
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
