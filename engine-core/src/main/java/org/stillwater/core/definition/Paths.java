package org.stillwater.core.definition;

import java.util.ArrayDeque;
import java.util.Deque;

/** Bounds of paths on hosts. */
final class Paths {

    private static final int LONGEST = 4_000;

    private Paths() {}

    /** Refuses a text that is no absolute path. */
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

    /** An absolute path without steps that lead nowhere; links are not known here. */
    static String plain(String path) {
        Deque<String> steps = new ArrayDeque<>();
        for (String step : path.split("/")) {
            if (step.equals("..")) {
                steps.pollLast();
            } else if (!step.isEmpty() && !step.equals(".")) {
                steps.addLast(step);
            }
        }
        return "/" + String.join("/", steps);
    }
}
