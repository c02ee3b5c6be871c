package org.stillwater.monitoring.device;

import java.time.Instant;

/**
 * VMs that run on a host and that the engine could not take in, so that it does not show them.
 *
 * @param vms how many, as far as known; at least 1
 * @param reason why, one clause
 * @param since since when at least one of them could not be taken in
 */
public record IntakeTrouble(int vms, String reason, Instant since) {

    /** One sentence for the operator. */
    public String describe() {
        return (vms == 1 ? "a VM that it runs" : vms + " VMs that it runs")
                + " cannot be taken in: "
                + reason;
    }
}
