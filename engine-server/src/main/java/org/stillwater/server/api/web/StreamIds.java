package org.stillwater.server.api.web;

import org.jspecify.annotations.Nullable;

/**
 * Identities of stream events: {@code <epoch>-<revision>}. The epoch is one life of the engine; an
 * identity of another life is answered with a snapshot, never with a guess.
 *
 * @param epoch this life
 */
public record StreamIds(String epoch) {

    public String of(long revision) {
        return epoch + "-" + revision;
    }

    /** The revision in an identity of this life, or given as a number; null for anything else. */
    public @Nullable Long revision(String id) {
        try {
            return Long.valueOf(id.startsWith(epoch + "-") ? id.substring(epoch.length() + 1) : id);
        } catch (NumberFormatException _) {
            return null;
        }
    }
}
