package org.stillwater.fake.world;

import org.jspecify.annotations.Nullable;

/** Reasons of a pause, with the words of the event and of later polls (§3.2, §4.4). */
public enum PauseCause {
    /** A user paused it; neither event nor polls name a code. */
    USER("user", null, null),
    /** An I/O error: EOTHER in the event, EIO in polls. */
    EIO("eio", "EOTHER", "EIO"),
    /** The storage is full. */
    ENOSPC("enospc", "ENOSPC", "ENOSPC"),
    /** No permission on the storage: EOTHER in the event, EPERM in polls. */
    EPERM("eperm", "EOTHER", "EPERM"),
    /** Another storage error. */
    EOTHER("eother", "EOTHER", "EOTHER");

    private final String code;
    private final @Nullable String eventCode;
    private final @Nullable String pollCode;

    PauseCause(String code, @Nullable String eventCode, @Nullable String pollCode) {
        this.code = code;
        this.eventCode = eventCode;
        this.pollCode = pollCode;
    }

    /** Its name on the control port. */
    public String code() {
        return code;
    }

    /**
     * The cause with this name on the control port.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static PauseCause ofCode(String code) {
        for (PauseCause cause : values()) {
            if (cause.code.equals(code)) {
                return cause;
            }
        }
        throw new IllegalArgumentException(
                "unknown cause '%s'; user, eio, enospc, eperm or eother".formatted(code));
    }

    @Nullable String eventCode() {
        return eventCode;
    }

    @Nullable String pollCode() {
        return pollCode;
    }
}
