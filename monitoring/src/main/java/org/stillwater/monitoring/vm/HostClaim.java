package org.stillwater.monitoring.vm;

import java.time.Instant;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.VmRuntime;

/**
 * An episode in which a host has a process of a VM for which another host is responsible (ADR
 * 0032). It begins with the first report of that process and ends when the host withdraws it, does
 * not mention the VM in a complete poll, or has booted; when the VM is placed on it; and when the
 * VM stops.
 *
 * @param claimant the host
 * @param kind kind of its process
 * @param seen its last report
 * @param since when the episode began
 * @param sinceNanos the same on the engine's monotonic clock
 * @param heardNanos when it was mentioned last, on the engine's monotonic clock
 * @param poll number of the last complete poll that mentioned it, 0 for none
 * @param refusalTold whether an audit event reported that the responsible host runs the VM itself
 */
public record HostClaim(
        HostId claimant,
        Kind kind,
        VmRuntime seen,
        Instant since,
        long sinceNanos,
        long heardNanos,
        int poll,
        boolean refusalTold) {

    /** Kind of a process on a second host. */
    public enum Kind {
        /** The host claims to run the VM. */
        RUNS,
        /** The process is paused: remains of the VM if its responsible host runs it. */
        LEFTOVER
    }

    /** The same, mentioned again. */
    public HostClaim again(VmRuntime now, long nanos, int inPoll) {
        return new HostClaim(
                claimant,
                kind,
                now,
                since,
                sinceNanos,
                nanos,
                inPoll == 0 ? poll : inPoll,
                refusalTold);
    }

    /** The same, after an audit event reported the refusal. */
    public HostClaim told() {
        return new HostClaim(claimant, kind, seen, since, sinceNanos, heardNanos, poll, true);
    }
}
