package org.stillwater.core.cluster;

import org.stillwater.core.text.Labels;

/**
 * A logical network of a cluster.
 *
 * @param name its name, as on hosts; 1–255 characters
 * @param required whether a host must not run VMs if it lacks the network, or if its interface for
 *     it is down
 * @param vmNetwork whether VMs use it, so that hosts need a bridge for it
 */
public record ClusterNetwork(String name, boolean required, boolean vmNetwork) {

    public ClusterNetwork {
        Labels.checkName("network", name);
    }
}
