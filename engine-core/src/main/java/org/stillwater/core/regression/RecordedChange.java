package org.stillwater.core.regression;

import java.time.Instant;
import java.util.List;

/**
 * Something that was changed on purpose, or happened, and may coincide with a regression.
 *
 * @param at when
 * @param kind what
 * @param subjects the objects that it concerns
 * @param text what changed, the same text for the same change of several objects
 */
public record RecordedChange(
        Instant at, Kind kind, List<SeriesOwner.Shared> subjects, String text) {

    /** What is recorded. The order is that of the API. */
    public enum Kind {
        /** Another version of VDSM, of the kernel or of QEMU on a host. */
        SOFTWARE("software"),
        /** A host booted. */
        REBOOT("reboot"),
        /** A host went to maintenance or came back. */
        MAINTENANCE("maintenance"),
        /** A link of a host has another speed. */
        NETWORK_SPEED("network-speed"),
        /** Users changed the definition of a VM. */
        DEFINITION("definition"),
        /** A VM moved to another host. */
        MIGRATION("migration"),
        /** A VM began to run: a neighbour of those on its host. */
        START("start");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** The name that clients know. */
        public String label() {
            return label;
        }
    }

    public RecordedChange {
        subjects = List.copyOf(subjects);
    }
}
