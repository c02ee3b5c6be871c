package org.stillwater.core.store;

/** The database cannot be reached or does not answer now; trying again later may work. */
public final class StoreUnavailable extends Exception {

    /** With one sentence for the operator. */
    public StoreUnavailable(String reason, Throwable cause) {
        super(reason, cause);
    }
}
