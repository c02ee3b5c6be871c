package org.stillwater.core.secret;

/**
 * Encrypts secrets before they are stored, with a key that is not stored beside them. Thread-safe.
 */
public interface SecretBox {

    /**
     * Encrypts a text with the newest key.
     *
     * @param text the secret
     * @param context owner of the secret; it opens only with the same context, so that it cannot be
     *     moved to another row
     * @return an envelope of printable ASCII, which names its key
     * @throws Unusable if there is no key
     */
    String seal(String text, String context) throws Unusable;

    /**
     * Decrypts an envelope.
     *
     * @throws Unusable if its key is missing, or it was changed or belongs to another context
     */
    String open(String envelope, String context) throws Unusable;

    /**
     * Name of the newest key, which seals.
     *
     * @throws Unusable if there is no key
     */
    String newestKey() throws Unusable;

    /** Name of the key of an envelope, for people; it need not be there. */
    String keyOf(String envelope);

    /**
     * A secret cannot be sealed or opened now; the message gives the reason, one clause for people.
     */
    final class Unusable extends RuntimeException {

        /** With its reason. */
        public Unusable(String message) {
            super(message);
        }
    }
}
