package org.stillwater.fake.world;

import java.util.Arrays;
import java.util.List;

/**
 * The release of VDSM a host plays (VDSM wire protocol §6). Enum constants are in the order of the
 * releases.
 */
public enum Profile {
    /** oVirt 4.2. */
    V4_20("4.20", "4.20.49", "4.0 4.1 4.2"),
    /** oVirt 4.3. */
    V4_30("4.30", "4.30.46", "4.1 4.2 4.3"),
    /** oVirt 4.4. */
    V4_40("4.40", "4.40.100", "4.2 4.3 4.4 4.5 4.6"),
    /** oVirt 4.5. */
    V4_50("4.50", "4.50.7", "4.2 4.3 4.4 4.5 4.6 4.7 4.8");

    private final String code;
    private final String softwareVersion;
    private final String clusterLevels;

    Profile(String code, String softwareVersion, String clusterLevels) {
        this.code = code;
        this.softwareVersion = softwareVersion;
        this.clusterLevels = clusterLevels;
    }

    /** Its name in settings and on the control port, {@code 4.50}. */
    public String code() {
        return code;
    }

    /**
     * The profile with this name.
     *
     * @throws IllegalArgumentException if there is none; the message lists all
     */
    public static Profile ofCode(String code) {
        for (Profile profile : values()) {
            if (profile.code.equals(code)) {
                return profile;
            }
        }
        throw new IllegalArgumentException(
                "unknown profile '%s'; one of 4.20, 4.30, 4.40, 4.50".formatted(code));
    }

    boolean atLeast(Profile other) {
        return compareTo(other) >= 0;
    }

    String softwareVersion() {
        return softwareVersion;
    }

    List<String> clusterLevels() {
        return Arrays.asList(clusterLevels.split(" "));
    }

    /** Engines a host of this release accepts; the list ends at oVirt 4.5. */
    List<String> supportedEngines() {
        return clusterLevels().stream().filter(level -> level.compareTo("4.5") <= 0).toList();
    }

    /** The offset between the monotonic clock and stamps (§4.3). */
    long stampBaseMillis() {
        return atLeast(V4_40) ? Integer.MAX_VALUE : 0;
    }
}
