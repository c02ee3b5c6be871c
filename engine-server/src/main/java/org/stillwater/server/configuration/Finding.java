package org.stillwater.server.configuration;

import org.jspecify.annotations.Nullable;

/**
 * Finding of a configuration check.
 *
 * @param severity whether the engine would not start
 * @param place location of the setting, null for none
 * @param text mistake and remedy
 */
public record Finding(Severity severity, @Nullable String place, String text) {

    /** Whether the engine would not start, or the file may mean something else. */
    public enum Severity {
        /** The engine does not start, or does not obey the setting. */
        ERROR,
        /** The engine starts. */
        WARNING
    }

    static Finding error(@Nullable String place, String text) {
        return new Finding(Severity.ERROR, place, text);
    }

    static Finding warning(@Nullable String place, String text) {
        return new Finding(Severity.WARNING, place, text);
    }

    /** One line. */
    @Override
    public String toString() {
        return (severity == Severity.ERROR ? "error: " : "warning: ")
                + (place == null ? "" : place + ": ")
                + text;
    }
}
