package org.stillwater.fake.xapi.net;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.Locale;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A host's own certificate, signed by itself as on a new XenServer. */
record Certificates(SSLContext context, X509Certificate certificate) {

    private static final char[] NO_PASSWORD = new char[0];

    /** Makes a key and a certificate for an address. */
    static Certificates selfSigned(String address, Duration valid) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair pair = generator.generateKeyPair();
        Instant now = Instant.now();
        X500Name name = new X500Name("CN=" + address);
        try {
            X509Certificate certificate =
                    new JcaX509CertificateConverter()
                            .getCertificate(
                                    new JcaX509v3CertificateBuilder(
                                                    name,
                                                    BigInteger.valueOf(now.toEpochMilli()),
                                                    Date.from(now.minus(Duration.ofDays(1))),
                                                    Date.from(now.plus(valid)),
                                                    name,
                                                    pair.getPublic())
                                            .addExtension(
                                                    Extension.subjectAlternativeName,
                                                    false,
                                                    alternativeNames(address))
                                            .build(
                                                    new JcaContentSignerBuilder("SHA256withECDSA")
                                                            .build(pair.getPrivate())));
            // It never leaves the process; PKCS#12 would hash the password ten thousand times.
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(null, NO_PASSWORD);
            store.setKeyEntry(
                    "host", pair.getPrivate(), NO_PASSWORD, new X509Certificate[] {certificate});
            KeyManagerFactory keys =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return new Certificates(context, certificate);
        } catch (OperatorCreationException | java.io.IOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    /** The address, as certificates of XenServer 8 name it. */
    private static GeneralNames alternativeNames(String address) {
        return new GeneralNames(
                new GeneralName(
                        address.matches("[0-9.]+|[0-9a-fA-F]*:.*")
                                ? GeneralName.iPAddress
                                : GeneralName.dNSName,
                        address));
    }

    /** SHA-256 of the certificate in pairs of digits with colons, as XAPI shows it. */
    String fingerprint() throws GeneralSecurityException {
        return HexFormat.ofDelimiter(":")
                .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()))
                .toUpperCase(Locale.ROOT);
    }
}
