package org.stillwater.dal.embedded;

import org.jspecify.annotations.Nullable;

/**
 * The embedded server is unavailable; the message names the attempt and the remedy.
 *
 * <p>It is thrown only while starting, by the thread that starts.
 */
public final class EmbeddedPostgresException extends RuntimeException {

    /** Reason of the failure, for callers that react differently (exit codes, health). */
    public enum Reason {
        /** Another running program owns the data folder. */
        DATA_FOLDER_IN_USE,
        /** The data folder cannot be created, read or written, or belongs to someone else. */
        DATA_FOLDER_UNUSABLE,
        /** No PostgreSQL binaries exist for this operating system, processor or C library. */
        UNSUPPORTED_PLATFORM,
        /** The binaries could not be unpacked or do not run. */
        BINARIES_UNUSABLE,
        /** The data are of another major version of PostgreSQL than the binaries. */
        OTHER_MAJOR_VERSION,
        /** The program runs as root, and cannot run PostgreSQL under another account. */
        NO_UNPRIVILEGED_ACCOUNT,
        /** The server did not come up, or an old one could not be stopped. */
        START_FAILED
    }

    private final Reason reason;

    EmbeddedPostgresException(Reason reason, String message) {
        this(reason, message, null);
    }

    EmbeddedPostgresException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Reason of the failure. */
    public Reason reason() {
        return reason;
    }
}
