package org.stillwater.monitoring.device;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.stillwater.core.id.HostId;

/**
 * Bounds the VMs of all hosts under import: their definitions and devices are in memory from the
 * request to the host until the database has them. Hosts without room are called in the order of
 * their requests when there is room. Thread-safe.
 */
final class IntakeRoom {

    private final int most;

    // Guarded by this.
    private final Map<HostId, Integer> held = new HashMap<>();
    private final LinkedHashMap<HostId, Runnable> turnedAway = new LinkedHashMap<>();
    private int taken;

    /**
     * All of it is free.
     *
     * @param most VMs at once
     */
    IntakeRoom(int most) {
        this.most = most;
    }

    /** Monitoring of a host restarts: the room of its earlier monitor is free. */
    void begin(HostId host) {
        synchronized (this) {
            turnedAway.remove(host);
        }
        release(host, most);
    }

    /**
     * Takes room for VMs of a host.
     *
     * @param wanted how many, at least 1
     * @param later called once, on any thread, when there is room again; only if there is none now.
     *     It takes room, or calls {@link #pass}
     * @return for how many there is room; 0 for none
     */
    synchronized int take(HostId host, int wanted, Runnable later) {
        int granted = Math.min(wanted, most - taken);
        if (granted <= 0) {
            turnedAway.put(host, later);
            return 0;
        }
        turnedAway.remove(host);
        taken += granted;
        held.merge(host, granted, Integer::sum);
        return granted;
    }

    /** VMs of a host are finished; a number above its room releases all of its room. */
    void release(HostId host, int vms) {
        synchronized (this) {
            int before = held.getOrDefault(host, 0);
            int freed = Math.min(vms, before);
            taken -= freed;
            if (freed == before) {
                held.remove(host);
            } else {
                held.put(host, before - freed);
            }
        }
        pass();
    }

    /** Calls the host that has waited longest, if there is room. */
    void pass() {
        Runnable next;
        synchronized (this) {
            Map.Entry<HostId, Runnable> first = taken < most ? turnedAway.pollFirstEntry() : null;
            if (first == null) {
                return;
            }
            next = first.getValue();
        }
        next.run();
    }

    /** Room that is taken. */
    synchronized int taken() {
        return taken;
    }
}
