package org.stillwater.monitoring;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostId;

/**
 * The address and port of each host. Two hosts at one address and port are one machine: its memory
 * would count twice, and two hosts would report its VMs. A host claims its place before the
 * database is written, so that two changes at the same time cannot both get it. Thread-safe.
 */
final class HostAddresses {

    private final Map<Place, HostDefinition> hosts = new HashMap<>(); // guarded by this

    /** Names of machines have no case. */
    private record Place(String address, int port) {

        static Place of(HostDefinition host) {
            return new Place(host.address().toLowerCase(Locale.ROOT), host.port());
        }
    }

    /**
     * Claims the place of a host; it may have another place besides until {@link #keepOnly}.
     *
     * @throws HostAddressInUse if another host has it
     */
    synchronized void claim(HostDefinition host) {
        HostDefinition owner = hosts.putIfAbsent(Place.of(host), host);
        if (owner != null && !owner.id().equals(host.id())) {
            throw new HostAddressInUse(owner);
        }
    }

    /** Claims the place that a host moves to; a host that stays where it is needs none. */
    void claimMove(HostDefinition present, HostDefinition next) {
        if (!Place.of(present).equals(Place.of(next))) {
            claim(next);
        }
    }

    /** Releases every place of a host but the one that this definition has. */
    synchronized void keepOnly(HostDefinition host) {
        Place kept = Place.of(host);
        hosts.entrySet()
                .removeIf(each ->
                        each.getValue().id().equals(host.id()) && !each.getKey().equals(kept));
    }

    /** Releases every place of a host. */
    synchronized void release(HostId host) {
        hosts.values().removeIf(each -> each.id().equals(host));
    }
}
