package org.stillwater.testkit.simulation;

/** The engine broke a rule. */
public final class Violation extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final long seed;
    private final int step;

    Violation(long seed, int step, String what, Throwable cause) {
        super("seed " + seed + ", step " + step + ": " + what, cause);
        this.seed = seed;
        this.step = step;
    }

    /** The seed that leads to it. */
    public long seed() {
        return seed;
    }

    /** The step at which it was seen; steps after the last random one belong to the healing. */
    public int step() {
        return step;
    }
}
