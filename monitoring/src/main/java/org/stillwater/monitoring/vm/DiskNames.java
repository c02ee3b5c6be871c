package org.stillwater.monitoring.vm;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Names of a VM's disks, in one array for all VMs with the same ones: most VMs of a fleet have the
 * same few devices.
 *
 * <p>A table of a fixed size in which names have one place, by their hash; names that lost theirs
 * are kept twice. For any thread; arrays must no longer be changed.
 */
final class DiskNames {

    /** A power of two. */
    private static final int PLACES = 1 << 8;

    private static final AtomicReferenceArray<String[]> SHARED = new AtomicReferenceArray<>(PLACES);

    private DiskNames() {}

    /** The equal names at their place; these, which take the place, if there are none. */
    static String[] shared(String[] names) {
        int hash = Arrays.hashCode(names);
        int place = (hash ^ (hash >>> 8)) & (PLACES - 1);
        String[] there = SHARED.get(place);
        if (there != null && Arrays.equals(there, names)) {
            return there;
        }
        SHARED.set(place, names);
        return names;
    }
}
