package org.stillwater.core.port;

/**
 * A definition gives its VM something that belongs to another VM of the data centre. The message
 * says what, in one clause for people.
 */
public final class DefinitionTaken extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    /** A definition that cannot have something. */
    public DefinitionTaken(String reason) {
        super(reason);
    }
}
