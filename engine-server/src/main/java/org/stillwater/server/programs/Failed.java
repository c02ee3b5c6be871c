package org.stillwater.server.programs;

import org.jspecify.annotations.Nullable;

/** A program cannot fulfil the request; with the reason and the remedy. */
final class Failed extends Exception {

    private static final long serialVersionUID = 1L;

    Failed(String message) {
        super(message);
    }

    Failed(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
