package org.stillwater.core.cluster;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.text.Labels;

/**
 * Requirements of a cluster on its hosts (monitoring specification §3.8). A null or empty value
 * demands nothing.
 *
 * @param version the compatibility version that hosts must support
 * @param cpuType required processor type
 * @param architecture architecture of processors
 * @param machineTypes machine types of which a host must emulate one, best first; at most 1 000
 * @param emulatedMachine the machine type that VMs use, which hosts must emulate; chosen by the
 *     first host if it is null while there are machine types
 * @param rngSources sources of randomness that hosts must have, sorted
 * @param features optional features that hosts must have, sorted
 * @param fips whether hosts must be in FIPS mode, or must not be
 * @param uniformSystem whether all hosts must have the same major version of their operating system
 * @param hostedEngine whether hosts that may run the engine itself are welcome
 * @param networks networks, each once, sorted by name; at most 1 000
 */
public record HostRequirements(
        @Nullable CompatibilityVersion version,
        @Nullable CpuType cpuType,
        @Nullable CpuArchitecture architecture,
        List<String> machineTypes,
        @Nullable String emulatedMachine,
        Set<String> rngSources,
        Set<String> features,
        @Nullable Boolean fips,
        boolean uniformSystem,
        boolean hostedEngine,
        List<ClusterNetwork> networks) {

    private static final int MOST = 1_000;

    /** Every host with working KVM fits. */
    public static final HostRequirements NONE =
            new HostRequirements(
                    null, null, null, List.of(), null, Set.of(), Set.of(), null, false, true,
                    List.of());

    public HostRequirements {
        Labels.checkNames("machine type", machineTypes, MOST);
        Labels.checkNames("source of randomness", rngSources, MOST);
        Labels.checkNames("feature", features, MOST);
        if (emulatedMachine != null) {
            Labels.checkName("machine type", emulatedMachine);
        }
        machineTypes = List.copyOf(machineTypes);
        rngSources = Collections.unmodifiableSortedSet(new TreeSet<>(rngSources));
        features = Collections.unmodifiableSortedSet(new TreeSet<>(features));
        networks = networks.stream().sorted(Comparator.comparing(ClusterNetwork::name)).toList();
        Set<String> names = new HashSet<>();
        for (ClusterNetwork network : networks) {
            if (!names.add(network.name())) {
                throw new IllegalArgumentException(
                        "the network " + network.name() + " is there twice");
            }
        }
        Labels.checkNames("network", names, MOST);
    }

    /** The same with this machine type for VMs. */
    public HostRequirements withEmulatedMachine(@Nullable String machine) {
        return new HostRequirements(
                version,
                cpuType,
                architecture,
                machineTypes,
                machine,
                rngSources,
                features,
                fips,
                uniformSystem,
                hostedEngine,
                networks);
    }
}
