package org.stillwater.dal;

import org.jspecify.annotations.Nullable;

/**
 * The schema is not the one that this version of the engine needs, and no login may change it.
 * Retrying is useless until a migration.
 */
public final class SchemaOutdated extends RuntimeException {

    SchemaOutdated(String reason, @Nullable Throwable cause) {
        super(reason, cause);
    }
}
