package org.stillwater.core.schedule;

import java.util.HashSet;
import java.util.Set;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * A host that VMs may be placed on, as the caller knows it from memory. Immutable.
 *
 * @param id the host; of equally good ones the lowest is taken
 * @param name display name
 * @param status its status; only hosts that are up get VMs
 * @param cluster its cluster
 * @param maintenance whether a user wants it in maintenance, although its status does not show it
 *     yet
 * @param offer its capacity
 * @param load its committed capacity
 * @param vms VMs that are there or on their way; only those that are members of affinity groups
 *     need be named
 */
public record HostCandidate(
        HostId id,
        String name,
        HostStatus status,
        ClusterId cluster,
        boolean maintenance,
        HostOffer offer,
        HostLoad load,
        Set<VmId> vms) {

    public HostCandidate {
        vms = Set.copyOf(vms);
    }

    /** The same after the placement of a VM on it, for the next pass. */
    public HostCandidate with(PlacementRequest vm) {
        Set<VmId> more = new HashSet<>(vms);
        more.add(vm.vm());
        return new HostCandidate(
                id,
                name,
                status,
                cluster,
                maintenance,
                offer,
                load.withPending(vm.memoryMebibytes(), vm.cpus()),
                more);
    }
}
