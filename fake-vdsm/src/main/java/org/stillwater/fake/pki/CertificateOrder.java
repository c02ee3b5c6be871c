package org.stillwater.fake.pki;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The requested content of a certificate.
 *
 * @param commonName CN of the subject
 * @param dnsNames DNS names of the subject alternative name
 * @param addresses IP addresses of the subject alternative name
 * @param notBefore start of validity
 * @param notAfter end of validity
 */
public record CertificateOrder(
        String commonName,
        List<String> dnsNames,
        List<InetAddress> addresses,
        Instant notBefore,
        Instant notAfter) {

    /** Time a certificate is good for unless ordered otherwise. */
    public static final Duration LIFETIME = Duration.ofDays(5 * 365);

    /** Clocks of test machines differ; a fresh certificate is a day old. */
    static final Duration BACKDATE = Duration.ofDays(1);

    /** Copies the lists. */
    public CertificateOrder {
        dnsNames = List.copyOf(dnsNames);
        addresses = List.copyOf(addresses);
        if (!notAfter.isAfter(notBefore)) {
            throw new IllegalArgumentException("a certificate must end after it begins");
        }
    }

    /** A certificate for this name and these addresses, good now and for {@link #LIFETIME}. */
    public static CertificateOrder of(String name, List<InetAddress> addresses, Instant now) {
        return new CertificateOrder(
                name, List.of(name), addresses, now.minus(BACKDATE), now.plus(LIFETIME));
    }

    /** The same with one more DNS name. */
    public CertificateOrder alsoNamed(String dnsName) {
        if (dnsNames.contains(dnsName)) {
            return this;
        }
        List<String> names = new ArrayList<>(dnsNames);
        names.add(dnsName);
        return new CertificateOrder(commonName, names, addresses, notBefore, notAfter);
    }

    /** The same for another time. */
    public CertificateOrder valid(Instant from, Instant until) {
        return new CertificateOrder(commonName, dnsNames, addresses, from, until);
    }
}
