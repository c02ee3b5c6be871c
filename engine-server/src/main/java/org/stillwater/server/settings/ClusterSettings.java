package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.stillwater.core.definition.CompatibilityVersion;

/**
 * Clusters of hosts.
 *
 * @param most clusters at most, and data centres at most
 * @param engineVersion the engine version that hosts must support, in clusters that demand a
 *     compatibility version
 * @param mostGroupMembers VMs that an affinity group of a cluster may have
 */
@ConfigurationProperties("stillwater.clusters")
public record ClusterSettings(
        @DefaultValue("1000") int most,
        @DefaultValue("4.5") String engineVersion,
        @DefaultValue("10000") int mostGroupMembers) {

    public ClusterSettings {
        Checks.number("clusters.most", most, 1, 100_000);
        Checks.number("clusters.most-group-members", mostGroupMembers, 1, 1_000_000);
        boolean version;
        try {
            CompatibilityVersion.parse(engineVersion);
            version = true;
        } catch (IllegalArgumentException _) {
            version = false;
        }
        Checks.require(
                version,
                "clusters.engine-version",
                "two numbers, such as 4.5",
                "\"" + engineVersion + "\"");
    }
}
