package org.stillwater.core.cluster;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.text.Labels;

/**
 * Processor type that the VMs of a cluster may rely on.
 *
 * @param name its name, for example {@code Intel Haswell-noTSX Family}
 * @param flags flags that a host's processor must have, {@code model_…} included (protocol
 *     specification §3.4), sorted; 1–100
 * @param since the first compatibility version that knows it, null for every old one
 * @param until the last compatibility version that knows it, null for every new one
 */
public record CpuType(
        String name,
        Set<String> flags,
        @Nullable CompatibilityVersion since,
        @Nullable CompatibilityVersion until) {

    private static final int MOST_FLAGS = 100;

    public CpuType {
        Labels.checkName("CPU type", name);
        Labels.checkNames("CPU flag", flags, MOST_FLAGS);
        if (flags.isEmpty()) {
            throw new IllegalArgumentException("a CPU type needs at least one flag");
        }
        flags = Collections.unmodifiableSortedSet(new TreeSet<>(flags));
    }

    /** Whether clusters of this version may have it. */
    public boolean isKnownTo(CompatibilityVersion version) {
        return (since == null || since.compareTo(version) <= 0)
                && (until == null || until.compareTo(version) >= 0);
    }
}
