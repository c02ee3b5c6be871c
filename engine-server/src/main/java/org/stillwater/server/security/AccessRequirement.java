package org.stillwater.server.security;

import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.server.security.CallerAuthentication.Means;

/** Rights that an endpoint needs of a caller. */
enum AccessRequirement {
    /** Nothing: every client that reaches the port. */
    NOTHING("anyone"),
    /** Nothing; readers of the whole data centre get more. */
    NOTHING_OR_READER("anyone; details need a reader of everything"),
    /** To have logged in, with any role. */
    LOGIN("any user"),
    /** A user's own login, not a program's token with a part of the user's rights. */
    PERSON("any user; with a token only an administrator"),
    /** To have logged in, though nothing is granted: a user with a password may change it. */
    OWN_PASSWORD("any user, also without grants; with a token only an administrator"),
    /** To read metrics of anything; the answer contains only readable objects. */
    SCRAPER("scraper of anything"),
    /** To read metrics, which describe the whole data centre. */
    SCRAPER_OF_ALL("scraper of everything"),
    /** To read anything; the endpoint shows only readable objects. */
    READER("reader of anything"),
    /** To post benchmarks of anything; whether of this object, the endpoint checks. */
    BENCHMARKER("benchmarker of anything"),
    /** To act on any VM; whether on this one, the endpoint checks. */
    OPERATOR("operator of anything"),
    /** To read the whole data centre. */
    READER_OF_ALL("reader of everything"),
    /** To administrate the whole data centre. */
    ADMINISTRATOR("administrator");

    private final String words;

    AccessRequirement(String words) {
        this.words = words;
    }

    /** The text for people. */
    String words() {
        return words;
    }

    boolean metBy(Caller caller, Means means) {
        return switch (this) {
            case NOTHING, NOTHING_OR_READER -> true;
            case LOGIN -> !caller.grants().isEmpty();
            case PERSON ->
                    !caller.grants().isEmpty()
                            && (means != Means.API_TOKEN || caller.has(Role.ADMINISTRATOR));
            case OWN_PASSWORD ->
                    means != Means.NONE
                            && (means != Means.API_TOKEN || caller.has(Role.ADMINISTRATOR));
            case SCRAPER -> caller.hasAnywhere(Role.SCRAPER);
            case SCRAPER_OF_ALL -> caller.has(Role.SCRAPER);
            case READER -> caller.hasAnywhere(Role.READER);
            case BENCHMARKER -> caller.hasAnywhere(Role.BENCHMARKER);
            case OPERATOR -> caller.hasAnywhere(Role.OPERATOR);
            case READER_OF_ALL -> caller.has(Role.READER);
            case ADMINISTRATOR -> caller.has(Role.ADMINISTRATOR);
        };
    }
}
