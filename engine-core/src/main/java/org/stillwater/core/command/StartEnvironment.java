package org.stillwater.core.command;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmLease;

/**
 * Inputs of a domain XML besides the VM: its cluster, and the circumstances of this start.
 *
 * @param version compatibility version of the cluster
 * @param machineType machine type for VMs that do not choose one
 * @param architecture architecture of VMs that do not choose one
 * @param cpuType CPU type of the cluster, null for the CPU of the host that runs the VM
 * @param displayNetwork network by which consoles are reached
 * @param now time of the start, which decides whether its time zone has summer time
 * @param paused whether it is not to run at once
 * @param endsOnReboot whether it ends when the guest reboots, to be started with a newer definition
 * @param lease the existing lease that its process is to hold; null for none
 */
public record StartEnvironment(
        CompatibilityVersion version,
        String machineType,
        CpuArchitecture architecture,
        @Nullable CpuType cpuType,
        String displayNetwork,
        Instant now,
        boolean paused,
        boolean endsOnReboot,
        @Nullable VmLease lease) {

    /** For a VM without a lease. */
    public StartEnvironment(
            CompatibilityVersion version,
            String machineType,
            CpuArchitecture architecture,
            @Nullable CpuType cpuType,
            String displayNetwork,
            Instant now,
            boolean paused,
            boolean endsOnReboot) {
        this(
                version,
                machineType,
                architecture,
                cpuType,
                displayNetwork,
                now,
                paused,
                endsOnReboot,
                null);
    }

    /** Version for a cluster that demands none. */
    private static final CompatibilityVersion USUAL_VERSION = new CompatibilityVersion(4, 7);

    /** An alias of QEMU for the newest one that the host knows. */
    private static final String USUAL_MACHINE = "q35";

    private static final String MANAGEMENT_NETWORK = "ovirtmgmt";

    /** For a VM that runs at once in this cluster. */
    public static StartEnvironment of(Cluster cluster, Instant now) {
        HostRequirements requirements = cluster.requirements();
        return new StartEnvironment(
                requirements.version() == null ? USUAL_VERSION : requirements.version(),
                requirements.emulatedMachine() == null
                        ? USUAL_MACHINE
                        : requirements.emulatedMachine(),
                requirements.architecture() == null
                        ? CpuArchitecture.X86_64
                        : requirements.architecture(),
                requirements.cpuType(),
                MANAGEMENT_NETWORK,
                now,
                false,
                false);
    }

    /** The same for a VM that is to be paused at first, or to end when it reboots. */
    public StartEnvironment starting(boolean newPaused, boolean newEndsOnReboot) {
        return new StartEnvironment(
                version,
                machineType,
                architecture,
                cpuType,
                displayNetwork,
                now,
                newPaused,
                newEndsOnReboot,
                lease);
    }

    /** The same for a VM with a process that is to hold this lease; null for none. */
    public StartEnvironment holding(@Nullable VmLease newLease) {
        return new StartEnvironment(
                version,
                machineType,
                architecture,
                cpuType,
                displayNetwork,
                now,
                paused,
                endsOnReboot,
                newLease);
    }
}
