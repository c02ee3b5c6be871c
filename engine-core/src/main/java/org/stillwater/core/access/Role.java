package org.stillwater.core.access;

import org.jspecify.annotations.Nullable;

/**
 * What a user may do where the role is granted. Each role contains those after it, but that an
 * operator or a reader of metrics needs {@link #SCRAPER} as well: metrics are many and asked for
 * without end. A scraper may do nothing else, so that the credential of a metrics collector is
 * worth nothing elsewhere.
 */
public enum Role {

    /** Everything: users, hosts, clusters, settings, and what an operator may. */
    ADMINISTRATOR,

    /** Acts on VMs (start, stop, migrate, change), and reads. */
    OPERATOR,

    /** Reads VMs, hosts, clusters, events and history. */
    READER,

    /** Reads metrics, and nothing else. */
    SCRAPER;

    /** Whether this role may do all that the other may. */
    public boolean contains(Role other) {
        return switch (this) {
            case ADMINISTRATOR -> true;
            case OPERATOR -> other == OPERATOR || other == READER;
            case READER, SCRAPER -> other == this;
        };
    }

    /** The role's name as it is written in interfaces and in the database: lower case. */
    public String label() {
        return switch (this) {
            case ADMINISTRATOR -> "administrator";
            case OPERATOR -> "operator";
            case READER -> "reader";
            case SCRAPER -> "scraper";
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
