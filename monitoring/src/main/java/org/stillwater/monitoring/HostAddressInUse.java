package org.stillwater.monitoring;

import org.stillwater.core.host.HostDefinition;

/** A host was not added or changed, because another host is at its address and port. */
public final class HostAddressInUse extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final transient HostDefinition owner;

    HostAddressInUse(HostDefinition owner) {
        super(
                "host %s is at %s, port %d, already"
                        .formatted(owner.name(), owner.address(), owner.port()));
        this.owner = owner;
    }

    /** The host with this address. */
    public HostDefinition owner() {
        return owner;
    }
}
