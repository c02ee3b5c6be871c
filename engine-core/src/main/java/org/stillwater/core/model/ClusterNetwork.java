package org.stillwater.core.model;

/**
 * A logical network of a cluster.
 *
 * @param name its name, as on hosts; 1–255 characters
 * @param required whether a host that lacks it, or whose interface for it is down, must not run VMs
 * @param vmNetwork whether VMs use it, so that hosts need a bridge for it
 */
public record ClusterNetwork(String name, boolean required, boolean vmNetwork) {

    public ClusterNetwork {
        Labels.checkName("network", name);
    }
}
