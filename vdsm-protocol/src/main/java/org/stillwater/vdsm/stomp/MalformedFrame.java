package org.stillwater.vdsm.stomp;

import java.io.IOException;

/**
 * The peer's bytes are not STOMP, or exceed a limit. The stream has lost its frame boundaries, so
 * the connection is of no further use.
 */
public final class MalformedFrame extends IOException {
    private static final long serialVersionUID = 1L;

    /** The kind of the violation. */
    public enum Reason {
        /** The command line is empty, too long or holds unprintable octets. */
        BAD_COMMAND,
        /** A header line has no colon, or a raw colon in its value where that is refused. */
        BAD_HEADER,
        /** A backslash is followed by something other than {@code \ r n c}. */
        BAD_ESCAPE,
        /** {@code content-length} is not a decimal number. */
        BAD_CONTENT_LENGTH,
        /** The octet after {@code content-length} octets is not NUL. */
        MISSING_NUL,
        /** The header lines exceed the limit. */
        HEADERS_TOO_LARGE,
        /** The body exceeds the limit. */
        BODY_TOO_LARGE
    }

    private final Reason reason;

    MalformedFrame(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** The kind of the violation. */
    public Reason reason() {
        return reason;
    }
}
