package org.stillwater.core.schedule;

import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/** The placement of a VM. */
public sealed interface PlacementDecision {

    /** The VM. */
    VmId vm();

    /** Why. */
    Explanation explanation();

    /**
     * The VM has a host.
     *
     * @param vm the VM
     * @param host the host
     * @param explanation why there
     */
    record Placed(VmId vm, HostId host, Explanation explanation) implements PlacementDecision {}

    /**
     * No host may run the VM now.
     *
     * @param vm the VM
     * @param explanation why nowhere
     */
    record Nowhere(VmId vm, Explanation explanation) implements PlacementDecision {}
}
