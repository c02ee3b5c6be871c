package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.util.unit.DataSize;

/** Bounds of settings. Each refusal names the setting, the bound and the given value. */
final class Checks {

    private Checks() {}

    static void duration(String name, Duration value, Duration least, Duration most) {
        require(
                value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
                name,
                text(least) + " to " + text(most),
                text(value));
    }

    static void size(String name, DataSize value, DataSize least, DataSize most) {
        require(
                value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
                name,
                text(least) + " to " + text(most),
                text(value));
    }

    static void number(String name, long value, long least, long most) {
        require(value >= least && value <= most, name, least + " to " + most, "" + value);
    }

    static void require(boolean fine, String name, String allowed, String given) {
        if (!fine) {
            throw new IllegalArgumentException(
                    "stillwater." + name + " must be " + allowed + ", not " + given);
        }
    }

    /** As it would be written in a configuration file. */
    static String text(Duration value) {
        long millis = value.toMillis();
        if (millis % 1000 != 0 || millis == 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        return seconds % 3600 == 0
                ? seconds / 3600 + "h"
                : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    /** As it would be written in a configuration file. */
    static String text(DataSize value) {
        long bytes = value.toBytes();
        if (bytes == 0 || bytes % 1024 != 0) {
            return bytes + "B";
        }
        return bytes % (1024 * 1024) == 0 ? value.toMegabytes() + "MB" : value.toKilobytes() + "KB";
    }
}
