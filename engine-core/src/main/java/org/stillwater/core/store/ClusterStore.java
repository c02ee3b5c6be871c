package org.stillwater.core.store;

import java.util.List;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.id.ClusterId;

/** Durable clusters and data centres. Thread-safe. */
public interface ClusterStore {

    /**
     * Every data centre, by id; there is at least {@link DataCentre#DEFAULT}'s.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<DataCentre> loadDataCentres() throws StoreUnavailable;

    /**
     * Every cluster, by id; there is at least {@link Cluster#DEFAULT}'s.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<Cluster> loadClusters() throws StoreUnavailable;

    /**
     * Adds a data centre.
     *
     * @return {@link Saved#TAKEN}, changing nothing, if its id or name is taken
     * @throws StoreUnavailable if the database cannot be written now
     */
    Saved add(DataCentre dataCentre) throws StoreUnavailable;

    /**
     * Replaces a saved data centre.
     *
     * @return the outcome
     * @throws StoreUnavailable if the database cannot be written now
     */
    Saved update(DataCentre dataCentre) throws StoreUnavailable;

    /**
     * Adds a cluster.
     *
     * @return {@link Saved#TAKEN} if its id or name is taken, {@link Saved#UNKNOWN} if there is no
     *     such data centre; then nothing is changed
     * @throws StoreUnavailable if the database cannot be written now
     */
    Saved add(Cluster cluster) throws StoreUnavailable;

    /**
     * Replaces a saved cluster.
     *
     * @return {@link Saved#UNKNOWN} if there is no such cluster, or no such data centre
     * @throws StoreUnavailable if the database cannot be written now
     */
    Saved update(Cluster cluster) throws StoreUnavailable;

    /**
     * Removes a cluster to which nothing belongs.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    Removal remove(ClusterId cluster) throws StoreUnavailable;

    /** Outcome of a cluster's removal. */
    enum Removal {
        /** It is gone. */
        REMOVED,
        /** Hosts or VMs belong to it; nothing changed. */
        IN_USE,
        /** There is no such cluster. */
        UNKNOWN
    }

    /** Saves which machine types clusters use, where they differ. */
    WriteOutcome chooseMachines(List<ChosenMachine> chosen);

    /** Outcome of a save. */
    enum Saved {
        /** It is saved. */
        SAVED,
        /** Another one has its name, or its id. */
        TAKEN,
        /** It is not there, or belongs to something that does not exist. */
        UNKNOWN
    }

    /**
     * The machine type that a cluster's VMs use.
     *
     * @param cluster the cluster
     * @param machine the machine type
     */
    record ChosenMachine(ClusterId cluster, String machine) {}
}
