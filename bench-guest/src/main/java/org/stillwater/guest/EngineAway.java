package org.stillwater.guest;

/** The engine does not answer now. */
final class EngineAway extends Exception {

    private static final long serialVersionUID = 1;

    EngineAway(String message) {
        super(message);
    }
}
