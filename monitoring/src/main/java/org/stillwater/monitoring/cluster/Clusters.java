package org.stillwater.monitoring.cluster;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.host.ClusterFitness;
import org.stillwater.core.analysis.host.ClusterPeers;
import org.stillwater.core.analysis.host.RequiredInterfaces;
import org.stillwater.core.analysis.host.SystemMajor;
import org.stillwater.core.analysis.host.Unfitness;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.ClusterStore.ChosenMachine;
import org.stillwater.core.store.ClusterStore.Removal;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostRules;
import org.stillwater.monitoring.lock.KeyedLocks;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.PendingRows;

/**
 * Every cluster and data centre, and the cluster of each host. Complete: it holds all rows of the
 * database and reads none after the start.
 *
 * <p>Thread-safe. Readers and the rules for hosts never lock and never wait for the database; a
 * cluster is one immutable value behind one reference, so a reader sees all of a change or none of
 * it. VMs hold no copy of it: each use looks the VM's cluster up, and a change is in force for all
 * its VMs at once.
 */
public final class Clusters implements HostRules {

    /** Time for which a change of a cluster waits for another change of it. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ClusterStore store;
    private final ClusterSettings settings;
    private final Function<HostId, @Nullable HostState> states;
    private final Consumer<ClusterId> changed;
    private final PendingRows<ClusterId, ChosenMachine> machines;
    private final KeyedLocks locks = new KeyedLocks("changes of clusters");
    private final Set<Object> adding = Collections.newSetFromMap(new IdentityHashMap<>());
    private final AtomicLong changes = new AtomicLong();
    private final Map<DataCentreId, DataCentre> dataCentres = new ConcurrentHashMap<>();
    private final Map<ClusterId, Cluster> clusters = new ConcurrentHashMap<>();
    private final Map<HostId, ClusterId> homes = new ConcurrentHashMap<>();
    private final Map<ClusterId, Set<HostId>> members = new ConcurrentHashMap<>();

    /**
     * Starts with the predefined cluster and data centre only.
     *
     * @param writer the writer that saves chosen machine types on its thread
     * @param states returns the state of a host; must not block
     * @param changed called with each changed cluster when the change is in force; must not block
     */
    public Clusters(
            ClusterSettings settings,
            ClusterStore store,
            BatchWriter writer,
            Function<HostId, @Nullable HostState> states,
            Consumer<ClusterId> changed) {
        this.settings = settings;
        this.store = store;
        this.states = states;
        this.changed = changed;
        this.machines = new PendingRows<>(writer, store::chooseMachines);
        dataCentres.put(DataCentreId.DEFAULT, DataCentre.DEFAULT);
        clusters.put(ClusterId.DEFAULT, Cluster.DEFAULT);
    }

    /**
     * Loads the database's rows. A cluster that the store cannot read does not exist here, not even
     * the predefined one.
     *
     * @throws StoreUnavailable if it cannot be read now
     */
    public void recover() throws StoreUnavailable {
        store.loadDataCentres().forEach(each -> dataCentres.put(each.id(), each));
        Map<ClusterId, Cluster> loaded = new HashMap<>();
        store.loadClusters().forEach(each -> loaded.put(each.id(), each));
        clusters.putAll(loaded);
        clusters.keySet().retainAll(loaded.keySet());
    }

    // Reading

    /** Grows whenever a cluster or data centre is added, changed or removed. */
    public long changes() {
        return changes.get();
    }

    /** Every data centre, by name. */
    public List<DataCentre> dataCentres() {
        return dataCentres.values().stream()
                .sorted(Comparator.comparing(DataCentre::name))
                .toList();
    }

    /** The data centre with this identity, or null. */
    public @Nullable DataCentre dataCentre(DataCentreId id) {
        return dataCentres.get(id);
    }

    /** Every cluster, by name. */
    public List<Cluster> clusters() {
        return clusters.values().stream().sorted(Comparator.comparing(Cluster::name)).toList();
    }

    /** The cluster with this identity, or null. */
    public @Nullable Cluster cluster(ClusterId id) {
        return clusters.get(id);
    }

    /**
     * Whether two clusters belong to one data centre, in which names and addresses of VMs are
     * unique. An unknown cluster counts as one of the same data centre.
     */
    public boolean areOfOneDataCentre(ClusterId one, ClusterId other) {
        Cluster first = cluster(one);
        Cluster second = cluster(other);
        return one.equals(other)
                || first == null
                || second == null
                || first.dataCentre().equals(second.dataCentre());
    }

    /** The cluster of a host; the one that takes every host if the host is not known. */
    public Cluster of(HostId host) {
        return clusters.getOrDefault(homes.getOrDefault(host, ClusterId.DEFAULT), Cluster.DEFAULT);
    }

    /** Hosts of a cluster, in the order of their identities. */
    public List<HostId> hosts(ClusterId cluster) {
        return members.getOrDefault(cluster, Set.of()).stream().sorted().toList();
    }

    /**
     * Share of a cluster's watched hosts that are silent, in percent, rounded down; 0 if none is
     * watched.
     */
    public int silentPercent(ClusterId cluster) {
        int watched = 0;
        int silent = 0;
        for (HostId host : members.getOrDefault(cluster, Set.of())) {
            HostState state = states.apply(host);
            if (state != null && state.status().isRefreshed()) {
                watched++;
                silent += state.status().isSilent() ? 1 : 0;
            }
        }
        return watched == 0 ? 0 : 100 * silent / watched;
    }

    // Hosts

    /** A host belongs to its cluster from now on, and to no other. */
    public void joined(HostDefinition host) {
        ClusterId before = homes.put(host.id(), host.cluster());
        if (before != null && !before.equals(host.cluster())) {
            members.getOrDefault(before, Set.of()).remove(host.id());
        }
        members.computeIfAbsent(host.cluster(), _ -> ConcurrentHashMap.newKeySet()).add(host.id());
    }

    /** A host was removed. */
    public void left(HostId host) {
        ClusterId before = homes.remove(host);
        if (before != null) {
            members.getOrDefault(before, Set.of()).remove(host);
        }
    }

    // Changing

    /**
     * Adds a data centre.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public Saving add(DataCentre added) throws StoreUnavailable {
        return adding(dataCentres, added.id(), () -> taken(added, Saving.of(store.add(added))));
    }

    /**
     * Changes a data centre.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public Saving update(DataCentre next) throws StoreUnavailable {
        return alone(next.id(), () -> taken(next, Saving.of(store.update(next))));
    }

    private Saving taken(DataCentre dataCentre, Saving saving) {
        if (saving == Saving.SAVED) {
            dataCentres.put(dataCentre.id(), dataCentre);
            changes.incrementAndGet();
        }
        return saving;
    }

    /**
     * Adds a cluster.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public Saving add(Cluster added) throws StoreUnavailable {
        return adding(
                clusters,
                added.id(),
                () -> {
                    Saving saving = Saving.of(store.add(added));
                    if (saving == Saving.SAVED) {
                        clusters.put(added.id(), added);
                        changes.incrementAndGet();
                    }
                    return saving;
                });
    }

    /**
     * Changes a cluster, except for the software that manages its hosts. Afterwards the engine
     * checks whether they still fit it.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public Saving update(Cluster given) throws StoreUnavailable {
        return alone(
                given.id(),
                () -> {
                    Cluster present = clusters.get(given.id());
                    Cluster next = present == null ? given : given.managedBy(present.hypervisor());
                    Saving saving = Saving.of(store.update(next));
                    if (saving == Saving.SAVED) {
                        machines.forget(next.id());
                        clusters.put(next.id(), next);
                        changes.incrementAndGet();
                        changed.accept(next.id());
                    }
                    return saving;
                });
    }

    /**
     * Removes an empty cluster.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public Removal remove(ClusterId id) throws StoreUnavailable {
        return alone(
                id,
                () -> {
                    Removal removal = store.remove(id);
                    if (removal == Removal.REMOVED) {
                        machines.forget(id);
                        clusters.remove(id);
                        members.remove(id);
                        changes.incrementAndGet();
                    }
                    return removal;
                });
    }

    /** A change that waits for the database. */
    @FunctionalInterface
    private interface Change<T> {
        T make() throws StoreUnavailable;
    }

    /** Adds an existing one, unless there are enough, those on their way included. */
    private Saving adding(Map<?, ?> present, Object id, Change<Saving> change)
            throws StoreUnavailable {
        synchronized (adding) {
            if (present.size() + adding.size() >= settings.most()) {
                return Saving.TOO_MANY;
            }
            adding.add(change);
        }
        try {
            return alone(id, change);
        } finally {
            synchronized (adding) {
                adding.remove(change);
            }
        }
    }

    /** One change of a subject at a time; a slow one keeps no other subject from being changed. */
    private <T> T alone(Object id, Change<T> change) throws StoreUnavailable {
        try (KeyedLocks.Held _ = locks.alone(id, PATIENCE)) {
            return change.make();
        } catch (KeyedLocks.Busy e) {
            throw new StoreUnavailable(String.valueOf(e.getMessage()), e);
        }
    }

    // Rules

    @Override
    public @Nullable Unfitness unfitness(HostId host, HostCapabilities capabilities) {
        Cluster cluster = of(host);
        Unfitness unfitness = ClusterFitness.check(capabilities, cluster, peers(host, cluster));
        if (unfitness == null) {
            chooseMachine(capabilities, cluster);
        }
        return unfitness;
    }

    private ClusterPeers peers(HostId host, Cluster cluster) {
        Set<SystemMajor> systems = new HashSet<>();
        if (cluster.requirements().uniformSystem()) {
            for (HostId other : members.getOrDefault(cluster.id(), Set.of())) {
                HostState state = other.equals(host) ? null : states.apply(other);
                if (state != null && state.status() == HostStatus.UP) {
                    addSystem(systems, state.capabilities());
                }
            }
        }
        return new ClusterPeers(settings.engineVersion(), systems);
    }

    private static void addSystem(Set<SystemMajor> systems, @Nullable HostCapabilities told) {
        SystemMajor system = told == null ? null : ClusterFitness.systemOf(told);
        if (system != null) {
            systems.add(system);
        }
    }

    /** The first host that fits determines the machine type of the cluster's VMs. */
    private void chooseMachine(HostCapabilities capabilities, Cluster cluster) {
        String machine = ClusterFitness.machineToUse(capabilities, cluster);
        if (machine == null) {
            return;
        }
        Cluster next = cluster.with(cluster.requirements().withEmulatedMachine(machine));
        if (clusters.replace(cluster.id(), cluster, next)) {
            changes.incrementAndGet();
            machines.put(cluster.id(), new ChosenMachine(cluster.id(), machine));
            changed.accept(cluster.id());
        }
    }

    @Override
    public Set<String> requiredInterfacesDown(
            HostId host, @Nullable HostCapabilities capabilities, HostStatistics statistics) {
        return capabilities == null
                ? Set.of()
                : RequiredInterfaces.down(capabilities, statistics, of(host));
    }

    @Override
    public FencingPolicy fencing(HostId host) {
        return of(host).fencing();
    }

    @Override
    public int silentPercent(HostId host) {
        return silentPercent(of(host).id());
    }

    @Override
    public MigrateOnError migrateOnError(HostId host) {
        return of(host).migrateOnError();
    }

    @Override
    public MemoryThresholds memory(HostId host) {
        return of(host).memory();
    }
}
