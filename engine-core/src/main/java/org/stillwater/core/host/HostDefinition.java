package org.stillwater.core.host;

import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;

/**
 * A host as users define it: its address, and its cluster.
 *
 * @param id identity
 * @param name unique name, 1–255 characters
 * @param address DNS name or IP address of the host's management interface
 * @param port TCP port of VDSM, 1–65535; hosts listen on 54321 by default (protocol specification
 *     §1.1)
 * @param cluster the cluster it belongs to
 * @param traits its other properties
 */
public record HostDefinition(
        HostId id, String name, String address, int port, ClusterId cluster, HostTraits traits) {

    /** Port on which hosts listen unless configured otherwise. */
    public static final int DEFAULT_PORT = 54321;

    /** A host of the default cluster. */
    public HostDefinition(HostId id, String name, String address, int port) {
        this(id, name, address, port, ClusterId.DEFAULT);
    }

    /** A host without other properties. */
    public HostDefinition(HostId id, String name, String address, int port, ClusterId cluster) {
        this(id, name, address, port, cluster, HostTraits.NONE);
    }

    public HostDefinition {
        if (name.isBlank() || name.length() > 255) {
            throw new IllegalArgumentException("a host's name has 1 to 255 characters");
        }
        if (address.isBlank() || address.length() > 255) {
            throw new IllegalArgumentException("a host's address has 1 to 255 characters");
        }
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("a host's port is 1 to 65535, not " + port);
        }
    }

    /** Whether it is reached in the same way as another one, under the same name. */
    public boolean isReachedLike(HostDefinition other) {
        return name.equals(other.name)
                && address.equals(other.address)
                && port == other.port
                && traits.olderAgent() == other.traits.olderAgent();
    }
}
