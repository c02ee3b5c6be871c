package org.stillwater.vdsm.wire;

/** A decoder that takes long and much memory, in the package of the real ones. */
public final class DearDecoder {

    private final long[][] kept = new long[64][];
    private double sum;

    /** Takes some milliseconds of CPU. */
    public double decode() {
        for (int i = 1; i < 2_000_000; i++) {
            sum += Math.sqrt(i) / i;
        }
        return sum;
    }

    /** Allocates 80 MB in arrays of longs. */
    public double allocate() {
        for (int i = 0; i < 10_000; i++) {
            kept[i % kept.length] = new long[1_000];
        }
        return kept[0].length;
    }
}
