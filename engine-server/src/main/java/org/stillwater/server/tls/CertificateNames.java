package org.stillwater.server.tls;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.x509.GeneralName;

/** Names and addresses of machines, as certificates have them. Pure, but for those of this one. */
final class CertificateNames {

    private static final int SAN_DNS = 2;
    private static final int SAN_IP = 7;
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

    private CertificateNames() {}

    /** The names and addresses that a certificate is made out to. */
    static Set<String> of(X509Certificate certificate) throws GeneralSecurityException {
        Set<String> names = new TreeSet<>();
        var alternatives = certificate.getSubjectAlternativeNames();
        if (alternatives != null) {
            for (List<?> each : alternatives) {
                int kind = (Integer) each.getFirst();
                if (kind == SAN_DNS || kind == SAN_IP) {
                    names.add(canonical(String.valueOf(each.get(1))));
                }
            }
        }
        return names;
    }

    /** A name or an address as certificates have it. */
    static GeneralName general(String text) {
        return new GeneralName(isAddress(text) ? GeneralName.iPAddress : GeneralName.dNSName, text);
    }

    private static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    /** One way to write each name: addresses in full, without a zone. */
    static String canonical(String text) {
        String plain = text.strip().toLowerCase(Locale.ROOT);
        if (!isAddress(plain)) {
            return plain;
        }
        try {
            return InetAddress.getByName(plain).getHostAddress().replaceAll("%.*", "");
        } catch (UnknownHostException _) {
            return plain;
        }
    }

    /** The names and addresses by which this machine is reached, as far as it knows. */
    static Set<String> ofMachine() {
        Set<String> names = new TreeSet<>(Set.of("localhost", "127.0.0.1"));
        try {
            InetAddress self = InetAddress.getLocalHost();
            for (String name : List.of(self.getHostName(), self.getCanonicalHostName())) {
                if (name.matches("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")) {
                    names.add(canonical(name));
                }
            }
        } catch (UnknownHostException _) {
            // a machine without a resolvable name is reached by its addresses
        }
        try {
            for (NetworkInterface each :
                    Collections.list(NetworkInterface.getNetworkInterfaces())) {
                for (InetAddress address : Collections.list(each.getInetAddresses())) {
                    if (!address.isLinkLocalAddress() && !address.isMulticastAddress()) {
                        names.add(canonical(address.getHostAddress().replaceAll("%.*", "")));
                    }
                }
            }
        } catch (SocketException _) {
            // then by the names in the settings
        }
        return names;
    }
}
