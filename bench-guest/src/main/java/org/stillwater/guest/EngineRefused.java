package org.stillwater.guest;

/** The engine refuses for good: to ask again changes nothing. */
final class EngineRefused extends Exception {

    private static final long serialVersionUID = 1;

    EngineRefused(String message) {
        super(message);
    }
}
