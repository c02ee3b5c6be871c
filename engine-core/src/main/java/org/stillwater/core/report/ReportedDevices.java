package org.stillwater.core.report;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All devices of a running VM.
 *
 * @param devices the devices in the order of the XML
 * @param guestDisks names of disks inside the guest by serial number; empty if the guest reports
 *     none
 * @param cd path of the image in its first CD drive; empty for an empty drive, null without a drive
 */
public record ReportedDevices(
        List<ReportedDevice> devices, Map<String, String> guestDisks, @Nullable String cd) {

    public ReportedDevices {
        devices = List.copyOf(devices);
        guestDisks = Map.copyOf(guestDisks);
    }

    /** Devices without a CD drive. */
    public ReportedDevices(List<ReportedDevice> devices, Map<String, String> guestDisks) {
        this(devices, guestDisks, null);
    }
}
