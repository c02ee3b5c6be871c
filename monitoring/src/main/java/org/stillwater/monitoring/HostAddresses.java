package org.stillwater.monitoring;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;

/**
 * The address and port of each host. Two hosts at one address and port are one machine: its memory
 * would count twice, and two hosts would report its VMs. A host claims its address before the
 * database is written, so that two simultaneous changes cannot both get it. Thread-safe.
 */
final class HostAddresses {

    private final Map<Place, HostDefinition> hosts = new HashMap<>(); // guarded by this
    private final Map<HostId, Place> doubles = new HashMap<>(); // guarded by this

    /** Names of machines have no case. */
    private record Place(String address, int port) {

        static Place of(HostDefinition host) {
            return new Place(host.address().toLowerCase(Locale.ROOT), host.port());
        }
    }

    /**
     * Claims the address of a host; it may hold another address as well until {@link #keepOnly}.
     *
     * @return whether it did not hold that address before
     * @throws HostAddressInUse if another host has it
     */
    synchronized boolean claim(HostDefinition host) {
        Place place = Place.of(host);
        HostDefinition owner = hosts.putIfAbsent(place, host);
        if (owner == null) {
            return true;
        }
        if (!owner.id().equals(host.id()) && !place.equals(doubles.get(host.id()))) {
            throw new HostAddressInUse(owner);
        }
        return false;
    }

    /** A host that an earlier version stored at the address of another host keeps it. */
    synchronized void tolerate(HostDefinition host) {
        doubles.put(host.id(), Place.of(host));
    }

    /** Releases the address of this definition. */
    synchronized void release(HostDefinition host) {
        hosts.remove(Place.of(host));
    }

    /** Releases every address of a host except that of this definition. */
    synchronized void keepOnly(HostDefinition host) {
        Place kept = Place.of(host);
        if (!kept.equals(doubles.get(host.id()))) {
            doubles.remove(host.id());
        }
        hosts.entrySet()
                .removeIf(each ->
                        each.getValue().id().equals(host.id()) && !each.getKey().equals(kept));
    }

    /** Releases every address of a host. */
    synchronized void release(HostId host) {
        doubles.remove(host);
        hosts.values().removeIf(each -> each.id().equals(host));
    }
}
