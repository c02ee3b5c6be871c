package org.stillwater.monitoring.belief;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;

/**
 * Small numbers for hosts, so that a ring holds one or two bytes for a host instead of sixteen.
 * Grows with the hosts that were ever seen in this life of the engine. Thread-safe.
 */
final class HostDictionary {

    private final Map<HostId, Integer> numbers = new ConcurrentHashMap<>();
    private final List<HostId> hosts = new CopyOnWriteArrayList<>();

    /** Its number, from 1; 0 for no host. */
    int number(@Nullable HostId host) {
        if (host == null) {
            return 0;
        }
        Integer known = numbers.get(host);
        return known == null ? numbers.computeIfAbsent(host, this::added) : known;
    }

    private synchronized int added(HostId host) {
        hosts.add(host);
        return hosts.size();
    }

    /** The host of a number; null for 0. */
    @Nullable HostId host(int number) {
        return number == 0 ? null : hosts.get(number - 1);
    }
}
