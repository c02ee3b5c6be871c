package org.stillwater.server.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.stillwater.core.time.EngineClock;
import org.stillwater.ovirt.action.ProxyTicketSigner.Unusable;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.ProxyTicketSettings;

/**
 * The key that signs tickets for proxies of consoles, with its certificate: files that the settings
 * name, or an RSA key of the engine's own, which is made when it is first needed. Thread-safe.
 *
 * <p>It is not the key of the engine's TLS port, because oVirt's proxy checks RSA signatures only
 * and has a copy of the certificate: the port's own key is of an elliptic curve and is replaced
 * each time that its certificate is renewed.
 */
@Component
class ProxyTicketKey {

    private static final Logger log = LoggerFactory.getLogger(ProxyTicketKey.class);

    private static final String CERTIFICATE = "certificate.pem";
    private static final String KEY = "key.pem";

    private static final int LEAST_BITS = 2_048;
    private static final int OWN_BITS = 3_072;
    private static final int SERIAL_BITS = 127;
    private static final String SIGNATURE = "SHA256withRSA";
    private static final Duration VALIDITY = Duration.ofDays(3_652);
    private static final Duration RENEWED_BEFORE = Duration.ofDays(30);
    private static final Duration CLOCKS_DIFFER_BY = Duration.ofHours(24);

    /** A private key and the certificate of its public key. */
    record Pair(X509Certificate certificate, RSAPrivateKey key) {}

    private final EngineClock clock;
    private final Path folder;
    private final boolean given;
    private @Nullable Pair pair;
    private @Nullable String complaint;

    /**
     * Reads the files that the settings name.
     *
     * @throws TlsRefused if they cannot be used
     */
    ProxyTicketKey(ProxyTicketSettings settings, FleetSettings fleet, EngineClock clock) {
        this.clock = clock;
        this.folder = fleet.dataFolder().resolve("proxy-tickets");
        Path certificate = settings.certificate();
        Path key = settings.key();
        this.given = certificate != null && key != null;
        if (certificate != null && key != null) {
            try {
                pair = read(certificate, key);
            } catch (IOException | GeneralSecurityException e) {
                throw new TlsRefused(
                        "%s and %s cannot sign tickets for a proxy: %s"
                                .formatted(certificate, key, e),
                        "Name an RSA certificate and its private key, PKCS #8 without a password,"
                                + " with stillwater.ovirt.proxy-tickets.certificate and"
                                + " stillwater.ovirt.proxy-tickets.key, or leave both out.",
                        e);
            }
        }
    }

    /**
     * The pair in use; the engine's own is made, or its certificate renewed, if that is due.
     *
     * @throws Unusable if the engine's own files cannot be read or written, or are not its own
     */
    synchronized Pair pair() throws Unusable {
        Instant now = clock.now();
        Pair present = pair;
        if (present == null || (!given && endsSoon(present, now))) {
            try {
                present = own(now);
            } catch (IOException | GeneralSecurityException e) {
                String text = e.toString();
                if (!text.equals(complaint)) {
                    log.warn("There is no key to sign tickets for proxies of consoles: {}", text);
                    complaint = text;
                }
                throw new Unusable(
                        "the engine has no key to sign it with; its log has the reason, and"
                                + " stillwater.ovirt.proxy-tickets.key can name a key.",
                        e);
            }
            pair = present;
            complaint = null;
        }
        return present;
    }

    private static boolean endsSoon(Pair pair, Instant now) {
        return pair.certificate().getNotAfter().toInstant().isBefore(now.plus(RENEWED_BEFORE));
    }

    private Pair own(Instant now) throws IOException, GeneralSecurityException {
        Path certificate = folder.resolve(CERTIFICATE);
        Path key = folder.resolve(KEY);
        Path _ = Files.createDirectories(folder);
        OwnedFiles files = new OwnedFiles(folder);
        for (Path file : new Path[] {certificate, key}) {
            if (files.isForeign(file)) {
                throw new IOException("the engine did not write " + file);
            }
        }
        RSAPrivateKey secret;
        RSAPublicKey open;
        if (Files.exists(key) && Files.exists(certificate)) {
            Pair found = read(certificate, key);
            if (!endsSoon(found, now)) {
                return found;
            }
            // The same key again: proxies that have the former certificate check tickets by it.
            secret = found.key();
            open = (RSAPublicKey) found.certificate().getPublicKey();
        } else {
            if (!Files.isWritable(folder)) {
                throw new AccessDeniedException(folder.toString()); // before the costly part
            }
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(OWN_BITS);
            KeyPair made = generator.generateKeyPair();
            secret = (RSAPrivateKey) made.getPrivate();
            open = (RSAPublicKey) made.getPublic();
            files.write(key, PemFiles.pem(secret), true);
        }
        X509Certificate signed = selfSigned(open, secret, now);
        files.write(certificate, PemFiles.pem(signed), false);
        log.info("Made the certificate {} by which proxies of consoles check tickets", certificate);
        return new Pair(signed, secret);
    }

    private static Pair read(Path certificate, Path key)
            throws IOException, GeneralSecurityException {
        X509Certificate found = PemFiles.certificates(Files.readString(certificate)).getFirst();
        if (!(found.getPublicKey() instanceof RSAPublicKey open)) {
            throw new GeneralSecurityException(
                    "the certificate has a key of kind "
                            + found.getPublicKey().getAlgorithm()
                            + ", and proxies check RSA signatures only");
        }
        if (open.getModulus().bitLength() < LEAST_BITS) {
            throw new GeneralSecurityException("the key has less than " + LEAST_BITS + " bits");
        }
        PrivateKey secret = PemFiles.key(Files.readString(key), "RSA");
        if (!(secret instanceof RSAPrivateKey rsa) || !PemFiles.belong(open, rsa)) {
            throw new GeneralSecurityException("the key is not that of the certificate");
        }
        return new Pair(found, rsa);
    }

    private static X509Certificate selfSigned(RSAPublicKey open, RSAPrivateKey secret, Instant now)
            throws GeneralSecurityException {
        X500Name name =
                new X500Name(
                        "O=Stillwater, CN=Stillwater proxy tickets "
                                + Long.toString(now.getEpochSecond(), 36));
        try {
            JcaX509v3CertificateBuilder builder =
                    new JcaX509v3CertificateBuilder(
                            name,
                            new BigInteger(SERIAL_BITS, new SecureRandom()).add(BigInteger.ONE),
                            Date.from(now.minus(CLOCKS_DIFFER_BY)),
                            Date.from(now.plus(VALIDITY)),
                            name,
                            open);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder(SIGNATURE).build(secret)));
        } catch (CertIOException | OperatorCreationException e) {
            throw new GeneralSecurityException(e);
        }
    }
}
