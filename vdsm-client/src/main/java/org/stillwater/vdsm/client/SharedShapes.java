package org.stillwater.vdsm.client;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Equal lists of slots, of lengths between them, and of names of disks, kept once: records of VMs
 * with the same devices, and with names and addresses of the same lengths, have the same shape.
 *
 * <p>A table of a fixed size in which a list has one place, by its hash, as in {@link
 * StringInterner}: a list that lost its place is kept twice. For any thread; lists must not be
 * changed any more.
 */
final class SharedShapes {

    /** A power of two. */
    private static final int PLACES = 1 << 12;

    private static final AtomicReferenceArray<char[]> SHARED = new AtomicReferenceArray<>(PLACES);

    /** Fewer: most VMs of a fleet have the same few disks. */
    private static final AtomicReferenceArray<String[]> NAMES = new AtomicReferenceArray<>(1 << 8);

    private SharedShapes() {}

    /** The equal list at its place; this one, which takes the place, if there is none. */
    static char[] of(char[] shape) {
        int hash = Arrays.hashCode(shape);
        int place = (hash ^ (hash >>> 12)) & (PLACES - 1);
        char[] there = SHARED.get(place);
        if (there != null && Arrays.equals(there, shape)) {
            return there;
        }
        SHARED.set(place, shape);
        return shape;
    }

    /** The equal names at their place; these, which take the place, if there are none. */
    static String[] of(String[] names) {
        int hash = Arrays.hashCode(names);
        int place = (hash ^ (hash >>> 12)) & (NAMES.length() - 1);
        String[] there = NAMES.get(place);
        if (there != null && Arrays.equals(there, names)) {
            return there;
        }
        NAMES.set(place, names);
        return names;
    }
}
