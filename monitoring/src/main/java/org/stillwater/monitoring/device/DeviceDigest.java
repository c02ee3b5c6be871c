package org.stillwater.monitoring.device;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.DomainXmlReader.Domain;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.report.ReportedDevice;

/** A number that stands for a list of devices, so that memory need not hold the list. */
final class DeviceDigest {

    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    private DeviceDigest() {}

    /**
     * Equal lists have equal digests, in any order; never 0.
     *
     * @param specification definition of a found VM by the same document; null for another one
     */
    static long of(Domain domain, @Nullable VmSpecification specification) {
        long digest = domain.devices().guestDisks().hashCode();
        for (ReportedDevice device : domain.devices().devices()) {
            digest += mix(device.hashCode() ^ device.id().getLeastSignificantBits());
        }
        for (VmNic nic : domain.definition().nics()) {
            digest += mix(nic.mac().hashCode() ^ nic.id().getLeastSignificantBits());
        }
        if (specification != null) {
            digest += mix(specification.hashCode());
        }
        return digest == 0 ? 1 : digest;
    }

    private static long mix(long value) {
        long mixed = value * FACTOR;
        return mixed ^ (mixed >>> 29);
    }
}
