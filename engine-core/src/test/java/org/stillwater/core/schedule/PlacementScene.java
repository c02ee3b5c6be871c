package org.stillwater.core.schedule;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/** Hosts, VMs and groups for tests, by number. */
final class PlacementScene {

    /** No host keeps anything back, processors are not scarce. */
    static final SchedulingPolicy POLICY = SchedulingPolicy.DEFAULT.promising(10, 100, 0);

    private PlacementScene() {}

    static HostId hostId(int number) {
        return new HostId(new UUID(7, number));
    }

    static VmId vmId(int number) {
        return new VmId(9, number);
    }

    /** An empty host with 16 processors. */
    static HostCandidate host(int number, long mebibytes) {
        return new HostCandidate(
                hostId(number),
                "h" + number,
                HostStatus.UP,
                ClusterId.DEFAULT,
                false,
                new HostOffer(16, mebibytes, 0, Set.of(), Set.of(), Set.of()),
                HostLoad.NONE,
                Set.of());
    }

    static HostCandidate with(HostCandidate host, HostStatus status) {
        return new HostCandidate(
                host.id(),
                host.name(),
                status,
                host.cluster(),
                host.maintenance(),
                host.offer(),
                host.load(),
                host.vms());
    }

    static HostCandidate with(HostCandidate host, HostOffer offer) {
        return new HostCandidate(
                host.id(),
                host.name(),
                host.status(),
                host.cluster(),
                host.maintenance(),
                offer,
                host.load(),
                host.vms());
    }

    static HostCandidate with(HostCandidate host, HostLoad load) {
        return new HostCandidate(
                host.id(),
                host.name(),
                host.status(),
                host.cluster(),
                host.maintenance(),
                host.offer(),
                load,
                host.vms());
    }

    static HostCandidate in(HostCandidate host, ClusterId cluster, boolean maintenance) {
        return new HostCandidate(
                host.id(),
                host.name(),
                host.status(),
                cluster,
                maintenance,
                host.offer(),
                host.load(),
                host.vms());
    }

    /** The same with these VMs, which take nothing. */
    static HostCandidate running(HostCandidate host, int... vms) {
        return new HostCandidate(
                host.id(),
                host.name(),
                host.status(),
                host.cluster(),
                host.maintenance(),
                host.offer(),
                host.load(),
                vmIds(vms));
    }

    static HostLoad busy(int cpuPercent) {
        return new HostLoad(null, 0, 0, 0, 0, 0, cpuPercent);
    }

    /** A VM with one CPU that is to start. */
    static PlacementRequest vm(int number, int mebibytes) {
        return vm(number, mebibytes, 1);
    }

    static PlacementRequest vm(int number, int mebibytes, int cpus) {
        return new PlacementRequest(
                vmId(number),
                "v" + number,
                ClusterId.DEFAULT,
                mebibytes,
                cpus,
                Set.of(),
                null,
                null,
                null,
                Set.of(),
                Set.of(),
                null,
                0);
    }

    static AffinityGroup group(String name, boolean positive, boolean enforcing, int... vms) {
        return new AffinityGroup(
                new UUID(11, name.hashCode()),
                name,
                ClusterId.DEFAULT,
                positive,
                enforcing,
                vmIds(vms));
    }

    static Set<VmId> vmIds(int... vms) {
        return Arrays.stream(vms).mapToObj(PlacementScene::vmId).collect(Collectors.toSet());
    }

    /** Names of the hosts that VMs were placed on, {@code -} for nowhere, in their order. */
    static List<String> names(List<PlacementDecision> decisions) {
        return decisions.stream()
                .map(decision ->
                        switch (decision) {
                            case PlacementDecision.Placed placed ->
                                    "h" + placed.host().value().getLeastSignificantBits();
                            case PlacementDecision.Nowhere _ -> "-";
                        })
                .toList();
    }

    static String name(PlacementDecision decision) {
        return names(List.of(decision)).getFirst();
    }
}
