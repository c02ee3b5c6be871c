package org.stillwater.core.command;

import java.time.Duration;
import java.util.List;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;

/** Something that an operation needs done; the shell does it, in order. */
public sealed interface VmEffect {

    /** A host is to be chosen; answered by {@link VmFact.Placed} or {@link VmFact.Nowhere}. */
    record FindHost() implements VmEffect {}

    /** The same, after this time. */
    record FindHostLater(Duration pause) implements VmEffect {}

    /** {@link VmFact.Begin} follows after this time, unless the operation continues before. */
    record BeginLater(Duration pause) implements VmEffect {}

    /**
     * New state of the VM, to be made durable.
     *
     * @param runtime the known runtime
     * @param placement where it is
     * @param commands its commands under way
     * @param answered whether the operation waits for it to be durable: {@link VmFact.Committed}
     */
    record Change(VmRuntime runtime, VmPlacement placement, VmCommands commands, boolean answered)
            implements VmEffect {}

    /** That the operation is under way is to be made durable: {@link VmFact.Committed}. */
    record Note() implements VmEffect {}

    /** Reports of the VM are parked from now on, for a bounded time. */
    record Hold() implements VmEffect {}

    /**
     * Reports of the VM are taken in again.
     *
     * @param settled whether complete answers requested until now lack the effect
     */
    record Release(boolean settled) implements VmEffect {}

    /** From now on it is no surprise if the VM is gone. */
    record ExpectAbsence() implements VmEffect {}

    /** Answered by {@link VmFact.Answered}. */
    record Call(HostId host, VmVerb verb) implements VmEffect {}

    /**
     * These hosts remove their remains of the VM, after the end of its run is durable; answered by
     * {@link VmFact.Answered}, or {@link VmFact.CommitRefused}.
     */
    record Clear(List<HostId> hosts) implements VmEffect {}

    /** The pool of a suspended VM drops its saved memory; answered by {@link VmFact.Answered}. */
    record DropMemory() implements VmEffect {}

    /**
     * The volumes for the VM's memory are to be created; answered by {@link VmFact.Prepared} or
     * {@link VmFact.NotPrepared}.
     */
    record CreateVolumes() implements VmEffect {}

    /** The host itself reported that it no longer has the VM. */
    record TellGone(HostId host) implements VmEffect {}

    /** All VMs of the host are to be requested. */
    record Poll(HostId host) implements VmEffect {}

    /** {@link VmFact.TimedOut} follows after this time, unless the operation continues before. */
    record Deadline(Duration after) implements VmEffect {}
}
