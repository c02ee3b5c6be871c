package org.stillwater.server.xapi;

/** A pool cannot be added, changed or removed; the message is one sentence for people. */
public final class PoolRefused extends Exception {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    PoolRefused(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }

    /** Reasons, for programs. */
    public enum Reason {
        /** A value breaks a rule. */
        INVALID,
        /** The present password would go to other hosts or another user. */
        PASSWORD_MISSING,
        /** A host shows an unconfirmed certificate. */
        UNCONFIRMED_CERTIFICATE,
        /** The certificate of a host is not of the given authorities. */
        UNTRUSTED_CERTIFICATE,
        /** The pool refuses the user or its password. */
        WRONG_PASSWORD,
        /** The user may not log in. */
        NOT_PERMITTED,
        /** The pool answers with another error. */
        REFUSED,
        /** The hosts are members, and their coordinator does not serve. */
        NO_COORDINATOR,
        /** The answer is none of XAPI. */
        NO_XAPI,
        /** No host answers. */
        UNREACHABLE,
        /** Another pool answers at the addresses. */
        OTHER_POOL,
        /** The engine watches the pool already. */
        ALREADY_WATCHED,
        /** Another pool has the name. */
        NAME_TAKEN,
        /** There are as many pools as there may be. */
        TOO_MANY,
        /** The pool is one of the settings. */
        OF_SETTINGS,
        /** The pool is being removed. */
        REMOVING,
        /** No password can be stored now. */
        NO_KEY
    }
}
