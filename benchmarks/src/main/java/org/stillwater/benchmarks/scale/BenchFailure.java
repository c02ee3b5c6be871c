package org.stillwater.benchmarks.scale;

/** A measurement that cannot be made; the message is for the user. */
public final class BenchFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Why it cannot be made. */
    public BenchFailure(String message) {
        super(message);
    }

    /** Reason of the failure, with its cause. */
    public BenchFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
