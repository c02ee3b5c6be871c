package org.stillwater.core.report;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.DiskImage;

/**
 * A device as the domain XML of a running VM describes it.
 *
 * @param id identity: of the user alias {@code ua-<id>}, else of a disk's serial number, else
 *     derived from the VM, the kind of device and its alias, so that reading twice gives the same
 * @param type general type: the XML's element
 * @param device device name, empty if the XML gives none
 * @param address bus address as text, empty for none
 * @param alias libvirt alias, empty for none
 * @param readOnly whether the guest may not write to it
 * @param hostDevice the host's device that is passed through, empty for none
 * @param volume image and storage domain of a disk; null for other devices, and for disks that are
 *     no volume of a storage domain
 */
public record ReportedDevice(
        UUID id,
        String type,
        String device,
        String address,
        String alias,
        boolean readOnly,
        String hostDevice,
        @Nullable DiskImage volume) {

    /** A device that is no volume of a storage domain. */
    public ReportedDevice(
            UUID id,
            String type,
            String device,
            String address,
            String alias,
            boolean readOnly,
            String hostDevice) {
        this(id, type, device, address, alias, readOnly, hostDevice, null);
    }
}
