package org.stillwater.monitoring.cluster;

import org.stillwater.core.definition.CompatibilityVersion;

/**
 * Limits of clusters.
 *
 * @param most clusters at most, and data centres at most; 1–100 000
 * @param engineVersion the engine version that hosts of clusters with a compatibility version must
 *     support (protocol specification §3.4, {@code supportedENGINEs})
 */
public record ClusterSettings(int most, CompatibilityVersion engineVersion) {

    /** The documented defaults. */
    public static final ClusterSettings DEFAULT =
            new ClusterSettings(1_000, new CompatibilityVersion(4, 5));

    public ClusterSettings {
        if (most < 1 || most > 100_000) {
            throw new IllegalArgumentException("there may be 1 to 100 000 clusters, not " + most);
        }
    }
}
