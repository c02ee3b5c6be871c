package org.stillwater.vdsm.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/** An authority made for one test run. */
final class Pki {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final AtomicLong SERIALS = new AtomicLong(1);

    /** A key with its certificate. */
    record Identity(KeyPair keys, X509Certificate certificate) {}

    private final KeyPair keys;
    final X509Certificate authority;
    private final X500Name name;

    Pki(String name) throws Exception {
        this.name = new X500Name("CN=" + name);
        keys = rsa();
        authority =
                sign(
                        this.name,
                        this.name,
                        keys,
                        keys,
                        Duration.ofDays(-1),
                        Duration.ofDays(1),
                        true,
                        null);
    }

    /** A certificate valid now, for that DNS name. */
    Identity issue(String dnsName) throws Exception {
        return issue(dnsName, Duration.ofDays(-1), Duration.ofDays(1));
    }

    /** A certificate valid now with a common name and no alternative name. */
    Identity issueWithoutNames(String commonName) throws Exception {
        KeyPair subject = rsa();
        return new Identity(
                subject,
                sign(
                        new X500Name("O=test,CN=" + commonName),
                        name,
                        subject,
                        keys,
                        Duration.ofDays(-1),
                        Duration.ofDays(1),
                        false,
                        null));
    }

    /** A certificate with that validity, relative to now. */
    Identity issue(String dnsName, Duration from, Duration to) throws Exception {
        KeyPair subject = rsa();
        return new Identity(
                subject,
                sign(
                        new X500Name("O=test,CN=" + dnsName),
                        name,
                        subject,
                        keys,
                        from,
                        to,
                        false,
                        dnsName));
    }

    /** A server's context that asks for a client certificate of this authority. */
    SSLContext serverContext(Identity host) throws GeneralSecurityException, IOException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keyManagers(host), trustManagers(List.of(this)), null);
        return context;
    }

    /** Key managers that present an identity. */
    static KeyManager[] keyManagers(Identity host) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "host", host.keys().getPrivate(), PASSWORD, new Certificate[] {host.certificate()});
        KeyManagerFactory keyManagers = KeyManagerFactory.getInstance("PKIX");
        keyManagers.init(store, PASSWORD);
        return keyManagers.getKeyManagers();
    }

    /** Trust managers for some authorities. */
    static TrustManager[] trustManagers(List<Pki> authorities)
            throws GeneralSecurityException, IOException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(trustStore(authorities));
        return trust.getTrustManagers();
    }

    private static KeyStore trustStore(List<Pki> authorities)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Pki each : authorities) {
            store.setCertificateEntry("ca-" + store.size(), each.authority);
        }
        return store;
    }

    /** Writes the file of the authorities that an engine trusts. */
    static void writeAuthorities(Path file, List<Pki> authorities) throws IOException {
        StringBuilder all = new StringBuilder();
        for (Pki each : authorities) {
            all.append(pem("CERTIFICATE", encoded(each.authority)));
        }
        Files.writeString(file, all);
    }

    /** PEM files of an identity, its key in PKCS#8 or PKCS#1, and of this authority. */
    TlsSettings.KeyMaterial.Pem writePem(Path folder, Identity engine, boolean pkcs1)
            throws IOException {
        byte[] key = engine.keys().getPrivate().getEncoded();
        if (pkcs1) {
            key = PrivateKeyInfo.getInstance(key).parsePrivateKey().toASN1Primitive().getEncoded();
        }
        Path keyFile = folder.resolve("engine-key.pem");
        Path certificate = folder.resolve("engine.pem");
        Path authorities = folder.resolve("ca.pem");
        Files.writeString(
                keyFile, "Bag Attributes\n" + pem((pkcs1 ? "RSA " : "") + "PRIVATE KEY", key));
        Files.writeString(certificate, pem("CERTIFICATE", encoded(engine.certificate())));
        Files.writeString(authorities, pem("CERTIFICATE", encoded(authority)));
        return new TlsSettings.KeyMaterial.Pem(keyFile, certificate, authorities);
    }

    /** PKCS#12 files of an identity and of this authority. */
    TlsSettings.KeyMaterial.Pkcs12 writePkcs12(Path folder, Identity engine)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "engine",
                engine.keys().getPrivate(),
                PASSWORD,
                new Certificate[] {engine.certificate()});
        Path keys = folder.resolve("engine.p12");
        Path trust = folder.resolve("trust.p12");
        write(store, keys);
        write(trustStore(List.of(this)), trust);
        return new TlsSettings.KeyMaterial.Pkcs12(keys, "changeit", trust, "changeit");
    }

    private static void write(KeyStore store, Path file)
            throws IOException, GeneralSecurityException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        store.store(bytes, PASSWORD);
        Files.write(file, bytes.toByteArray());
    }

    static String pem(String label, byte[] der) throws IOException {
        StringWriter text = new StringWriter();
        try (PemWriter writer = new PemWriter(text)) {
            writer.writeObject(new PemObject(label, der));
        }
        return text.toString();
    }

    private static byte[] encoded(X509Certificate certificate) throws IOException {
        try {
            return certificate.getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static KeyPair rsa() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair();
    }

    private static X509Certificate sign(
            X500Name subject,
            X500Name issuer,
            KeyPair subjectKeys,
            KeyPair issuerKeys,
            Duration from,
            Duration to,
            boolean isAuthority,
            String dnsName)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        Instant now = Instant.now();
        X509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        issuer,
                        BigInteger.valueOf(SERIALS.getAndIncrement()),
                        Date.from(now.plus(from)),
                        Date.from(now.plus(to)),
                        subject,
                        subjectKeys.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
        if (dnsName != null) {
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(
                            dnsName.equals("127.0.0.1")
                                    ? new GeneralName(GeneralName.iPAddress, dnsName)
                                    : new GeneralName(GeneralName.dNSName, dnsName)));
        }
        return new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(
                                new JcaContentSignerBuilder("SHA256withRSA")
                                        .build(issuerKeys.getPrivate())));
    }
}
