package org.stillwater.core.analysis.host;

import java.util.Set;
import org.stillwater.core.definition.CompatibilityVersion;

/**
 * Inputs besides the host itself that decide whether it fits its cluster.
 *
 * @param engine the version that this engine counts as, which hosts must support
 * @param systems operating systems of the cluster's other hosts that are up
 */
public record ClusterPeers(CompatibilityVersion engine, Set<SystemMajor> systems) {

    public ClusterPeers {
        systems = Set.copyOf(systems);
    }
}
