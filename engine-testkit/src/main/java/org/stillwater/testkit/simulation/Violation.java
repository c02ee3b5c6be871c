package org.stillwater.testkit.simulation;

import org.jspecify.annotations.Nullable;

/** The engine broke a rule. */
public final class Violation extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final long seed;
    private final int step;

    /**
     * Describes the violation.
     *
     * @param seed the seed that leads to it
     * @param step the step at which it was seen
     * @param what one sentence
     * @param cause the failure behind it, null if a rule was checked
     */
    public Violation(long seed, int step, String what, @Nullable Throwable cause) {
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
