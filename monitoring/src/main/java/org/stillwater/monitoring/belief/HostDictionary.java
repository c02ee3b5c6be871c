package org.stillwater.monitoring.belief;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/**
 * Small numbers for hosts, so that a ring holds one or two bytes for a host instead of sixteen.
 * Holds the present hosts and the last {@value #MOST_REMOVED} removed ones: rings may still name
 * those. A number is given once, so that a ring never names a wrong host. Thread-safe.
 */
final class HostDictionary {

    /** Removed hosts that are still known by number. */
    static final int MOST_REMOVED = 256;

    private final Map<HostId, Integer> numbers = new ConcurrentHashMap<>();
    private final Map<Integer, HostId> hosts = new ConcurrentHashMap<>();
    private final Queue<Integer> removed = new ArrayDeque<>();
    private int last;

    /** Its number, from 1; 0 for no host. */
    int number(@Nullable HostId host) {
        if (host == null) {
            return 0;
        }
        Integer known = numbers.get(host);
        return known == null ? numbers.computeIfAbsent(host, this::added) : known;
    }

    private synchronized int added(HostId host) {
        int number = ++last;
        hosts.put(number, host);
        return number;
    }

    /** A host was removed; if it comes back, it gets another number. */
    void forget(HostId host) {
        Integer number = numbers.remove(host); // its lock comes before this one's, as in number
        if (number != null) {
            retire(number);
        }
    }

    private synchronized void retire(int number) {
        removed.add(number);
        if (removed.size() > MOST_REMOVED) {
            hosts.remove(removed.remove());
        }
    }

    /** The host of a number; null for 0, and for a host that was removed long ago. */
    @Nullable HostId host(int number) {
        return number == 0 ? null : hosts.get(number);
    }
}
