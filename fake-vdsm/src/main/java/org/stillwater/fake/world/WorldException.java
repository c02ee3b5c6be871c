package org.stillwater.fake.world;

/** An action that the world refuses. */
public final class WorldException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Why not. */
    public enum Reason {
        /** The object does not exist. */
        UNKNOWN,
        /** It is not in a state for that. */
        CONFLICT,
        /** It exists already. */
        EXISTS
    }

    /** Why not. */
    private final Reason reason;

    WorldException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    static WorldException unknown(String what, String name) {
        return new WorldException(Reason.UNKNOWN, "there is no %s '%s'".formatted(what, name));
    }

    static WorldException conflict(String message) {
        return new WorldException(Reason.CONFLICT, message);
    }

    /** Why not. */
    public Reason reason() {
        return reason;
    }
}
