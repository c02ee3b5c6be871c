package org.stillwater.core.store;

import java.util.List;
import org.stillwater.core.id.VmId;

/** Durable sizes of LUNs that VMs use as disks directly. Thread-safe. */
public interface LunStore {

    /**
     * Saves sizes where the VM has the LUN plugged and the saved size differs; everything else is
     * left unchanged, without being an error.
     *
     * @param sizes at most one per VM and LUN
     */
    WriteOutcome saveSizes(List<LunSize> sizes);

    /**
     * The size of a LUN as a VM's host reports it.
     *
     * @param vmId the VM
     * @param lunId the LUN's GUID
     * @param sizeGibibytes more than 0
     */
    record LunSize(VmId vmId, String lunId, int sizeGibibytes) {
        public LunSize {
            if (sizeGibibytes <= 0) {
                throw new IllegalArgumentException("a LUN of " + sizeGibibytes + " GiB");
            }
        }
    }
}
