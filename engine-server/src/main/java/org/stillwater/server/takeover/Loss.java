package org.stillwater.server.takeover;

import org.stillwater.core.text.SafeText;

/**
 * Something of the other engine that is not kept.
 *
 * @param kind kind of the object, such as {@code VM}
 * @param name its name
 * @param text lost data and the reason, one clause for people
 */
public record Loss(String kind, String name, String text) {

    private static final int LONGEST = 1_000;

    /** One line: names are texts of the other engine. */
    @Override
    public String toString() {
        return SafeText.of(kind + " " + name + ": " + text, LONGEST);
    }
}
