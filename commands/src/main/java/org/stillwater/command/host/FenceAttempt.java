package org.stillwater.command.host;

import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.operation.OperationAudit;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationParameters;

/**
 * One operation that fences a host, and how far it is. Used by the deciding thread only, but for
 * the phase, which any may read.
 */
final class FenceAttempt {

    /** Event that the attempt waits for. */
    enum Phase {
        /** Every check must be passed first. */
        CHECKING,
        /** The host's monitor, for the status while it writes a kernel dump. */
        MARKING_DUMP,
        /** Its dump, to be over. */
        DUMPING,
        /** The host's monitor, for the status after that. */
        ENDING_DUMP,
        /** The database, for agents. */
        READING,
        /** The host's monitor, for the status. */
        MARKING,
        /** Its power, to be off. */
        SWITCHING,
        /** The database, for the VMs that are down. */
        SETTLING,
        /** Its power, to be on. */
        RETURNING,
        /** VMs that are being started by their lease, which are set down if that fails. */
        LEASES;

        /** Whether no step has begun that must be completed. */
        boolean isHarmless() {
            return this == CHECKING || this == READING || this == DUMPING;
        }
    }

    private final HostWork work;
    private final boolean resumed;
    private Operation operation;

    volatile Phase phase = Phase.CHECKING;

    /** Which run of each VM the host had. */
    Map<VmId, Long> runs = Map.of();

    /** VMs that were set down, which is not durable yet. */
    final Set<VmId> uncommitted = new HashSet<>();

    /** How many VMs were set down. */
    int down;

    /** Whether the host wrote a kernel dump. */
    boolean dumped;

    /** Proof that the host runs no VM, one clause for users. */
    String result = "";

    /**
     * An attempt that has everything before it.
     *
     * @param work the work that it carries out, null if the operation alone reports that
     * @param resumed whether it began before the engine did
     */
    FenceAttempt(Operation operation, @Nullable HostWork work, boolean resumed) {
        this.operation = operation;
        this.work = work == null ? workOf(operation) : work;
        this.resumed = resumed;
    }

    /** The work of an operation that fences a host. */
    static HostWork workOf(Operation operation) {
        return new HostWork(
                Objects.requireNonNull(operation.host()),
                HostWorkKind.FENCE,
                operation.generation(),
                0,
                operation.origin().correlation());
    }

    Operation operation() {
        return operation;
    }

    /** How far it is now. */
    void is(Operation now) {
        operation = now;
    }

    /** Values of the text of an event that it leads to. */
    Map<String, String> details(Map<String, String> values) {
        return OperationAudit.details(operation, values);
    }

    HostId host() {
        return work.host();
    }

    HostWork work() {
        return work;
    }

    boolean isResumed() {
        return resumed;
    }

    /** The outage of the host in which it was requested. */
    long episode() {
        return operation.generation();
    }

    /** Whether a user confirms that the host was off, so that no agent switches it. */
    boolean isConfirmed() {
        return !(operation.parameters() instanceof OperationParameters.Fence);
    }

    boolean isDryRun() {
        return operation.parameters() instanceof OperationParameters.Fence fence && fence.dryRun();
    }

    /** Whether it is the engine's own. */
    boolean isAutomatic() {
        return operation.origin().requestedBy().equals(HostOperationLifecycle.ENGINE);
    }
}
