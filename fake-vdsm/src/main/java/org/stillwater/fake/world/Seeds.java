package org.stillwater.fake.world;

import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Derives independent random streams from one seed. Every entity and purpose has its own stream, so
 * the actions of one VM never shift the numbers of another.
 */
final class Seeds {

    /** The odd constant of SplitMix64: 2^64 divided by the golden ratio. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Seeds() {}

    /** The finaliser of SplitMix64: every input bit moves every output bit. */
    static long mix(long value) {
        long z = value + GOLDEN;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    static long of(long parent, long index) {
        return mix(parent ^ mix(index));
    }

    static long of(long parent, String purpose) {
        long hash = parent;
        for (int i = 0; i < purpose.length(); i++) {
            hash = mix(hash ^ purpose.charAt(i));
        }
        return hash;
    }

    static SplittableRandom stream(long parent, String purpose) {
        return new SplittableRandom(of(parent, purpose));
    }

    /** A version 4 UUID. */
    static UUID uuid(long seed) {
        long high = (mix(seed) & ~0xF000L) | 0x4000L;
        long low = (mix(seed ^ GOLDEN) & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return new UUID(high, low);
    }
}
