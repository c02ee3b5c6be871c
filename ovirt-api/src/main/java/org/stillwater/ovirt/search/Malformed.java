package org.stillwater.ovirt.search;

import java.io.Serial;

/** A query that is no query of the language. Stays within this package: it finds nothing. */
final class Malformed extends Exception {

    @Serial private static final long serialVersionUID = 1;

    Malformed(String why) {
        super(why, null, false, false);
    }
}
