package org.stillwater.monitoring.device;

import java.time.Instant;

/**
 * Running VMs of a host that the engine could not import and does not show.
 *
 * @param vms their number, as far as known; at least 1
 * @param reason the reason, one clause
 * @param since begin of the trouble
 */
public record IntakeTrouble(int vms, String reason, Instant since) {

    /** One sentence for the operator. */
    public String describe() {
        return (vms == 1 ? "a VM that it runs" : vms + " VMs that it runs")
                + " cannot be taken in: "
                + reason;
    }
}
