package org.stillwater.core.analysis.host;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A kind of operating system.
 *
 * @param name for example {@code RHEL}
 * @param major first number of its version
 */
public record SystemMajor(String name, int major) {

    private static final Pattern FIRST_NUMBER = Pattern.compile("([0-9]{1,6})([^0-9].*)?");

    /** From a system's name and version; null if they are not reported, or do not contain it. */
    public static @Nullable SystemMajor of(@Nullable String name, @Nullable String version) {
        if (name == null || name.isBlank() || version == null) {
            return null;
        }
        Matcher number = FIRST_NUMBER.matcher(version.strip());
        return number.matches()
                ? new SystemMajor(name.strip(), Integer.parseInt(number.group(1)))
                : null;
    }

    @Override
    public String toString() {
        return name + " " + major;
    }
}
