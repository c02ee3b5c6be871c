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
        GAP(1, "gap"),
        /** The VM or the host started again. */
        RESTART(2, "restart"),
        /** The VM moved to another host. */
        MIGRATION(4, "migration");

        private final int bit;
        private final String label;

        Kind(int bit, String label) {
            this.bit = bit;
            this.label = label;
        }

        /** Name in the API. */
        public String label() {
            return label;
        }

        /** Its bit in {@link SeriesPoints#marks}. */
        int bit() {
            return bit;
        }
    }

    public Mark {
        if (index < 0) {
            throw new IllegalArgumentException("index is negative");
        }
    }
}
