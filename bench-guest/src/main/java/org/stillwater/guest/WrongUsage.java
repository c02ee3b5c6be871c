package org.stillwater.guest;

/** An option that the benchmark refuses. */
final class WrongUsage extends Exception {

    private static final long serialVersionUID = 1;

    WrongUsage(String message) {
        super(message);
    }
}
