package org.stillwater.server.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate authority of the engine's own and the certificate that it issues to the engine, as
 * files in a folder: made at the first start, the latter made anew before it ends or when the
 * engine is reached by other names. Not thread-safe.
 */
final class OwnAuthority {

    private static final String CURVE = "secp256r1";
    private static final String SIGNATURE = "SHA256withECDSA";
    private static final Duration AUTHORITY_VALIDITY = Duration.ofDays(3_652);
    private static final Duration CLOCKS_DIFFER_BY = Duration.ofHours(24);
    private static final int SERIAL_BITS = 127;
    private static final int SAN_DNS = 2;
    private static final int SAN_IP = 7;
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

    private final Path folder;
    private final Path authority;
    private final Path authorityKey;
    private final Path certificate;
    private final Path key;

    OwnAuthority(Path folder) {
        this.folder = folder;
        this.authority = folder.resolve("ca.pem");
        this.authorityKey = folder.resolve("ca.key.pem");
        this.certificate = folder.resolve("server.pem");
        this.key = folder.resolve("server.key.pem");
    }

    Path authority() {
        return authority;
    }

    Path certificate() {
        return certificate;
    }

    Path key() {
        return key;
    }

    /**
     * Makes what is not there or will not do any longer.
     *
     * @param names by which clients reach the engine
     * @return whether anything was made
     */
    boolean provide(Set<String> names, Instant now, Duration validity, Duration renewBefore)
            throws IOException, GeneralSecurityException {
        Path _ = Files.createDirectories(folder);
        if (!Files.exists(authority) || !Files.exists(authorityKey)) {
            makeAuthority(now);
        } else if (suffices(names, now.plus(renewBefore))) {
            return false;
        }
        issue(names, now, validity);
        return true;
    }

    private boolean suffices(Set<String> names, Instant until)
            throws IOException, GeneralSecurityException {
        if (!Files.exists(certificate) || !Files.exists(key)) {
            return false;
        }
        X509Certificate present = PemFiles.certificates(Files.readString(certificate)).getFirst();
        return present.getNotAfter().toInstant().isAfter(until)
                && namesOf(present).containsAll(names);
    }

    static Set<String> namesOf(X509Certificate certificate) throws GeneralSecurityException {
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

    private void makeAuthority(Instant now) throws IOException, GeneralSecurityException {
        KeyPair pair = pair();
        // A number in the name tells authorities of different engines apart in a browser's list.
        X500Name name =
                new X500Name(
                        "O=Stillwater, CN=Stillwater CA "
                                + Long.toString(now.getEpochSecond(), 36));
        try {
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            JcaX509v3CertificateBuilder builder =
                    new JcaX509v3CertificateBuilder(
                            name,
                            serial(),
                            Date.from(now.minus(CLOCKS_DIFFER_BY)),
                            Date.from(now.plus(AUTHORITY_VALIDITY)),
                            name,
                            pair.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    extensions.createSubjectKeyIdentifier(pair.getPublic()));
            X509Certificate made = sign(builder, pair.getPrivate());
            PemFiles.write(authorityKey, PemFiles.pem(pair.getPrivate()), true);
            PemFiles.write(authority, PemFiles.pem(made), false);
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private void issue(Set<String> names, Instant now, Duration validity)
            throws IOException, GeneralSecurityException {
        X509Certificate issuer = PemFiles.certificates(Files.readString(authority)).getFirst();
        PrivateKey issuerKey =
                PemFiles.key(Files.readString(authorityKey), issuer.getPublicKey().getAlgorithm());
        KeyPair pair = pair();
        Instant last = now.plus(validity);
        Instant issuersLast = issuer.getNotAfter().toInstant();
        try {
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            JcaX509v3CertificateBuilder builder =
                    new JcaX509v3CertificateBuilder(
                            X500Name.getInstance(issuer.getSubjectX500Principal().getEncoded()),
                            serial(),
                            Date.from(now.minus(CLOCKS_DIFFER_BY)),
                            Date.from(last.isBefore(issuersLast) ? last : issuersLast),
                            new X500Name("O=Stillwater, CN=Stillwater engine"),
                            pair.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.extendedKeyUsage,
                    false,
                    new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(
                            names.stream().map(OwnAuthority::name).toArray(GeneralName[]::new)));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    extensions.createAuthorityKeyIdentifier(issuer));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    extensions.createSubjectKeyIdentifier(pair.getPublic()));
            X509Certificate made = sign(builder, issuerKey);
            PemFiles.write(key, PemFiles.pem(pair.getPrivate()), true);
            PemFiles.write(certificate, PemFiles.pem(made) + PemFiles.pem(issuer), false);
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private static X509Certificate sign(JcaX509v3CertificateBuilder builder, PrivateKey by)
            throws GeneralSecurityException {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder(SIGNATURE).build(by)));
        } catch (OperatorCreationException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private static KeyPair pair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(CURVE));
        return generator.generateKeyPair();
    }

    private static BigInteger serial() {
        return new BigInteger(SERIAL_BITS, new SecureRandom()).add(BigInteger.ONE);
    }

    private static GeneralName name(String text) {
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
    static Set<String> machineNames() {
        Set<String> names = new TreeSet<>(Set.of("localhost", "127.0.0.1"));
        try {
            InetAddress self = InetAddress.getLocalHost();
            for (String name : List.of(self.getHostName(), self.getCanonicalHostName())) {
                if (name.matches("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")) {
                    names.add(canonical(name));
                }
            }
        } catch (UnknownHostException _) {
            // a machine whose name nobody resolves is reached by its addresses
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
            // then by what the settings name
        }
        return names;
    }
}
