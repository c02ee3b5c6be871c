package org.stillwater.core.benchmark;

import java.util.UUID;

/**
 * The VM or host that a benchmark ran on.
 *
 * @param kind which of both
 * @param id its identity
 */
public record BenchmarkSubject(Kind kind, UUID id) {

    /** Kind of the object. */
    public enum Kind {
        VM("vm"),
        HOST("host");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** The name that clients and the database know. */
        public String label() {
            return label;
        }
    }

    /** Its name within findings. */
    public String key() {
        return kind.label() + ":" + id;
    }
}
