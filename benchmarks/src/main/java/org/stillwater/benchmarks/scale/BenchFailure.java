package org.stillwater.benchmarks.scale;

/** A measurement that cannot be made; the message is for the person who asked for it. */
public final class BenchFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    BenchFailure(String message) {
        super(message);
    }

    BenchFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
