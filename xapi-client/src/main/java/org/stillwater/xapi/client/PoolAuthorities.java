package org.stillwater.xapi.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.trust.AuthorityRefusal;

/**
 * The authorities, of a PEM file or a text, that sign the certificates of a pool's hosts. Each new
 * connection compares the file's content; a changed file counts at once, and a broken one leaves
 * the previous authorities in use. Thread-safe.
 */
public final class PoolAuthorities {

    private static final Logger log = LoggerFactory.getLogger(PoolAuthorities.class);
    private static final int MOST_NAMES = 20;

    /** The file or text, for people. */
    private final String origin;

    private final Content source;

    // Guarded by this.
    private @Nullable Present present;
    private @Nullable String trouble;

    /**
     * The authorities at one time.
     *
     * @param version differs from that of any other content
     */
    record Present(
            int version,
            ByteBuffer content,
            X509ExtendedTrustManager manager,
            List<X509Certificate> authorities) {

        /**
         * Checks a host's certificates.
         *
         * @throws CertificateException that names the wanted authorities, if another one signed
         */
        void check(X509Certificate[] chain, String type, SSLSocket socket)
                throws CertificateException {
            try {
                manager.checkServerTrusted(chain, type, socket);
            } catch (CertificateException refusal) {
                throw isUnknownAuthority(refusal)
                        ? new CertificateException(
                                describe(chain[chain.length - 1].getIssuerX500Principal()), refusal)
                        : refusal;
            }
        }

        private String describe(X500Principal issuer) {
            return SafeText.of(
                    AuthorityRefusal.describe(
                            "the host's certificate",
                            authorities.stream()
                                    .map(each -> name(each.getSubjectX500Principal()))
                                    .toList(),
                            name(issuer)),
                    ReportedText.FAILURE.mostCharacters());
        }

        private static boolean isUnknownAuthority(CertificateException refusal) {
            for (Throwable at = refusal; at != null; at = at.getCause()) {
                if (at instanceof CertPathBuilderException
                        || (at instanceof CertPathValidatorException path
                                && path.getReason()
                                        == CertPathValidatorException.BasicReason
                                                .INVALID_SIGNATURE)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Reads the certificates. */
    @FunctionalInterface
    private interface Content {
        byte[] read() throws IOException;
    }

    private PoolAuthorities(String origin, Content source) {
        this.origin = origin;
        this.source = source;
    }

    /**
     * Reads the file for the first time.
     *
     * @throws IOException with one sentence for the operator when it is missing or broken
     */
    public static PoolAuthorities of(Path pem) throws IOException {
        return read(new PoolAuthorities(pem.toString(), () -> content(pem)));
    }

    /**
     * The authorities of a text.
     *
     * @throws IOException with one sentence for the operator when it holds no certificates
     */
    public static PoolAuthorities ofText(String pem) throws IOException {
        byte[] content = pem.getBytes(StandardCharsets.UTF_8);
        return read(new PoolAuthorities("the text", content::clone));
    }

    private static PoolAuthorities read(PoolAuthorities authorities) throws IOException {
        var _ = authorities.present();
        return authorities;
    }

    /**
     * Reads the file now.
     *
     * @return one line for the operator about the authorities in use
     * @throws IOException with one sentence for the operator when the present file is missing or
     *     broken; the previous authorities stay in use
     */
    public synchronized String reread() throws IOException {
        Present now = present();
        if (trouble != null) {
            throw new IOException(trouble);
        }
        return now.authorities().stream()
                .limit(MOST_NAMES)
                .map(each ->
                        name(each.getSubjectX500Principal())
                                + " until "
                                + LocalDate.ofInstant(
                                        each.getNotAfter().toInstant(), ZoneOffset.UTC))
                .collect(Collectors.joining("; ", "trusted authorities: ", ""));
    }

    /** The authorities that check new connections. */
    synchronized Present present() throws IOException {
        Present before = present;
        try {
            byte[] content = source.read();
            if (before == null || !before.content().equals(ByteBuffer.wrap(content))) {
                present = build(before == null ? 1 : before.version() + 1, content);
                if (before != null) {
                    log.info("{} changed, new connections to hosts use it", origin);
                }
            }
            trouble = null;
        } catch (IOException broken) {
            String why = String.valueOf(broken.getMessage());
            if (before == null) {
                throw broken;
            }
            if (!why.equals(trouble)) {
                trouble = why;
                log.warn("{}; the authorities of before stay in use", why);
            }
        }
        return Objects.requireNonNull(present);
    }

    private static byte[] content(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException missing) {
            throw new IOException("there is no file " + file, missing);
        }
    }

    private Present build(int version, byte[] content) throws IOException {
        try {
            List<X509Certificate> authorities = new ArrayList<>();
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate each :
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(content))) {
                store.setCertificateEntry("authority-" + authorities.size(), each);
                authorities.add((X509Certificate) each);
            }
            if (authorities.isEmpty()) {
                throw new IOException(origin + " has no certificate");
            }
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            for (TrustManager each : factory.getTrustManagers()) {
                if (each instanceof X509ExtendedTrustManager manager) {
                    return new Present(
                            version, ByteBuffer.wrap(content), manager, List.copyOf(authorities));
                }
            }
            throw new IOException("the platform has no trust manager");
        } catch (GeneralSecurityException e) {
            throw new IOException(origin + " has no readable certificates: " + e.getMessage(), e);
        }
    }

    private static String name(X500Principal principal) {
        return principal.getName(X500Principal.RFC2253);
    }
}
