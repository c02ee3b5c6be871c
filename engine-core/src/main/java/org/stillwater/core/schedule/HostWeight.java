package org.stillwater.core.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One criterion that ranks hosts for a VM, from 0 to 100. Stateless but for the policy.
 *
 * <p>A score falls all the way and never reaches its end, so that of overloaded hosts the least
 * loaded is still the best.
 */
sealed interface HostWeight {

    /** Name of the property. */
    String name();

    /** Weight of the score. */
    double factor();

    /** Whether it makes a difference for this VM. */
    default boolean matters(RequestState vm) {
        return true;
    }

    /** The score of the host, 0–100. Runs for each host that fits; allocates nothing. */
    double score(RequestState vm, HostCapacity room);

    /** The finding, one clause. */
    String reason(RequestState vm, HostCapacity room);

    /** The weights of a policy: preferences, then affinity, then load. */
    static List<HostWeight> of(SchedulingPolicy policy) {
        List<HostWeight> weights = new ArrayList<>();
        weights.add(new Preferred(policy));
        weights.add(new Affinity(policy.affinityFactor()));
        switch (policy.weighting()) {
            case EVEN_CPU -> weights.add(new EvenCpu());
            case EVEN_MEMORY -> weights.add(new EvenMemory());
            case POWER_SAVING -> weights.add(new PowerSaving(policy));
            case NONE -> {
                // The first by id.
            }
        }
        return List.copyOf(weights);
    }

    /** The host that was wished for; counts more than all the others together. */
    record Preferred(SchedulingPolicy policy) implements HostWeight {

        @Override
        public String name() {
            return "preferred";
        }

        @Override
        public double factor() {
            return policy.affinityFactor() + 2;
        }

        @Override
        public boolean matters(RequestState vm) {
            return vm.request.preferred() != null;
        }

        @Override
        public double score(RequestState vm, HostCapacity room) {
            return room.host.id().equals(vm.request.preferred()) ? 100 : 0;
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            return room.host.id().equals(vm.request.preferred())
                    ? "it is preferred"
                    : "the preferred one does not fit";
        }
    }

    /**
     * Affinity that is not enforced. 50 is neutral; if all other VMs of a positive group are there,
     * the score is 100; each VM of a negative group lowers it. With several groups, the mean.
     */
    record Affinity(double factor) implements HostWeight {

        private static final double NEUTRAL = 50;

        @Override
        public String name() {
            return "affinity";
        }

        @Override
        public boolean matters(RequestState vm) {
            for (int i = 0; i < vm.groups.size(); i++) {
                if (!vm.groups.get(i).group.enforcing()) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public double score(RequestState vm, HostCapacity room) {
            double sum = 0;
            int wishes = 0;
            for (int i = 0; i < vm.groups.size(); i++) { // an iterator would be garbage
                GroupOccupancy group = vm.groups.get(i);
                if (!group.group.enforcing()) {
                    sum += attraction(group, vm, room);
                    wishes++;
                }
            }
            return wishes == 0 ? NEUTRAL : NEUTRAL + NEUTRAL * sum / wishes;
        }

        /** From −1 to 1. */
        private static double attraction(GroupOccupancy group, RequestState vm, HostCapacity room) {
            double there = group.others(vm, room);
            if (!group.group.positive()) {
                return -there / (there + 1);
            }
            return there == 0 ? 0 : there / group.othersBound(vm);
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            List<String> clauses = new ArrayList<>();
            for (GroupOccupancy group : vm.groups) {
                if (!group.group.enforcing()) {
                    clauses.add(clause(group, vm, room));
                }
            }
            int most = 3;
            return clauses.size() <= most
                    ? String.join(", ", clauses)
                    : String.join(", ", clauses.subList(0, most)) + " and more";
        }

        private static String clause(GroupOccupancy group, RequestState vm, HostCapacity room) {
            return String.format(
                    Locale.ROOT,
                    "%d of %s %s it",
                    group.others(vm, room),
                    group.group.name(),
                    group.group.positive() ? "with" : "in spite of");
        }
    }

    /** Processors with little to do. */
    record EvenCpu() implements HostWeight {

        @Override
        public String name() {
            return "cpu";
        }

        @Override
        public double factor() {
            return 1;
        }

        @Override
        public double score(RequestState vm, HostCapacity room) {
            return 100 * 100 / (100 + room.expectedCpuPercent(vm.request.cpus()));
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            return Math.round(room.expectedCpuPercent(vm.request.cpus())) + " % CPU expected";
        }
    }

    /** Much memory left. */
    record EvenMemory() implements HostWeight {

        @Override
        public String name() {
            return "memory";
        }

        @Override
        public double factor() {
            return 1;
        }

        @Override
        public double score(RequestState vm, HostCapacity room) {
            return Math.clamp(room.memoryLeftPercent(vm.request.memoryMebibytes()), 0, 100);
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            return room.memoryLeft()
                    - vm.request.memoryMebibytes()
                    + " of "
                    + room.memoryCapacity
                    + " MiB stay free";
        }
    }

    /**
     * Full, but not too full. Beyond the high utilisation 20 and less; hosts that stay under the
     * low one, which might rather become empty, 20 to 40; those between 60 to 100.
     */
    record PowerSaving(SchedulingPolicy policy) implements HostWeight {

        private static final double TOO_FULL = 20;
        private static final double FULL_ENOUGH = 60;
        private static final double RANGE_BELOW = 20;
        private static final double RANGE_BETWEEN = 40;

        @Override
        public String name() {
            return "power saving";
        }

        @Override
        public double factor() {
            return 1;
        }

        @Override
        public double score(RequestState vm, HostCapacity room) {
            double used = used(vm, room);
            double low = policy.lowUtilisationPercent();
            double high = policy.highUtilisationPercent();
            if (used > high) {
                return TOO_FULL * high / used;
            }
            if (used < low) {
                return TOO_FULL + RANGE_BELOW * used / low;
            }
            return high > low
                    ? FULL_ENOUGH + RANGE_BETWEEN * (used - low) / (high - low)
                    : FULL_ENOUGH + RANGE_BETWEEN;
        }

        /** The scarcer of processors and memory, used share in percent. */
        private static double used(RequestState vm, HostCapacity room) {
            return Math.max(
                    room.expectedCpuPercent(vm.request.cpus()),
                    100 - room.memoryLeftPercent(vm.request.memoryMebibytes()));
        }

        @Override
        public String reason(RequestState vm, HostCapacity room) {
            return Math.round(used(vm, room)) + " % full with it";
        }
    }
}
