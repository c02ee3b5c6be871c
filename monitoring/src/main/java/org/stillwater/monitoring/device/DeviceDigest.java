package org.stillwater.monitoring.device;

import java.util.List;
import org.stillwater.core.model.VmDevice;

/** A number that stands for a list of devices, so that memory need not hold the list. */
public final class DeviceDigest {

    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    private DeviceDigest() {}

    /** Equal lists have equal digests, whatever their order. */
    public static long of(List<VmDevice> devices) {
        long digest = devices.size();
        for (VmDevice device : devices) {
            long mixed = (device.hashCode() ^ device.id().getLeastSignificantBits()) * FACTOR;
            digest += mixed ^ (mixed >>> 29);
        }
        return digest;
    }
}
