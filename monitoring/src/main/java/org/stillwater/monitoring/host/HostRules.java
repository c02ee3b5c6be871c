package org.stillwater.monitoring.host;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.host.Unfitness;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;

/** Requirements and rules of a host's cluster. Thread-safe; answers from memory. */
public interface HostRules {

    /** Has no requirements: for an engine without clusters. */
    HostRules NONE =
            new HostRules() {
                @Override
                public @Nullable Unfitness unfitness(HostId host, HostCapabilities capabilities) {
                    return null;
                }

                @Override
                public Set<String> requiredInterfacesDown(
                        HostId host,
                        @Nullable HostCapabilities capabilities,
                        HostStatistics statistics) {
                    return Set.of();
                }

                @Override
                public FencingPolicy fencing(HostId host) {
                    return FencingPolicy.DEFAULT;
                }

                @Override
                public int silentPercent(HostId host) {
                    return 0;
                }

                @Override
                public MigrateOnError migrateOnError(HostId host) {
                    return MigrateOnError.ALL;
                }

                @Override
                public MemoryThresholds memory(HostId host) {
                    return MemoryThresholds.DEFAULT;
                }
            };

    /** Why a host with these capabilities may not run VMs of its cluster; null if it may. */
    @Nullable Unfitness unfitness(HostId host, HostCapabilities capabilities);

    /** Interfaces of the cluster's required, operational networks that are not up. */
    Set<String> requiredInterfacesDown(
            HostId host, @Nullable HostCapabilities capabilities, HostStatistics statistics);

    /** When hosts of the cluster may be fenced. */
    FencingPolicy fencing(HostId host);

    /** Share of the cluster's watched hosts that are silent, 0–100. */
    int silentPercent(HostId host);

    /** Which VMs leave a host of the cluster that becomes non-operational. */
    MigrateOnError migrateOnError(HostId host);

    /** When the memory of the cluster's hosts is scarce. */
    MemoryThresholds memory(HostId host);
}
