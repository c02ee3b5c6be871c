package org.stillwater.core.vm;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * Work on a VM that monitoring leaves to commands. The VM, the kind and the run that it follows
 * from identify it: commands do it once, however often monitoring comes to the same conclusion
 * about one run.
 *
 * @param vmId the VM
 * @param kind kind of work
 * @param generation the run that it follows from ({@link VmRun#generation()})
 * @param host the host it follows from, null for none
 * @param why one clause for people
 */
public record PendingWork(
        VmId vmId, WorkKind kind, long generation, @Nullable HostId host, String why) {

    /**
     * Identity of the work.
     *
     * @param vmId the VM
     * @param kind kind of work
     * @param generation the run that it follows from
     */
    public record Key(VmId vmId, WorkKind kind, long generation) {}

    /** Identity of the work. */
    public Key key() {
        return new Key(vmId, kind, generation);
    }
}
