package org.stillwater.server.tls;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Set;
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

/** Makes key pairs and signs their certificates, of an authority and of the engine. Thread-safe. */
final class CertificateIssuer {

    private static final String CURVE = "secp256r1";
    private static final String SIGNATURE = "SHA256withECDSA";
    private static final Duration AUTHORITY_VALIDITY = Duration.ofDays(3_652);
    private static final Duration CLOCKS_DIFFER_BY = Duration.ofHours(24);
    private static final int SERIAL_BITS = 127;

    private CertificateIssuer() {}

    /** A new certificate and the private key of its owner. */
    record Issued(X509Certificate certificate, PrivateKey key) {}

    /** An authority that signs itself. */
    static Issued authority(Instant now) throws GeneralSecurityException {
        KeyPair pair = pair();
        // A number in the name distinguishes authorities of different engines in a browser's list.
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
            return new Issued(sign(builder, pair.getPrivate()), pair.getPrivate());
        } catch (CertIOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    /**
     * A certificate of the engine, which does not outlast its issuer.
     *
     * @param names by which clients reach the engine
     */
    static Issued server(
            X509Certificate issuer,
            PrivateKey issuerKey,
            Set<String> names,
            Instant now,
            Duration validity)
            throws GeneralSecurityException {
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
                            names.stream()
                                    .map(CertificateNames::general)
                                    .toArray(GeneralName[]::new)));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    extensions.createAuthorityKeyIdentifier(issuer));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    extensions.createSubjectKeyIdentifier(pair.getPublic()));
            return new Issued(sign(builder, issuerKey), pair.getPrivate());
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
}
