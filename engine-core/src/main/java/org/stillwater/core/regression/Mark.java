package org.stillwater.core.regression;

/**
 * An event of the measured object, at a point of its series. Marks never change a result; a change
 * point lists those that its begin may coincide with.
 *
 * @param index the first point after the event
 * @param kind which event
 */
public record Mark(long index, Kind kind) {

    /** What can happen to a measured object. */
    public enum Kind {
        /** No value was measured, or none under load. */
        GAP,
        /** The VM or the host started anew. */
        RESTART,
        /** The VM moved to another host. */
        MIGRATION
    }

    public Mark {
        if (index < 0) {
            throw new IllegalArgumentException("index is negative");
        }
    }
}
