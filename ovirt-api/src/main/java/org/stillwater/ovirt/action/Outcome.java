package org.stillwater.ovirt.action;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of a request.
 *
 * @param status the HTTP status
 * @param root the root element of the answer; null if {@code shown} is the answer
 * @param entity the answer; null if {@code shown} is the answer
 * @param shown the path, below the API's root and without a leading slash, of the entity that is
 *     answered as a GET of it would be; null for none
 */
public record Outcome(
        int status, @Nullable String root, @Nullable Object entity, @Nullable String shown) {

    static Outcome of(int status, String root, Object entity) {
        return new Outcome(status, root, entity, null);
    }

    static Outcome showing(int status, String path) {
        return new Outcome(status, null, null, path);
    }

    /** Whether the shown collection or entity appears as it is stored, not as it runs. */
    boolean isOfNextRun() {
        return shown != null && shown.split("/", -1).length > 2;
    }
}
