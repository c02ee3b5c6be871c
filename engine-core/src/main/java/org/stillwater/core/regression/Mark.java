package org.stillwater.core.regression;

/**
 * An event of the measured object, at a point of its series. Marks never change a result; a change
 * point lists the marks that its begin may coincide with.
 *
 * @param index the first point after the event
 * @param kind kind of event
 */
public record Mark(long index, Kind kind) {

    /** Kinds of events of a measured object. */
    public enum Kind {
        /** No value was measured, or no value under load. */
        GAP,
        /** The VM or the host started again. */
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
