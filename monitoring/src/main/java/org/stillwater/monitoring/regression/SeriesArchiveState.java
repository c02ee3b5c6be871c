package org.stillwater.monitoring.regression;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of the durable points of series.
 *
 * @param phase how far the read-back is
 * @param series series that got points of earlier lives of the engine, or will with their next load
 * @param points points that were read back
 * @param from the oldest of them, null for none
 * @param took time from the first question to the end, null before it
 * @param failingSince since when the database does not answer the read-back; null while it does
 * @param reason why it does not
 * @param waiting intervals that are not durable yet
 * @param leftOut intervals that are not stored, because too many waited
 */
public record SeriesArchiveState(
        Phase phase,
        int series,
        long points,
        @Nullable Instant from,
        @Nullable Duration took,
        @Nullable Instant failingSince,
        @Nullable String reason,
        int waiting,
        long leftOut) {

    /** How far a read-back is. */
    public enum Phase {
        /** It is switched off. */
        OFF("off"),
        /** It waits until the engine serves. */
        WAITING("waiting"),
        /** Points are being read. */
        READING("reading"),
        /** It is over. */
        DONE("done");

        private final String label;

        Phase(String label) {
            this.label = label;
        }

        /** Name in health. */
        public String label() {
            return label;
        }
    }
}
