package org.stillwater.core.schedule;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostStatus;

/**
 * One rule that decides whether a host may run a VM. Stateless.
 *
 * <p>{@link #accepts} runs for each pair of host and VM and therefore allocates nothing; {@link
 * #reason} runs only for hosts that an explanation names.
 */
sealed interface HostFilter {

    /** All of them, in the order of {@link PlacementRule}. */
    static List<HostFilter> all() {
        return List.of(
                new Pinned(),
                new Excluded(),
                new InCluster(),
                new Up(),
                new NotLeaving(),
                new Machine(),
                new Networks(),
                new Memory(),
                new Cpu(),
                new Affinity());
    }

    /** The rule that it keeps. */
    PlacementRule rule();

    /** Whether it could reject any host for this VM. */
    default boolean matters(RequestState vm) {
        return true;
    }

    /** Whether the host may run the VM. */
    boolean accepts(RequestState vm, HostCapacity room);

    /** The lacking property of a rejected host, one clause. */
    String reason(RequestState vm, HostCapacity room);

    /** The lacking amount; compared among hosts that this filter rejects. */
    default long lack(RequestState vm, HostCapacity room) {
        return 0;
    }

    /** A filter independent of placements: it runs once for all VMs with the same requirements. */
    sealed interface Fixed extends HostFilter {

        /** The part of a request that decides: VMs with an equal part get the same results. */
        Object decidedBy(PlacementRequest vm);
    }

    /** A VM that is pinned runs on its hosts only. */
    record Pinned() implements HostFilter {

        @Override
        public PlacementRule rule() {
            return PlacementRule.PINNED;
        }

        @Override
        public boolean matters(RequestState vm) {
            return !vm.request.allowed().isEmpty();
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            return vm.request.allowed().contains(room.host.id());
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            return "another host was requested";
        }
    }

    /** A VM leaves its host for another, and does not try one twice. */
    record Excluded() implements HostFilter {

        @Override
        public PlacementRule rule() {
            return PlacementRule.EXCLUDED;
        }

        @Override
        public boolean matters(RequestState vm) {
            return vm.request.current() != null || !vm.request.excluded().isEmpty();
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            return !isCurrent(vm, room) && !vm.request.excluded().contains(room.host.id());
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            return isCurrent(vm, room) ? "the VM is to leave it" : "it was tried before";
        }

        private static boolean isCurrent(RequestState vm, HostCapacity room) {
            return room.host.id().equals(vm.request.current());
        }
    }

    /** VMs stay in their cluster. */
    record InCluster() implements Fixed {

        @Override
        public PlacementRule rule() {
            return PlacementRule.CLUSTER;
        }

        @Override
        public Object decidedBy(PlacementRequest vm) {
            return vm.cluster();
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            return room.host.cluster().equals(vm.request.cluster());
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            return "it is in another cluster";
        }
    }

    /** Only hosts that are up get VMs. */
    record Up() implements Fixed {

        @Override
        public PlacementRule rule() {
            return PlacementRule.STATUS;
        }

        @Override
        public Object decidedBy(PlacementRequest vm) {
            return HostStatus.UP; // nothing of the VM
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            return room.host.status() == HostStatus.UP;
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            String status = room.host.status().name().toLowerCase(Locale.ROOT).replace('_', ' ');
            return "its status is " + status;
        }
    }

    /** A host that is to be emptied is not filled. */
    record NotLeaving() implements Fixed {

        @Override
        public PlacementRule rule() {
            return PlacementRule.MAINTENANCE;
        }

        @Override
        public Object decidedBy(PlacementRequest vm) {
            return PlacementRule.MAINTENANCE; // nothing of the VM
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            return !room.host.maintenance();
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            return "it is wanted in maintenance";
        }
    }

    /** A host emulates the VM's machine type with a processor that has the required features. */
    record Machine() implements Fixed {

        private record Needs(@Nullable String machine, @Nullable ProcessorNeeds processor) {}

        @Override
        public PlacementRule rule() {
            return PlacementRule.MACHINE;
        }

        @Override
        public Object decidedBy(PlacementRequest vm) {
            return new Needs(vm.machineType(), vm.processor());
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            ProcessorNeeds processor = vm.request.processor();
            return emulates(vm.request.machineType(), room.host.offer().machineTypes())
                    && (processor == null || has(processor.flags(), room.host.offer().cpuFlags()));
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            String machine = vm.request.machineType();
            ProcessorNeeds processor = vm.request.processor();
            if (!emulates(machine, room.host.offer().machineTypes()) || processor == null) {
                return "it does not emulate " + machine;
            }
            return "for "
                    + processor.name()
                    + " its processors lack "
                    + missing(processor.flags(), room.host.offer().cpuFlags());
        }

        private static boolean emulates(@Nullable String machine, Set<String> offered) {
            return machine == null || offered.isEmpty() || offered.contains(machine);
        }
    }

    /** A host is attached to the VM's networks. */
    record Networks() implements Fixed {

        @Override
        public PlacementRule rule() {
            return PlacementRule.NETWORKS;
        }

        @Override
        public Object decidedBy(PlacementRequest vm) {
            return vm.networks();
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            return has(vm.request.networks(), room.host.offer().networks());
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            return "it is not attached to "
                    + missing(vm.request.networks(), room.host.offer().networks());
        }
    }

    /** No memory is promised beyond the policy, and none that the host does not have. */
    record Memory() implements HostFilter {

        @Override
        public PlacementRule rule() {
            return PlacementRule.MEMORY;
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            return room.memoryKnown && lack(vm, room) <= 0;
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            if (!room.memoryKnown) {
                return "its memory is not known yet";
            }
            return vm.request.memoryMebibytes()
                    + " MiB needed, "
                    + Math.max(0, room.memoryLeft())
                    + (room.isMemoryScarcerThanPromised() ? " MiB free of " : " MiB left of ")
                    + room.memoryCapacity;
        }

        @Override
        public long lack(RequestState vm, HostCapacity room) {
            return vm.request.memoryMebibytes() - room.memoryLeft();
        }
    }

    /** No VM has more CPUs than its host has processors, and no host promises too many. */
    record Cpu() implements HostFilter {

        @Override
        public PlacementRule rule() {
            return PlacementRule.CPU;
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            return vm.request.cpus() <= room.onlineCpus && vm.request.cpus() <= room.cpusLeft();
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            int online = room.onlineCpus;
            if (online == 0) {
                return "its processors are not known yet";
            }
            String needed = vm.request.cpus() + " CPUs needed, ";
            return vm.request.cpus() > online
                    ? needed + "it has " + online
                    : needed
                            + Math.max(0, room.cpusLeft())
                            + " left of "
                            + room.cpuCapacity
                            + " that may be promised";
        }

        @Override
        public long lack(RequestState vm, HostCapacity room) {
            return vm.request.cpus() - Math.min(room.onlineCpus, room.cpusLeft());
        }
    }

    /** Enforced affinity: with the others of its group, or without them. */
    record Affinity() implements HostFilter {

        @Override
        public PlacementRule rule() {
            return PlacementRule.AFFINITY;
        }

        @Override
        public boolean matters(RequestState vm) {
            return !vm.groups.isEmpty();
        }

        @Override
        public boolean accepts(RequestState vm, HostCapacity room) {
            for (int i = 0; i < vm.groups.size(); i++) { // an iterator would be garbage
                if (isAgainst(vm.groups.get(i), vm, room)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            for (GroupOccupancy group : vm.groups) {
                if (isAgainst(group, vm, room)) {
                    return group.group.positive()
                            ? "VMs of "
                                    + group.group.name()
                                    + " must run on one host, and others run elsewhere"
                            : "VMs of "
                                    + group.group.name()
                                    + " must run on different hosts, and one of them runs here";
                }
            }
            return "";
        }

        private static boolean isAgainst(GroupOccupancy group, RequestState vm, HostCapacity room) {
            if (!group.group.enforcing()) {
                return false;
            }
            int there = group.others(vm, room);
            return group.group.positive() ? there == 0 && group.othersBound(vm) > 0 : there > 0;
        }
    }

    /** Whether a host has all of this; a host that does not report its features passes. */
    private static boolean has(Set<String> wanted, Set<String> offered) {
        return offered.isEmpty() || wanted.isEmpty() || offered.containsAll(wanted);
    }

    /** The missing features of a host, as a list that stays readable. */
    private static String missing(Set<String> wanted, Set<String> offered) {
        Set<String> missing = new TreeSet<>(wanted);
        missing.removeAll(offered);
        return listed(missing);
    }

    private static String listed(Collection<String> names) {
        int most = 10;
        String first = names.stream().limit(most).collect(Collectors.joining(", "));
        return names.size() > most ? first + " and " + (names.size() - most) + " more" : first;
    }
}
