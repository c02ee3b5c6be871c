package org.stillwater.core.access;

import org.jspecify.annotations.Nullable;

/**
 * Rights of a user on the objects that the role is granted on. Each role contains those after it,
 * but that an operator or a reader of metrics needs {@link #SCRAPER} as well: metrics are many and
 * requested without end. A scraper has no other right, so that the credential of a metrics
 * collector is worth nothing elsewhere. The same holds for a {@link #BENCHMARKER}, because its
 * credential lies in a VM; an operator and an administrator may post benchmarks as well.
 */
public enum Role {

    /** All rights: users, hosts, clusters, settings, and those of an operator. */
    ADMINISTRATOR,

    /** Acts on VMs (start, stop, migrate, change), and reads. */
    OPERATOR,

    /** Reads VMs, hosts, clusters, events and history. */
    READER,

    /** Reads metrics, and nothing else. */
    SCRAPER,

    /** Asks for permits of benchmark runs and posts the runs, and nothing else. */
    BENCHMARKER;

    /** Whether this role may do all that the other may. */
    public boolean contains(Role other) {
        return switch (this) {
            case ADMINISTRATOR -> true;
            case OPERATOR -> other == OPERATOR || other == READER || other == BENCHMARKER;
            case READER, SCRAPER, BENCHMARKER -> other == this;
        };
    }

    /** The role's name as it is written in interfaces and in the database: lower case. */
    public String label() {
        return switch (this) {
            case ADMINISTRATOR -> "administrator";
            case OPERATOR -> "operator";
            case READER -> "reader";
            case SCRAPER -> "scraper";
            case BENCHMARKER -> "benchmarker";
        };
    }

    /** The role of this label, null if there is none. */
    public static @Nullable Role ofLabel(String label) {
        for (Role role : values()) {
            if (role.label().equals(label)) {
                return role;
            }
        }
        return null;
    }
}
