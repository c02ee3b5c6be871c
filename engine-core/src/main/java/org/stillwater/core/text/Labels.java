package org.stillwater.core.text;

import java.util.Collection;

/** Limits of names and labels that users set. */
public final class Labels {

    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_DESCRIPTION = 4_000;

    private Labels() {}

    /**
     * Refuses a name or a description that is none.
     *
     * @param what the kind of object with the name, for the message
     * @throws IllegalArgumentException with a clause for people
     */
    public static void check(String what, String name, String description) {
        checkName(what, name);
        if (description.length() > LONGEST_DESCRIPTION) {
            throw new IllegalArgumentException(
                    "the description of a " + what + " has at most 4000 characters");
        }
    }

    /**
     * Refuses a name that is none.
     *
     * @param what the kind of object with the name, for the message
     * @throws IllegalArgumentException with a clause for people
     */
    public static void checkName(String what, String name) {
        if (name.isBlank()
                || name.length() > LONGEST_NAME
                || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "the name of a "
                            + what
                            + " has 1 to 255 characters, none of them a control"
                            + " character");
        }
    }

    /**
     * Refuses lists that are too long or have an element that is no name.
     *
     * @param what the kind of object with the names, for the message
     * @param most largest number of names
     * @throws IllegalArgumentException with a clause for people
     */
    public static void checkNames(String what, Collection<String> names, int most) {
        if (names.size() > most) {
            throw new IllegalArgumentException(
                    "a list of names of a " + what + " has at most " + most + " elements");
        }
        names.forEach(name -> checkName(what, name));
    }
}
