package org.stillwater.vdsm.client;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.core.trust.CertificateNames;
import org.stillwater.core.trust.HostCertificate;

/** Extracts the facts of a host's certificate on which the engine decides. Stateless. */
final class Certificates {

    /** {@code GeneralName} choices (RFC 5280 §4.2.1.6). */
    private static final int DNS_NAME = 2;

    private static final int IP_ADDRESS = 7;

    private Certificates() {}

    static HostCertificate read(X509Certificate certificate) throws CertificateEncodingException {
        X500Principal subject = certificate.getSubjectX500Principal();
        return new HostCertificate(
                fingerprint(certificate.getEncoded()),
                subject.getName(X500Principal.RFC2253),
                names(certificate, subject),
                certificate.getNotAfter().toInstant());
    }

    private static CertificateFingerprint fingerprint(byte[] der) {
        try {
            return new CertificateFingerprint(
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(der)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Alternative names that cannot be read leave a certificate without any name. */
    private static CertificateNames names(X509Certificate certificate, X500Principal subject) {
        List<String> dnsNames = new ArrayList<>();
        List<String> addresses = new ArrayList<>();
        try {
            Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            if (alternatives != null) {
                for (List<?> each : alternatives) {
                    if (each.get(1) instanceof String text) {
                        switch ((Integer) each.get(0)) {
                            case DNS_NAME -> dnsNames.add(text);
                            case IP_ADDRESS -> addresses.add(text);
                            default -> {
                                // Mail addresses, URIs and the like name no host.
                            }
                        }
                    }
                }
            }
        } catch (CertificateParsingException broken) {
            return new CertificateNames(List.of(), List.of(), null);
        }
        return new CertificateNames(dnsNames, addresses, commonName(subject));
    }

    /** The one common name; null if there is none, or several. */
    private static @Nullable String commonName(X500Principal subject) {
        String only = null;
        try {
            for (Rdn rdn : new LdapName(subject.getName(X500Principal.RFC2253)).getRdns()) {
                Attribute names = rdn.toAttributes().get("CN");
                if (names != null) {
                    if (only != null
                            || names.size() != 1
                            || !(names.get() instanceof String name)) {
                        return null;
                    }
                    only = name;
                }
            }
        } catch (NamingException unreadable) {
            return null;
        }
        return only;
    }
}
