package org.stillwater.core.report;

import java.util.UUID;

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
 */
public record ReportedDevice(
        UUID id,
        String type,
        String device,
        String address,
        String alias,
        boolean readOnly,
        String hostDevice) {}
