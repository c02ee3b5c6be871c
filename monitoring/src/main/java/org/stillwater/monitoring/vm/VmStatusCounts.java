package org.stillwater.monitoring.vm;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.stillwater.core.vm.VmStatus;

/**
 * How many VMs have each status, counted while they change: a pass over a hundred thousand VMs
 * takes ten milliseconds and more. A VM is counted under its lock from its registration until its
 * removal. Thread-safe; during a change the sum is one too many or too few for a moment.
 */
final class VmStatusCounts {

    private final Map<VmStatus, AtomicInteger> counts = new EnumMap<>(VmStatus.class);

    VmStatusCounts() {
        for (VmStatus status : VmStatus.values()) {
            counts.put(status, new AtomicInteger());
        }
    }

    private AtomicInteger of(VmStatus status) {
        AtomicInteger count = counts.get(status);
        if (count == null) {
            throw new IllegalStateException("no count of " + status);
        }
        return count;
    }

    /** A VM is registered with this status. */
    void add(VmStatus status) {
        of(status).incrementAndGet();
    }

    /** A VM with this status is removed. */
    void remove(VmStatus status) {
        of(status).decrementAndGet();
    }

    /** A VM has another status. */
    void move(VmStatus before, VmStatus after) {
        if (before != after) {
            add(after);
            remove(before);
        }
    }

    /** VMs with one of these statuses. */
    int sum(Set<VmStatus> statuses) {
        int sum = 0;
        for (VmStatus status : statuses) {
            sum += of(status).get();
        }
        return sum;
    }

    /** Statuses that VMs have, with their numbers of VMs. */
    Map<VmStatus, Integer> all() {
        Map<VmStatus, Integer> all = new EnumMap<>(VmStatus.class);
        counts.forEach((status, count) -> {
            int now = count.get();
            if (now > 0) {
                all.put(status, now);
            }
        });
        return all;
    }
}
