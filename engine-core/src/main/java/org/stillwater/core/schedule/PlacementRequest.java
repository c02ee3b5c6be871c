package org.stillwater.core.schedule;

import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * A VM that needs a host: to start, or to migrate to. Immutable.
 *
 * @param vm the VM
 * @param name display name
 * @param cluster the cluster of its possible hosts
 * @param memoryMebibytes memory that it takes there, overhead included, at least 0 MiB
 * @param cpus its virtual CPUs, at least 1
 * @param networks logical networks that the host must have
 * @param machineType machine type that the host must emulate, null for any
 * @param processor required features of the host's processors, null for none
 * @param current the host that it is to leave, null if it runs nowhere
 * @param excluded hosts that were tried before
 * @param allowed the hosts that it is pinned to; empty if it is not pinned
 * @param preferred the host to take if it fits, null for none
 * @param priority VMs with a higher one are placed first
 */
public record PlacementRequest(
        VmId vm,
        String name,
        ClusterId cluster,
        int memoryMebibytes,
        int cpus,
        Set<String> networks,
        @Nullable String machineType,
        @Nullable ProcessorNeeds processor,
        @Nullable HostId current,
        Set<HostId> excluded,
        Set<HostId> allowed,
        @Nullable HostId preferred,
        int priority) {

    public PlacementRequest {
        if (memoryMebibytes < 0 || cpus < 1) {
            throw new IllegalArgumentException(
                    "the VM "
                            + name
                            + " needs at least 0 MiB and 1 CPU, not "
                            + memoryMebibytes
                            + " and "
                            + cpus);
        }
        networks = Set.copyOf(networks);
        excluded = Set.copyOf(excluded);
        allowed = Set.copyOf(allowed);
    }

    /**
     * A VM that is to start anywhere in its cluster.
     *
     * @param vm the VM
     * @param definition its definition
     * @param cluster defaults of its cluster: machine type and processor of VMs that name none
     * @param specification the rest of its definition: the machine type, the processor and the
     *     networks of plugged interfaces that it names; {@link VmSpecification#BARE} if that is not
     *     known
     */
    public static PlacementRequest of(
            VmId vm, VmStatic definition, HostRequirements cluster, VmSpecification specification) {
        String machine = specification.machineType();
        return new PlacementRequest(
                vm,
                definition.name(),
                definition.cluster(),
                definition.memoryWithOverheadMebibytes(),
                definition.cpus(),
                specification.interfaces().stream()
                        .filter(nic -> !nic.unplugged())
                        .map(VmInterface::network)
                        .filter(Objects::nonNull)
                        .collect(Collectors.toUnmodifiableSet()),
                machine == null ? cluster.emulatedMachine() : machine,
                ProcessorNeeds.of(specification.cpu(), cluster.cpuType()),
                null,
                Set.of(),
                Set.of(),
                null,
                0);
    }

    /** The same, to migrate away from this host. */
    public PlacementRequest leaving(HostId host) {
        return with(host, excluded, allowed, preferred, priority);
    }

    /** The same, but not on these hosts. */
    public PlacementRequest excluding(Set<HostId> hosts) {
        return with(current, hosts, allowed, preferred, priority);
    }

    /** The same, on these hosts only; empty for any. */
    public PlacementRequest pinnedTo(Set<HostId> hosts) {
        return with(current, excluded, hosts, preferred, priority);
    }

    /** The same, on this host if it fits. */
    public PlacementRequest preferring(@Nullable HostId host) {
        return with(current, excluded, allowed, host, priority);
    }

    /** The same with another priority. */
    public PlacementRequest withPriority(int other) {
        return with(current, excluded, allowed, preferred, other);
    }

    private PlacementRequest with(
            @Nullable HostId newCurrent,
            Set<HostId> newExcluded,
            Set<HostId> newAllowed,
            @Nullable HostId newPreferred,
            int newPriority) {
        return new PlacementRequest(
                vm,
                name,
                cluster,
                memoryMebibytes,
                cpus,
                networks,
                machineType,
                processor,
                newCurrent,
                newExcluded,
                newAllowed,
                newPreferred,
                newPriority);
    }
}
