package org.stillwater.fake.xapi.world;

import java.util.SplittableRandom;
import java.util.UUID;

/** Identities and choices that follow from one seed, in the order in which they are requested. */
final class Seeds {

    private final SplittableRandom random;

    Seeds(long seed) {
        this.random = new SplittableRandom(seed);
    }

    String uuid() {
        long high = (random.nextLong() & ~0xF000L) | 0x4000L;
        long low = (random.nextLong() & ~(3L << 62)) | (2L << 62);
        return new UUID(high, low).toString();
    }

    String ref() {
        return "OpaqueRef:" + uuid();
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** A share from 0 to 1 that depends on its parts only, so that any row can be computed. */
    static double share(long seed, String name, long time) {
        long mixed = seed ^ (name.hashCode() * 0x9E3779B97F4A7C15L) ^ (time * 0xC2B2AE3D27D4EB4FL);
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return ((mixed ^ (mixed >>> 31)) >>> 11) * 0x1.0p-53;
    }
}
