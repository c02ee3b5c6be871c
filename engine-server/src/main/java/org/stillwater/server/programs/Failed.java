package org.stillwater.server.programs;

import org.jspecify.annotations.Nullable;

/** A program cannot do what was asked: why, and what to do. */
final class Failed extends Exception {

    private static final long serialVersionUID = 1L;

    Failed(String message) {
        super(message);
    }

    Failed(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
