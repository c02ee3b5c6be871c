package org.stillwater.guest;

/** The benchmark cannot run or continue; the message is for its user. */
final class BenchmarkFailed extends Exception {

    private static final long serialVersionUID = 1;

    BenchmarkFailed(String message) {
        super(message);
    }
}
