package org.stillwater.server.security;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;

/**
 * Whoever was let in, looked at again: an answer that goes on, as a stream does, outlives what its
 * request was let in by. Answers from memory; thread-safe.
 */
@FunctionalInterface
public interface Standing {

    /**
     * Who asks, with what may be seen and done now; null once that is nobody: the session or the
     * token has ended, the password is another, or the user is gone or kept out.
     */
    @Nullable Caller now();
}
