package org.stillwater.server.takeover;

/**
 * Something of the other engine that is not kept.
 *
 * @param kind kind of the object, such as {@code VM}
 * @param name its name
 * @param text lost data and the reason, one clause for people
 */
public record Loss(String kind, String name, String text) {

    @Override
    public String toString() {
        return kind + " " + name + ": " + text;
    }
}
