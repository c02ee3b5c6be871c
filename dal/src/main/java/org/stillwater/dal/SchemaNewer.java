package org.stillwater.dal;

/**
 * A newer version of Stillwater made this schema; this one does not know its meaning. Retrying is
 * useless.
 */
public final class SchemaNewer extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SchemaNewer(String applied, String newest) {
        super(
                "The database has version %s of the schema, of a newer Stillwater; this one supports versions up to %s."
                        .formatted(applied, newest));
    }
}
