package org.stillwater.core.cluster;

import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.text.Labels;

/**
 * Hosts among which VMs may move, and the rules that hold for them.
 *
 * @param id identity
 * @param dataCentre where it is
 * @param name unique name, 1–255 characters
 * @param description free text, at most 4 000 characters; may be empty
 * @param requirements its requirements on its hosts
 * @param migrateOnError which VMs leave a host that becomes non-operational
 * @param fencing when its hosts may be fenced
 * @param memory when the memory of its hosts is scarce
 * @param hypervisor software that manages its hosts; it never changes
 */
public record Cluster(
        ClusterId id,
        DataCentreId dataCentre,
        String name,
        String description,
        HostRequirements requirements,
        MigrateOnError migrateOnError,
        FencingPolicy fencing,
        MemoryThresholds memory,
        Hypervisor hypervisor) {

    /** The one that every database has from the beginning: it takes every host. */
    public static final Cluster DEFAULT =
            new Cluster(
                    ClusterId.DEFAULT,
                    DataCentreId.DEFAULT,
                    "Default",
                    "",
                    HostRequirements.NONE,
                    MigrateOnError.ALL,
                    FencingPolicy.DEFAULT,
                    MemoryThresholds.DEFAULT);

    /** A cluster of hosts with agents of their own. */
    public Cluster(
            ClusterId id,
            DataCentreId dataCentre,
            String name,
            String description,
            HostRequirements requirements,
            MigrateOnError migrateOnError,
            FencingPolicy fencing,
            MemoryThresholds memory) {
        this(
                id,
                dataCentre,
                name,
                description,
                requirements,
                migrateOnError,
                fencing,
                memory,
                Hypervisor.VDSM);
    }

    public Cluster {
        Labels.check("cluster", name, description);
    }

    /** The same with other requirements. */
    public Cluster with(HostRequirements other) {
        return new Cluster(
                id,
                dataCentre,
                name,
                description,
                other,
                migrateOnError,
                fencing,
                memory,
                hypervisor);
    }

    /** The same with another hypervisor. */
    public Cluster managedBy(Hypervisor other) {
        return new Cluster(
                id,
                dataCentre,
                name,
                description,
                requirements,
                migrateOnError,
                fencing,
                memory,
                other);
    }
}
