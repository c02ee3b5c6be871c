package org.stillwater.fake.world;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A lease: its storage domain, where sanlock calls it a lockspace, and its name there, which is
 * that of a VM for VMs' leases.
 */
record LeaseAddress(String domain, String id) {

    /** The location of a lease on every host; libvirt takes it in this form, offset in bytes. */
    record Place(String path, long offset) {}

    /** The leases that a domain's definition names, with the location that it gives for each. */
    static Map<LeaseAddress, String> named(XmlElement domain) {
        XmlElement devices = domain.child("devices");
        List<XmlElement> elements = devices == null ? List.of() : devices.children("lease");
        Map<LeaseAddress, String> named = new LinkedHashMap<>();
        for (XmlElement lease : elements) {
            named.put(
                    new LeaseAddress(
                            lease.childText("lockspace").toLowerCase(Locale.ROOT),
                            lease.childText("key").toLowerCase(Locale.ROOT)),
                    lease.childAttribute("target", "path")
                            + ':'
                            + lease.childAttribute("target", "offset"));
        }
        return named;
    }

    /** Whether a definition gives the right location. */
    static boolean isAt(@Nullable Place place, String said) {
        return place != null && Objects.equals(place.path() + ':' + place.offset(), said);
    }
}
