package org.stillwater.server.wiring;

import org.jspecify.annotations.Nullable;

/** The engine cannot start like this: what is wrong, and what a person can do. */
public final class StartRefused extends RuntimeException {

    private final String action;

    StartRefused(String problem, String action, @Nullable Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** What a person can do. */
    public String action() {
        return action;
    }
}
