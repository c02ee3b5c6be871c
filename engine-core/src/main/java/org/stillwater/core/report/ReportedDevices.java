package org.stillwater.core.report;

import java.util.List;
import java.util.Map;

/**
 * All devices of a running VM.
 *
 * @param devices the devices in the order of the XML
 * @param guestDisks names of disks inside the guest by serial number; empty when the guest says
 *     nothing
 */
public record ReportedDevices(List<ReportedDevice> devices, Map<String, String> guestDisks) {

    public ReportedDevices {
        devices = List.copyOf(devices);
        guestDisks = Map.copyOf(guestDisks);
    }
}
