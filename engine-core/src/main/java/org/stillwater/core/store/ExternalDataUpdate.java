package org.stillwater.core.store;

import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.VmId;

/**
 * Data that a host holds for a VM outside its disks. Its text form leaves the data out, which is
 * secret.
 *
 * @param vmId the VM
 * @param kind kind of data
 * @param hash the host's hash of the data
 * @param data the data as the host gave it
 */
public record ExternalDataUpdate(VmId vmId, ExternalDataKind kind, String hash, String data) {

    @Override
    public String toString() {
        return "ExternalDataUpdate[" + vmId + ", " + kind + ", " + hash + "]";
    }
}
