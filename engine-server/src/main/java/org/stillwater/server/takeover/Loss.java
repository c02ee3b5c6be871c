package org.stillwater.server.takeover;

/**
 * Something of the other engine that is not kept.
 *
 * @param kind what it is of, such as {@code VM}
 * @param name its name
 * @param text what is not kept and why, one clause for people
 */
public record Loss(String kind, String name, String text) {

    @Override
    public String toString() {
        return kind + " " + name + ": " + text;
    }
}
