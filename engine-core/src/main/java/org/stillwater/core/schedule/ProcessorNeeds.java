package org.stillwater.core.schedule;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.definition.VmCpu;

/**
 * The required processor features of a VM. Immutable.
 *
 * @param name display name
 * @param flags flags that they must have, {@code model_…} included (protocol specification §3.4)
 */
public record ProcessorNeeds(String name, Set<String> flags) {

    static final String MODEL = "model_";

    public ProcessorNeeds {
        flags = Set.copyOf(flags);
    }

    /**
     * The requirements of a VM's definition.
     *
     * @param cpu the processor that its guest sees
     * @param cluster the CPU type of its cluster, null for none in particular
     * @return null if every host will do
     */
    static @Nullable ProcessorNeeds of(VmCpu cpu, @Nullable CpuType cluster) {
        return switch (cpu) {
            case VmCpu.OfCluster _ ->
                    cluster == null ? null : new ProcessorNeeds(cluster.name(), cluster.flags());
            case VmCpu.OfHost _ -> null;
            case VmCpu.Named(String model, Set<String> features) -> {
                Set<String> flags = new HashSet<>();
                flags.add(MODEL + model);
                features.forEach(feature -> flags.add(flagOf(feature)));
                yield new ProcessorNeeds(model, flags);
            }
        };
    }

    /**
     * The flag of a feature: {@code spec-ctrl} of libvirt is {@code spec_ctrl} in hosts' reports.
     */
    static String flagOf(String feature) {
        return feature.replace('-', '_').replace('.', '_');
    }
}
