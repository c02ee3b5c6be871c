package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import tools.jackson.databind.JsonNode;

/** Converts a cluster of oVirt's API to one of ours. Stateless. */
final class ClusterPlanner {

    private static final String KIND = "cluster";
    private static final Set<String> SOURCES = Set.of("urandom", "random", "hwrng");

    private ClusterPlanner() {}

    /**
     * The cluster.
     *
     * @param networks those of the cluster
     * @throws IllegalArgumentException if it cannot be one of ours
     */
    static Cluster plan(
            JsonNode cluster,
            ClusterId id,
            DataCentreId dataCentre,
            List<JsonNode> networks,
            Losses losses) {
        String name = OvirtJson.text(cluster, "name");
        String type = OvirtJson.text(cluster, "cpu", "type");
        losses.addIf(
                !type.isEmpty(),
                KIND,
                name,
                "the CPU type "
                        + type
                        + ": the API does not contain its flags, so that hosts are not held to it;"
                        + " set cpuType here");
        long overcommit = OvirtJson.number(cluster, 100, "memory_policy", "over_commit", "percent");
        losses.addIf(
                overcommit != 100,
                KIND,
                name,
                "its overcommitment of memory of "
                        + overcommit
                        + " %: here it is one for all"
                        + " (stillwater.commands.scheduling.memory-overcommit-percent)");
        return new Cluster(
                id,
                dataCentre,
                name,
                OvirtJson.text(cluster, "description"),
                requirements(cluster, networks),
                switch (OvirtJson.lower(cluster, "error_handling", "on_error")) {
                    case "do_not_migrate" -> MigrateOnError.NONE;
                    case "migrate_highly_available" -> MigrateOnError.HIGHLY_AVAILABLE;
                    default -> MigrateOnError.ALL;
                },
                fencing(cluster),
                MemoryThresholds.DEFAULT);
    }

    private static HostRequirements requirements(JsonNode cluster, List<JsonNode> networks) {
        Set<String> sources = new HashSet<>();
        List<JsonNode> required = new ArrayList<>();
        for (String element : List.of("required_rng_source", "rng_source")) {
            required.addAll(OvirtJson.list(cluster, "required_rng_sources", element));
        }
        for (JsonNode each : required) {
            String source = each.asString("").toLowerCase(Locale.ROOT);
            if (SOURCES.contains(source) && !source.equals("urandom")) { // every host has that
                sources.add(source);
            }
        }
        Map<String, ClusterNetwork> named = new LinkedHashMap<>();
        for (JsonNode each : networks) {
            String name = OvirtJson.text(each, "name");
            boolean vms =
                    OvirtJson.list(each, "usages", "usage").stream()
                            .anyMatch(usage -> usage.asString("").equalsIgnoreCase("vm"));
            named.put(name, new ClusterNetwork(name, OvirtJson.flag(each, "required"), vms));
        }
        return new HostRequirements(
                version(cluster),
                null,
                architecture(OvirtJson.text(cluster, "cpu", "architecture")),
                List.of(),
                null,
                sources,
                Set.of(),
                switch (OvirtJson.lower(cluster, "fips_mode")) {
                    case "enabled" -> Boolean.TRUE;
                    case "disabled" -> Boolean.FALSE;
                    default -> null;
                },
                false,
                true,
                List.copyOf(named.values()));
    }

    private static @Nullable CompatibilityVersion version(JsonNode cluster) {
        int major = (int) OvirtJson.number(cluster, 0, "version", "major");
        int minor = (int) OvirtJson.number(cluster, 0, "version", "minor");
        return major == 0 ? null : new CompatibilityVersion(major, minor);
    }

    private static @Nullable CpuArchitecture architecture(String name) {
        for (CpuArchitecture each : CpuArchitecture.values()) {
            if (each.name().equalsIgnoreCase(name)) {
                return each;
            }
        }
        return null;
    }

    private static FencingPolicy fencing(JsonNode cluster) {
        if (!OvirtJson.has(cluster, "fencing_policy", "enabled")) {
            return FencingPolicy.DEFAULT;
        }
        boolean skips =
                OvirtJson.flag(cluster, "fencing_policy", "skip_if_connectivity_broken", "enabled");
        long percent =
                OvirtJson.number(
                        cluster, 50, "fencing_policy", "skip_if_connectivity_broken", "threshold");
        return new FencingPolicy(
                OvirtJson.flag(cluster, "fencing_policy", "enabled"),
                skips ? Math.clamp(percent, 1, 100) : null,
                OvirtJson.flag(cluster, "fencing_policy", "skip_if_sd_active", "enabled"));
    }
}
