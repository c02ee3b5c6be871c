package org.stillwater.server.security;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;

/**
 * Checks the rights of an authenticated caller again: a long answer, such as a stream, outlives the
 * check of its request. Answers from memory; thread-safe.
 */
@FunctionalInterface
public interface AccessRecheck {

    /**
     * The caller with its present rights; null once it is gone: the session or the token has ended,
     * the password is another, or the user is gone or kept out.
     */
    @Nullable Caller now();
}
