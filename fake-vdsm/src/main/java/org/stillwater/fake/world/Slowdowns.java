package org.stillwater.fake.world;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The slowdowns of a world; without any, reports are as they are. Thread-safe. */
final class Slowdowns {

    /** So many at a time. */
    private static final int MOST = 1_000;

    private final List<Slowdown> active = new CopyOnWriteArrayList<>();

    void add(Slowdown slowdown) {
        if (active.size() >= MOST) {
            throw WorldException.conflict("there are " + MOST + " slowdowns");
        }
        active.add(slowdown);
    }

    /** Ends all of them. */
    void clear() {
        active.clear();
    }

    /** Every one, in the order they were added. */
    List<Slowdown> all() {
        return List.copyOf(active);
    }

    boolean isEmpty() {
        return active.isEmpty();
    }

    /** The factor for the latencies of a disk. */
    double ofDisk(FakeHost host, Machine machine, Disk disk, long now) {
        double factor = 1;
        for (Slowdown each : active) {
            if (each.isOfDisk(host, machine, disk)) {
                factor *= each.factor(now);
            }
        }
        return factor;
    }

    /** The factor for the delay of a storage domain. */
    double ofDomain(FakeHost host, String domain, long now) {
        double factor = 1;
        for (Slowdown each : active) {
            if (each.isOfDomain(host, domain)) {
                factor *= each.factor(now);
            }
        }
        return factor;
    }
}
