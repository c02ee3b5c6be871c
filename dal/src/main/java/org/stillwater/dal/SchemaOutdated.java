package org.stillwater.dal;

import org.jspecify.annotations.Nullable;

/**
 * The schema is not the one that this version of the engine needs, and nobody was named who may
 * change it. Trying again is of no use until somebody migrates.
 */
public final class SchemaOutdated extends RuntimeException {

    SchemaOutdated(String reason, @Nullable Throwable cause) {
        super(reason, cause);
    }
}
