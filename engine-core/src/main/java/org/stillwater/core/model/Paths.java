package org.stillwater.core.model;

/** Bounds of paths on hosts. */
final class Paths {

    private static final int LONGEST = 4_000;

    private Paths() {}

    /** Refuses what is no absolute path. */
    static void check(String what, String path) {
        if (!path.startsWith("/")
                || path.length() > LONGEST
                || path.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "the path of a "
                            + what
                            + " begins with / and has at most "
                            + LONGEST
                            + " characters, none of them a control character");
        }
    }
}
