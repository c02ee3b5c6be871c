package org.stillwater.command.operation;

import java.security.SecureRandom;

/** The password of a console's ticket: its rules, and a random one. */
public final class ConsolePassword {

    /** Rule that {@link #isFine} checks; texts append it to the member's name. */
    public static final String RULE =
            "has 4 to 255 printable ASCII characters; left out, one is made";

    private static final int SHORTEST = 4;
    private static final int LONGEST = 255;

    /** VNC heeds no more, and libvirt refuses a longer one from version 8 on. */
    private static final int LENGTH = 8;

    /** Without those that are taken for each other. */
    private static final String LETTERS =
            "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

    private static final SecureRandom RANDOM = new SecureRandom();

    private ConsolePassword() {}

    /** Whether a password may be given to a host. */
    public static boolean isFine(String password) {
        return password.length() >= SHORTEST
                && password.length() <= LONGEST
                && password.chars().allMatch(c -> c >= ' ' && c <= '~');
    }

    /** A new password. Thread-safe. */
    public static String made() {
        return RANDOM.ints(LENGTH, 0, LETTERS.length())
                .collect(
                        StringBuilder::new,
                        (text, at) -> text.append(LETTERS.charAt(at)),
                        StringBuilder::append)
                .toString();
    }
}
