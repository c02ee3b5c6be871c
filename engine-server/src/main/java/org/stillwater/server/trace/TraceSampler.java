package org.stillwater.server.trace;

import java.util.SplittableRandom;
import java.util.UUID;

/** Takes a share of cycles or operations: at random, or by identity. Used by one thread. */
final class TraceSampler {

    private static final int ALL = 10_000;

    /** Spreads bits: the golden ratio in 64 bits. */
    private static final long MIXER = 0x9E3779B97F4A7C15L;

    private final int inTenThousand;
    private final SplittableRandom random;

    TraceSampler(int inTenThousand, SplittableRandom random) {
        this.inTenThousand = inTenThousand;
        this.random = random;
    }

    /** Whether the next one is taken. */
    boolean takes() {
        return inTenThousand >= ALL || (inTenThousand > 0 && random.nextInt(ALL) < inTenThousand);
    }

    /** Whether this one is taken, always the same for the same identity. */
    boolean takes(UUID id) {
        long mixed = (id.getMostSignificantBits() ^ id.getLeastSignificantBits()) * MIXER;
        return Math.floorMod(mixed >>> Integer.SIZE, (long) ALL) < inTenThousand;
    }
}
