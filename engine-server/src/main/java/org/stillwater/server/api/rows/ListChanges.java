package org.stillwater.server.api.rows;

import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.security.Callers;

/** Changes of a list after a revision that the caller knows. */
public final class ListChanges {

    private ListChanges() {}

    /** The changes after a revision; 410 when the engine has them no longer. */
    public static ChangeFeed.Changes since(FleetReader fleet, long since, String list) {
        ChangeFeed.Changes changes =
                since < Callers.sameSince() ? null : fleet.changes().since(since);
        if (changes == null) {
            throw forgotten(since, list);
        }
        return changes;
    }

    /** The answer 410: the caller reads the list again. */
    public static ApiException forgotten(long since, String list) {
        return ApiException.gone(
                ("The changes since revision %d are not known any more, or it is no revision of"
                     + " this life of the engine, or your rights were different then. Read GET %s"
                     + " without since, and continue with the revision of its answer.")
                        .formatted(since, list));
    }
}
