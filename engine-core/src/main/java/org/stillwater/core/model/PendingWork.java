package org.stillwater.core.model;

import org.jspecify.annotations.Nullable;

/**
 * One thing left to commands. The VM, the kind and the run it follows from make it unique: however
 * often monitoring comes to the same conclusion about one run, it is done once.
 *
 * @param vmId the VM
 * @param kind what is to be done
 * @param generation the run that it follows from ({@link VmRun#generation()})
 * @param host the host it follows from, null for none
 * @param why one clause for people
 */
public record PendingWork(
        VmId vmId, WorkKind kind, long generation, @Nullable HostId host, String why) {

    /**
     * What makes work unique.
     *
     * @param vmId the VM
     * @param kind what is to be done
     * @param generation the run that it follows from
     */
    public record Key(VmId vmId, WorkKind kind, long generation) {}

    /** What makes it unique. */
    public Key key() {
        return new Key(vmId, kind, generation);
    }
}
