package org.stillwater.vdsm.wire;

/** A decoder that takes long, in the package of the real ones. */
public final class DearDecoder {

    private double sum;

    /** Takes some milliseconds of CPU. */
    public double decode() {
        for (int i = 1; i < 2_000_000; i++) {
            sum += Math.sqrt(i) / i;
        }
        return sum;
    }
}
