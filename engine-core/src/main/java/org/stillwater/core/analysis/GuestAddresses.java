package org.stillwater.core.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;

/** Which of a guest's reported addresses are the VM's (monitoring specification §4.4). Pure. */
public final class GuestAddresses {

    /** Interfaces that exist only inside the guest ({@code GuestNicNamesBlacklist}). */
    private static final Pattern INTERNAL =
            Pattern.compile("lo[0-9]*|Loopback.*|tun[0-9]*|veth[0-9a-f]*");

    private GuestAddresses() {}

    /**
     * IPv4 addresses, then IPv6 addresses, of the interfaces that are the VM's, joined by spaces;
     * null when there is none.
     *
     * <p>An interface is the VM's when its MAC address belongs to one of the VM's NICs that has a
     * vNIC profile. NICs of external VMs have no profiles, and a VM without known NICs has none to
     * compare with; in both cases every interface that is not internal counts.
     */
    public static @Nullable String of(GuestNics reported, VmStatic definition) {
        List<String> ipv4 = new ArrayList<>();
        List<String> ipv6 = new ArrayList<>();
        for (GuestNic nic : reported.nics()) {
            if (belongsToVm(nic, definition)) {
                nic.ipv4().stream().filter(IpAddresses::isIpv4).forEach(ipv4::add);
                nic.ipv6().stream()
                        .map(GuestAddresses::withoutZone)
                        .filter(IpAddresses::isIpv6)
                        .forEach(ipv6::add);
            }
        }
        ipv4.addAll(ipv6);
        return ipv4.isEmpty() ? null : joined(ipv4);
    }

    /** As many whole addresses as are kept. */
    private static String joined(List<String> addresses) {
        StringBuilder text = new StringBuilder();
        int kept = 0;
        for (String address : addresses) {
            if (kept++ == RuntimeField.GUEST_IPS.mostEntries()
                    || text.length() + 1 + address.length()
                            > RuntimeField.GUEST_IPS.mostCharacters()) {
                break;
            }
            text.append(text.isEmpty() ? "" : " ").append(address);
        }
        return text.toString();
    }

    private static boolean belongsToVm(GuestNic nic, VmStatic definition) {
        if (INTERNAL.matcher(nic.name()).matches()) {
            return false;
        }
        if (definition.nics().isEmpty()) {
            return true;
        }
        VmNic known = definition.nicWithMac(nic.mac());
        return known != null && (known.vnicProfile() != null || definition.origin().isFound());
    }

    private static String withoutZone(String address) {
        int zone = address.indexOf('%');
        return zone < 0 ? address : address.substring(0, zone);
    }
}
