package org.stillwater.core.regression;

import java.time.Instant;
import java.util.List;

/**
 * A recorded change or event that may coincide with a regression.
 *
 * @param at its time
 * @param kind its kind
 * @param subjects the concerned objects
 * @param text description, equal for the same change of several objects
 */
public record RecordedChange(
        Instant at, Kind kind, List<SeriesOwner.Shared> subjects, String text) {

    /** Kinds of recorded changes, in the order of the API. */
    public enum Kind {
        /** A host has another version of VDSM, of the kernel or of QEMU. */
        SOFTWARE("software"),
        /** A host booted. */
        REBOOT("reboot"),
        /** A host entered or left maintenance. */
        MAINTENANCE("maintenance"),
        /** A link of a host has another speed. */
        NETWORK_SPEED("network-speed"),
        /** Users changed the definition of a VM. */
        DEFINITION("definition"),
        /** A VM moved to another host. */
        MIGRATION("migration"),
        /** A VM started on a host with other VMs. */
        START("start");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** Name in the API. */
        public String label() {
            return label;
        }
    }

    public RecordedChange {
        subjects = List.copyOf(subjects);
    }
}
