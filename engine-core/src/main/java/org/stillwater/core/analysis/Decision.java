package org.stillwater.core.analysis;

import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;

/**
 * Something that must be done because of a report. Analysis only says so; the shell does it, after
 * the new state is committed.
 */
public sealed interface Decision {

    /** The VM that it concerns. */
    VmId vmId();

    /**
     * What is left of the VM on a host must be removed. A host that does not have it counts as
     * done.
     *
     * @param vmId the VM
     * @param host where
     * @param why one clause for the log
     */
    record DestroyOnHost(VmId vmId, HostId host, String why) implements Decision {}

    /**
     * A host runs a VM that the engine does not know: its definition must be read from the host and
     * kept.
     *
     * @param vmId the VM
     * @param host where it runs
     */
    record TakeInExternal(VmId vmId, HostId host) implements Decision {}

    /**
     * Something that should not happen was seen and handled; worth a line in the log.
     *
     * @param vmId the VM
     * @param what one clause
     */
    record NoteUnexpected(VmId vmId, String what) implements Decision {}
}
