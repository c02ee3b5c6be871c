package org.stillwater.monitoring.vm;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.VmStatus;

/**
 * The VMs that one host is responsible for, maintained as placements change, so that a complete
 * poll with the expected number of VMs needs no check of each VM. Thread-safe.
 */
public final class HostVms {

    private final HostId host;
    private final Set<VmManager> members = ConcurrentHashMap.newKeySet(8);
    private final AtomicInteger changes = new AtomicInteger();

    HostVms(HostId host) {
        this.host = host;
    }

    /** The host. */
    public HostId host() {
        return host;
    }

    /** Number of VMs. */
    public int size() {
        return members.size();
    }

    /**
     * Memory that the VMs take when they use all they have, overhead included; VMs that are not
     * launched yet take none. In MiB, as of now.
     */
    public long committedMemoryMebibytes() {
        long sum = 0;
        for (VmManager vm : members) {
            VmStatus status = vm.state().runtime().status();
            if (status != VmStatus.WAIT_FOR_LAUNCH && status != VmStatus.DOWN) {
                sum += vm.definition().memoryWithOverheadMebibytes();
            }
        }
        return sum;
    }

    /** Whether one of the VMs holds a storage lease, which names the host that may run it. */
    public boolean anyWithLease() {
        for (VmManager vm : members) {
            if (vm.definition().leased()) {
                return true;
            }
        }
        return false;
    }

    /** Grows whenever a VM comes or goes. */
    public int changes() {
        return changes.get();
    }

    /** Calls the action for each VM; VMs that come or go meanwhile may be missed. */
    public void forEach(Consumer<VmManager> action) {
        members.forEach(action);
    }

    void add(VmManager vm) {
        if (members.add(vm)) {
            changes.incrementAndGet();
        }
    }

    void remove(VmManager vm) {
        if (members.remove(vm)) {
            changes.incrementAndGet();
        }
    }
}
