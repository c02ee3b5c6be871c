package org.stillwater.core.connection;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;

/**
 * Pools of hosts that a hypervisor manages by itself, as XAPI does. A pool starts VMs on its hosts
 * too, so a host leaves service by an order to its pool, and the pool moves the VMs away.
 * Thread-safe.
 */
public interface HypervisorPools {

    /** There are no such pools. */
    HypervisorPools NONE =
            new HypervisorPools() {
                @Override
                public @Nullable String refusal(VmId vm, OperationKind kind) {
                    return null;
                }

                @Override
                public void order(
                        HostId host, HostOrder order, Consumer<HostAnswer<HostId>> receiver) {
                    receiver.accept(
                            new HostAnswer.Failed<>(
                                    new HostFailure.Unreachable("no pool is watched")));
                }

                @Override
                public void dropMemory(
                        VmId vm, Consumer<HostAnswer<VmId>> receiver, Consumer<HostFailure> late) {
                    receiver.accept(
                            new HostAnswer.Failed<>(
                                    new HostFailure.Unreachable("no pool is watched")));
                }
            };

    /** An order to a pool about one of its hosts. */
    enum HostOrder {
        /** The pool starts no more VMs on it; success if it does not now. */
        DISABLE,
        /** The pool may start VMs on it; success if it may now. */
        ENABLE,
        /** The pool moves all running VMs to other hosts. */
        EVACUATE
    }

    /**
     * Reason why the pool of a VM would refuse an operation in the VM's present state, one clause
     * for people; null if it would accept it, if a task on the VM is under way, or if the VM is of
     * no pool. Answers from memory.
     */
    @Nullable String refusal(VmId vm, OperationKind kind);

    /**
     * Has a pool do something with a host.
     *
     * @param receiver called once, on any thread, as soon as the pool has done it or refused it,
     *     which may take as long as all VMs of the host need to move; must not block
     */
    void order(HostId host, HostOrder order, Consumer<HostAnswer<HostId>> receiver);

    /**
     * Has a pool drop the saved memory of a suspended VM, which the pool reports as down then. A VM
     * that has a process is refused.
     *
     * @param receiver called once, on any thread, as soon as the pool has begun or refused it; must
     *     not block
     * @param late gets a failure that follows an answer of success
     */
    void dropMemory(VmId vm, Consumer<HostAnswer<VmId>> receiver, Consumer<HostFailure> late);
}
