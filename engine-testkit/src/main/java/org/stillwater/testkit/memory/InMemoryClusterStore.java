package org.stillwater.testkit.memory;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/** Clusters and data centres in memory, with the semantics of the database. Thread-safe. */
public final class InMemoryClusterStore extends InMemoryStore implements ClusterStore {

    private final Map<DataCentreId, DataCentre> dataCentres = new TreeMap<>();
    private final Map<ClusterId, Cluster> clusters = new TreeMap<>();
    private final Predicate<ClusterId> inUse;

    /** A store with the predefined rows of every database; no host or VM belongs to them. */
    public InMemoryClusterStore() {
        this(_ -> false);
    }

    /**
     * A store with the predefined rows of every database.
     *
     * @param inUse whether hosts or VMs belong to a cluster
     */
    public InMemoryClusterStore(Predicate<ClusterId> inUse) {
        this.inUse = inUse;
        dataCentres.put(DataCentreId.DEFAULT, DataCentre.DEFAULT);
        clusters.put(ClusterId.DEFAULT, Cluster.DEFAULT);
    }

    /** Inserts a cluster without counting it. */
    public synchronized void put(Cluster cluster) {
        clusters.put(cluster.id(), cluster);
    }

    @Override
    public synchronized List<DataCentre> loadDataCentres() throws StoreUnavailable {
        reach();
        return List.copyOf(dataCentres.values());
    }

    @Override
    public synchronized List<Cluster> loadClusters() throws StoreUnavailable {
        reach();
        return List.copyOf(clusters.values());
    }

    @Override
    public synchronized Saved add(DataCentre added) throws StoreUnavailable {
        reach();
        return dataCentres.containsKey(added.id()) ? Saved.TAKEN : save(added);
    }

    @Override
    public synchronized Saved update(DataCentre changed) throws StoreUnavailable {
        reach();
        return dataCentres.containsKey(changed.id()) ? save(changed) : Saved.UNKNOWN;
    }

    private Saved save(DataCentre saved) {
        boolean taken =
                dataCentres.values().stream()
                        .anyMatch(other ->
                                other.name().equals(saved.name())
                                        && !other.id().equals(saved.id()));
        if (taken) {
            return Saved.TAKEN;
        }
        dataCentres.put(saved.id(), saved);
        touched(1);
        return Saved.SAVED;
    }

    @Override
    public synchronized Saved add(Cluster added) throws StoreUnavailable {
        reach();
        return clusters.containsKey(added.id()) ? Saved.TAKEN : save(added);
    }

    @Override
    public synchronized Saved update(Cluster changed) throws StoreUnavailable {
        reach();
        return clusters.containsKey(changed.id()) ? save(changed) : Saved.UNKNOWN;
    }

    private Saved save(Cluster saved) {
        boolean taken =
                clusters.values().stream()
                        .anyMatch(other ->
                                other.name().equals(saved.name())
                                        && !other.id().equals(saved.id()));
        if (taken) {
            return Saved.TAKEN;
        }
        if (!dataCentres.containsKey(saved.dataCentre())) {
            return Saved.UNKNOWN;
        }
        clusters.put(saved.id(), saved);
        touched(1);
        return Saved.SAVED;
    }

    @Override
    public synchronized Removal remove(ClusterId removed) throws StoreUnavailable {
        reach();
        if (inUse.test(removed)) {
            return Removal.IN_USE;
        }
        if (clusters.remove(removed) == null) {
            return Removal.UNKNOWN;
        }
        touched(1);
        return Removal.REMOVED;
    }

    @Override
    public synchronized WriteOutcome chooseMachines(List<ChosenMachine> chosen) {
        WriteOutcome refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int touched = 0;
        for (ChosenMachine choice : chosen) {
            Cluster stored = clusters.get(choice.cluster());
            if (stored != null
                    && !choice.machine().equals(stored.requirements().emulatedMachine())) {
                clusters.put(
                        stored.id(),
                        stored.with(stored.requirements().withEmulatedMachine(choice.machine())));
                touched++;
            }
        }
        return touched(touched);
    }
}
