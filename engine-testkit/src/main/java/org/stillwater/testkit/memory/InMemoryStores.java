package org.stillwater.testkit.memory;

import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.Stores;

/** The stores of an engine, all in memory, for tests that look into a few of them. */
public final class InMemoryStores {

    private InMemoryStores() {}

    /** Stores with the predefined cluster and without tags. */
    public static Stores of(InMemoryHostStore hosts, InMemoryVmStore vms) {
        return of(hosts, vms, new InMemoryClusterStore(hosts::refersTo));
    }

    /** Stores with these clusters and without tags. */
    public static Stores of(InMemoryHostStore hosts, InMemoryVmStore vms, ClusterStore clusters) {
        return new Stores(
                hosts,
                vms,
                new InMemoryDeviceStore(vms),
                new InMemoryExternalDataStore(vms),
                new InMemoryAuditStore(),
                new InMemoryJobStore(_ -> null),
                new InMemoryLunStore(),
                new InMemoryNumaStore(),
                new InMemoryStatisticsStore(),
                clusters,
                new InMemoryHistoryStore());
    }
}
