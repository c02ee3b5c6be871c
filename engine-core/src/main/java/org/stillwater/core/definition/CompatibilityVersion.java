package org.stillwater.core.definition;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Level of features that the hosts of a cluster have in common, for example 4.8: hosts name the
 * levels that they support (protocol specification §3.4).
 *
 * @param major 0–9999
 * @param minor 0–9999
 */
public record CompatibilityVersion(int major, int minor)
        implements Comparable<CompatibilityVersion> {

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4})");
    private static final int MOST = 9_999;

    private static final Comparator<CompatibilityVersion> ORDER =
            Comparator.comparingInt(CompatibilityVersion::major)
                    .thenComparingInt(CompatibilityVersion::minor);

    public CompatibilityVersion {
        if (major < 0 || major > MOST || minor < 0 || minor > MOST) {
            throw new IllegalArgumentException(
                    "the numbers of a version are 0 to 9999, not " + major + " and " + minor);
        }
    }

    /**
     * Reads the text form, such as {@code 4.8}.
     *
     * @throws IllegalArgumentException if the text is no version
     */
    public static CompatibilityVersion parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("a version is two numbers, such as 4.8");
        }
        return new CompatibilityVersion(
                Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
    }

    @Override
    public int compareTo(CompatibilityVersion other) {
        return ORDER.compare(this, other);
    }

    /** The text form. */
    @Override
    public String toString() {
        return major + "." + minor;
    }
}
