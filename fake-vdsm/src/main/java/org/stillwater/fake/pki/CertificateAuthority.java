package org.stillwater.fake.pki;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Signs certificates as oVirt's engine CA does (VDSM wire protocol §1.2): RSA-2048, critical key
 * usage digitalSignature + keyEncipherment, critical extended key usage serverAuth + clientAuth,
 * subject {@code O=…, CN=…}. Thread-safe.
 */
public final class CertificateAuthority {

    private static final int RSA_BITS = 2048;
    private static final int SERIAL_BITS = 127;
    private static final Duration CA_LIFETIME = Duration.ofDays(10 * 365);

    private final SecureRandom random = new SecureRandom();
    private final X509Certificate certificate;
    private final X500Name subject;
    private final String organisation;
    private final PrivateKey key;

    CertificateAuthority(X509Certificate certificate, PrivateKey key)
            throws GeneralSecurityException {
        this.certificate = certificate;
        this.key = key;
        this.subject = new JcaX509CertificateHolder(certificate).getSubject();
        var names = subject.getRDNs(BCStyle.O);
        this.organisation =
                names.length == 0 ? "Stillwater" : names[0].getFirst().getValue().toString();
    }

    /** Makes a new CA with a new key. */
    public static CertificateAuthority create(String organisation, Instant now)
            throws GeneralSecurityException {
        KeyPair pair = newKeyPair();
        X500Name name = name(organisation, organisation + " CA");
        SecureRandom random = new SecureRandom();
        X509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        name,
                        new BigInteger(SERIAL_BITS, random),
                        Date.from(now.minus(CertificateOrder.BACKDATE)),
                        Date.from(now.plus(CA_LIFETIME)),
                        name,
                        pair.getPublic());
        try {
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    extensions.createSubjectKeyIdentifier(pair.getPublic()));
            return new CertificateAuthority(sign(builder, pair.getPrivate()), pair.getPrivate());
        } catch (IOException e) {
            throw new GeneralSecurityException("cannot encode the CA certificate", e);
        }
    }

    /** The CA's own certificate. */
    public X509Certificate certificate() {
        return certificate;
    }

    PrivateKey key() {
        return key;
    }

    /** Signs a certificate for a new key. */
    public Identity issue(CertificateOrder order) throws GeneralSecurityException {
        return issue(order, newKeyPair());
    }

    /** Signs a certificate for a key that exists; a thousand hosts may share one key. */
    public Identity issue(CertificateOrder order, KeyPair pair) throws GeneralSecurityException {
        PublicKey publicKey = pair.getPublic();
        X509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        subject,
                        new BigInteger(SERIAL_BITS, random),
                        Date.from(order.notBefore()),
                        Date.from(order.notAfter()),
                        name(organisation, order.commonName()),
                        publicKey);
        List<GeneralName> names = new ArrayList<>();
        for (String dnsName : order.dnsNames()) {
            names.add(new GeneralName(GeneralName.dNSName, dnsName));
        }
        for (InetAddress address : order.addresses()) {
            names.add(new GeneralName(GeneralName.iPAddress, address.getHostAddress()));
        }
        try {
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyEncipherment));
            builder.addExtension(
                    Extension.extendedKeyUsage,
                    true,
                    new ExtendedKeyUsage(
                            new KeyPurposeId[] {
                                KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
                            }));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    extensions.createSubjectKeyIdentifier(publicKey));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    extensions.createAuthorityKeyIdentifier(certificate));
            if (!names.isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(names.toArray(GeneralName[]::new)));
            }
            return new Identity(pair.getPrivate(), sign(builder, key), certificate);
        } catch (IOException e) {
            throw new GeneralSecurityException("cannot encode a certificate", e);
        }
    }

    static KeyPair newKeyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(RSA_BITS);
        return generator.generateKeyPair();
    }

    private static X500Name name(String organisation, String commonName) {
        return new X500NameBuilder(BCStyle.INSTANCE)
                .addRDN(BCStyle.O, organisation)
                .addRDN(BCStyle.CN, commonName)
                .build();
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey signer)
            throws GeneralSecurityException {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(
                                    new JcaContentSignerBuilder("SHA256withRSA").build(signer)));
        } catch (OperatorCreationException e) {
            throw new GeneralSecurityException("cannot sign", e);
        }
    }
}
