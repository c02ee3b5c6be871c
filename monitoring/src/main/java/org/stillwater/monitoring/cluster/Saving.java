package org.stillwater.monitoring.cluster;

import org.stillwater.core.store.ClusterStore.Saved;

/** Outcome of saving a cluster or data centre. */
public enum Saving {
    /** It is saved and in force. */
    SAVED,
    /** Another object has its name. */
    NAME_TAKEN,
    /** It is not there, or a cluster's data centre is not. */
    UNKNOWN,
    /** There are as many as there may be. */
    TOO_MANY;

    static Saving of(Saved saved) {
        return switch (saved) {
            case SAVED -> SAVED;
            case TAKEN -> NAME_TAKEN;
            case UNKNOWN -> UNKNOWN;
        };
    }
}
