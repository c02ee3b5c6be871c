package org.stillwater.core.analysis.host;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostCapabilities.OperatingSystem;
import org.stillwater.core.report.HostNetworks;

/**
 * Whether a host may run VMs of its cluster, by its own report (monitoring specification §3.3,
 * §3.8).
 *
 * <p>Unknown is not unfit. Missing data never disqualifies a host, and an unreadable value counts
 * as missing. A wrongly accepted host fails to start a VM and reports the reason; a wrongly
 * rejected one loses VMs that it runs well.
 *
 * <p>Of several faults the first in the order of the checks is reported: faults that the engine
 * cannot repair, then versions, processors, machines, then installable software, then networks. The
 * others appear after its repair.
 */
public final class ClusterFitness {

    private static final int MOST_NAMED = 10;

    private static final List<Check> CHECKS =
            List.of(
                    ClusterFitness::kvm,
                    ClusterFitness::engine,
                    ClusterFitness::version,
                    ClusterFitness::cpuTypeKnown,
                    ClusterFitness::architecture,
                    ClusterFitness::cpuType,
                    ClusterFitness::machineTypes,
                    ClusterFitness::emulatedMachine,
                    ClusterFitness::rngSources,
                    ClusterFitness::system,
                    ClusterFitness::features,
                    ClusterFitness::fips,
                    ClusterFitness::hostedEngine,
                    ClusterFitness::networks,
                    ClusterFitness::bridges);

    private ClusterFitness() {}

    /** One reason to refuse a host, or null. */
    @FunctionalInterface
    private interface Check {
        @Nullable Unfitness of(HostCapabilities host, HostRequirements needs, ClusterPeers peers);
    }

    /** Why a host may not run VMs of a cluster; null if it may. */
    public static @Nullable Unfitness check(
            HostCapabilities host, Cluster cluster, ClusterPeers peers) {
        for (Check check : CHECKS) {
            Unfitness unfitness = check.of(host, cluster.requirements(), peers);
            if (unfitness != null) {
                return unfitness;
            }
        }
        return null;
    }

    /**
     * The machine type that a fit host's cluster should use from now on: the best that the host has
     * of those that the cluster accepts. Null if the cluster accepts any, uses one already, or the
     * host has none.
     */
    public static @Nullable String machineToUse(HostCapabilities host, Cluster cluster) {
        HostRequirements needs = cluster.requirements();
        if (needs.emulatedMachine() != null) {
            return null;
        }
        Set<String> offered = Set.copyOf(host.compatibility().emulatedMachines());
        return needs.machineTypes().stream().filter(offered::contains).findFirst().orElse(null);
    }

    private static @Nullable Unfitness kvm(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        return Boolean.FALSE.equals(host.features().kvm())
                ? new Unfitness(
                        NonOperationalReason.KVM_NOT_RUNNING,
                        AuditEvent.VDS_RUN_IN_NO_KVM_MODE,
                        Map.of())
                : null;
    }

    private static @Nullable Unfitness engine(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        return needs.version() == null
                        || supports(host.compatibility().supportedEngines(), peers.engine())
                ? null
                : unfit(
                        NonOperationalReason.VERSION_INCOMPATIBLE_WITH_CLUSTER,
                        "it does not list " + peers.engine());
    }

    private static @Nullable Unfitness version(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        CompatibilityVersion version = needs.version();
        return version == null || supports(host.compatibility().clusterLevels(), version)
                ? null
                : unfit(
                        NonOperationalReason.CLUSTER_VERSION_INCOMPATIBLE_WITH_CLUSTER,
                        "it does not list " + version);
    }

    /** Whether a list contains a version; a list without any version counts as unknown. */
    private static boolean supports(List<String> listed, CompatibilityVersion version) {
        boolean anyKnown = false;
        for (String text : listed) {
            CompatibilityVersion one = parsed(text);
            if (version.equals(one)) {
                return true;
            }
            anyKnown |= one != null;
        }
        return !anyKnown;
    }

    private static @Nullable CompatibilityVersion parsed(String text) {
        try {
            return CompatibilityVersion.parse(text.strip());
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /** Compares the cluster's own values; the host does not matter. */
    private static @Nullable Unfitness cpuTypeKnown(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        CpuType type = needs.cpuType();
        CompatibilityVersion version = needs.version();
        return type == null || version == null || type.isKnownTo(version)
                ? null
                : unfit(
                        NonOperationalReason.CPU_TYPE_UNSUPPORTED_IN_THIS_CLUSTER_VERSION,
                        type.name() + " in " + version);
    }

    private static @Nullable Unfitness architecture(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        CpuArchitecture wanted = needs.architecture();
        CpuArchitecture told = CpuArchitecture.emulating(host.compatibility().emulatedMachines());
        return wanted == null || told == null || told == wanted
                ? null
                : unfit(
                        NonOperationalReason.ARCHITECTURE_INCOMPATIBLE_WITH_CLUSTER,
                        told + " instead of " + wanted);
    }

    private static @Nullable Unfitness cpuType(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        CpuType type = needs.cpuType();
        String flags = host.cpu().flags();
        if (type == null || flags == null || flags.isBlank()) {
            return null;
        }
        Set<String> missing = missing(type.flags(), List.of(flags.strip().split("[,\\s]+")));
        return missing.isEmpty()
                ? null
                : unfit(NonOperationalReason.CPU_TYPE_INCOMPATIBLE_WITH_CLUSTER, listed(missing));
    }

    private static @Nullable Unfitness machineTypes(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        List<String> offered = host.compatibility().emulatedMachines();
        boolean fits =
                needs.machineTypes().isEmpty()
                        || offered.isEmpty()
                        || needs.machineTypes().stream().anyMatch(Set.copyOf(offered)::contains);
        return fits
                ? null
                : unfit(
                        NonOperationalReason.EMULATED_MACHINES_INCOMPATIBLE_WITH_CLUSTER_LEVEL,
                        "none of " + listed(needs.machineTypes()));
    }

    private static @Nullable Unfitness emulatedMachine(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        List<String> offered = host.compatibility().emulatedMachines();
        String used = needs.emulatedMachine();
        return used == null || offered.isEmpty() || offered.contains(used)
                ? null
                : unfit(NonOperationalReason.EMULATED_MACHINES_INCOMPATIBLE_WITH_CLUSTER, used);
    }

    private static @Nullable Unfitness rngSources(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        return lacks(
                needs.rngSources(),
                host.compatibility().rngSources(),
                NonOperationalReason.RNG_SOURCES_INCOMPATIBLE_WITH_CLUSTER);
    }

    private static @Nullable Unfitness system(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        SystemMajor own = systemOf(host);
        if (!needs.uniformSystem() || own == null) {
            return null;
        }
        // If both major versions run already, neither host is at fault.
        boolean alone = !peers.systems().contains(own);
        Set<String> others = new TreeSet<>();
        for (SystemMajor other : peers.systems()) {
            if (other.name().equals(own.name())) {
                others.add(other.toString());
            }
        }
        return alone && !others.isEmpty()
                ? unfit(
                        NonOperationalReason.MIXING_RHEL_VERSIONS_IN_CLUSTER,
                        own + " among " + listed(others))
                : null;
    }

    /** A host's operating system; null if it reports none. */
    public static @Nullable SystemMajor systemOf(HostCapabilities host) {
        OperatingSystem system = host.software().operatingSystem();
        return SystemMajor.of(system.name(), system.version());
    }

    private static @Nullable Unfitness features(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        return lacks(
                needs.features(),
                host.compatibility().additionalFeatures(),
                NonOperationalReason.HOST_FEATURES_INCOMPATIBILE_WITH_CLUSTER);
    }

    private static @Nullable Unfitness fips(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        Boolean told = host.security().fips();
        return needs.fips() == null || told == null || told.equals(needs.fips())
                ? null
                : unfit(
                        NonOperationalReason.FIPS_INCOMPATIBLE_WITH_CLUSTER,
                        told ? "it is in FIPS mode" : "it is not in FIPS mode");
    }

    private static @Nullable Unfitness hostedEngine(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        return needs.hostedEngine() || !Boolean.TRUE.equals(host.features().hostedEngineDeployed())
                ? null
                : unfit(NonOperationalReason.HE_HOST_IN_NON_HE_CLUSTER, "");
    }

    private static @Nullable Unfitness networks(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        Set<String> required = new TreeSet<>();
        for (ClusterNetwork network : needs.networks()) {
            if (network.required()) {
                required.add(network.name());
            }
        }
        return lacks(
                required,
                host.network().networks().keySet(),
                NonOperationalReason.NETWORK_UNREACHABLE);
    }

    private static @Nullable Unfitness bridges(
            HostCapabilities host, HostRequirements needs, ClusterPeers peers) {
        Set<String> bridgeless = new TreeSet<>();
        for (ClusterNetwork network : needs.networks()) {
            HostNetworks.Network there = host.network().networks().get(network.name());
            if (network.vmNetwork() && there != null && Boolean.FALSE.equals(there.bridged())) {
                bridgeless.add(network.name());
            }
        }
        return bridgeless.isEmpty()
                ? null
                : unfit(NonOperationalReason.VM_NETWORK_IS_BRIDGELESS, listed(bridgeless));
    }

    /** Unfitness for the wanted values that a host lacks; null if the host reports none at all. */
    private static @Nullable Unfitness lacks(
            Collection<String> wanted, Collection<String> told, NonOperationalReason reason) {
        Set<String> missing = missing(wanted, told);
        return told.isEmpty() || missing.isEmpty() ? null : unfit(reason, listed(missing));
    }

    private static Set<String> missing(Collection<String> wanted, Collection<String> told) {
        Set<String> missing = new TreeSet<>(wanted);
        missing.removeAll(new HashSet<>(told));
        return missing;
    }

    /** Names for a sentence, which stays one however many there are. */
    private static String listed(Collection<String> names) {
        String first = names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
        int more = names.size() - MOST_NAMED;
        return more > 0 ? first + " and " + more + " more" : first;
    }

    private static Unfitness unfit(NonOperationalReason reason, String which) {
        String clause = which.isEmpty() ? reason.clause() : reason.clause() + ": " + which;
        return new Unfitness(reason, AuditEvent.VDS_SET_NONOPERATIONAL, Map.of("reason", clause));
    }
}
