package org.stillwater.core.vm;

import java.util.List;

/**
 * A network interface as the guest agent sees it.
 *
 * @param name interface name inside the guest, for example {@code eth0}
 * @param mac lower-case MAC address with colons
 * @param ipv4 IPv4 addresses as reported
 * @param ipv6 IPv6 addresses as reported, zone included
 */
public record GuestNic(String name, String mac, List<String> ipv4, List<String> ipv6) {

    public GuestNic {
        ipv4 = List.copyOf(ipv4);
        ipv6 = List.copyOf(ipv6);
    }
}
