package org.stillwater.server.rest;

import org.jspecify.annotations.Nullable;

/**
 * Identities of stream events: {@code <epoch>-<revision>}. The epoch is one life of the engine; an
 * identity of another life is answered with a snapshot, never with a guess.
 *
 * @param epoch this life
 */
record StreamIds(String epoch) {

    String of(long revision) {
        return epoch + "-" + revision;
    }

    /** The revision in an identity of this life; null for anything else. */
    @Nullable Long revision(@Nullable String id) {
        if (id == null || !id.startsWith(epoch + "-")) {
            return null;
        }
        try {
            return Long.valueOf(id.substring(epoch.length() + 1));
        } catch (NumberFormatException _) {
            return null;
        }
    }
}
