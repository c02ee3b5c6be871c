package org.stillwater.server.wiring;

import org.jspecify.annotations.Nullable;

/** The engine cannot start with these settings; contains the problem and the remedy. */
public final class StartRefused extends RuntimeException {

    private final String action;

    StartRefused(String problem, String action, @Nullable Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** Remedy for administrators. */
    public String action() {
        return action;
    }
}
