package org.stillwater.core.secret;

import java.util.Map;
import org.stillwater.core.store.StoreUnavailable;

/** Stored secrets and the keys that they are encrypted with. */
public interface SecretStore {

    /** The name under which secrets count that an earlier version stored readable. */
    String READABLE = "readable";

    /**
     * How many secrets are stored by the name of their key; {@link #READABLE} for those that are
     * not encrypted.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    Map<String, Integer> byKey() throws StoreUnavailable;

    /**
     * Encrypts every secret with the newest key that is not encrypted with it yet, in one
     * transaction. Secrets with a missing key stay unchanged.
     *
     * @return numbers of resealed and unreadable secrets
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     * @throws SecretBox.Unusable if there is no key; no change is made
     */
    Resealed reseal() throws StoreUnavailable;

    /**
     * Result of a run of {@link #reseal}.
     *
     * @param changed secrets that were encrypted again
     * @param unreadable secrets that stay unchanged, by the reason
     */
    record Resealed(int changed, Map<String, Integer> unreadable) {

        public Resealed {
            unreadable = Map.copyOf(unreadable);
        }
    }
}
