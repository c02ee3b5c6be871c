package org.stillwater.vdsm.client;

import java.io.IOException;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.SafeText;
import org.stillwater.vdsm.client.TlsSettings.KeyMaterial;

/**
 * Key and authorities of PEM files for a server or client with a long-lived TLS context: each
 * handshake uses the present files, or the previous ones while the present ones are broken.
 * Thread-safe.
 */
public final class RenewedTlsFiles {

    private static final int LONGEST_NAME = 255;

    private final TlsContexts files;
    private final CheckedPeers checked;

    // Guarded by this. A handshake that has begun with previous files ends with them.
    private TlsContexts.@Nullable Loaded latest;
    private TlsContexts.@Nullable Loaded former;
    private long version;

    /** Gets the outcome of each check of a peer's certificate; must not block. */
    @FunctionalInterface
    public interface CheckedPeers {

        /**
         * A certificate was checked.
         *
         * @param subject its owner, cleaned; a refused peer may show any
         * @param refusal one sentence for the operator; null when it is accepted
         */
        void checked(String subject, @Nullable String refusal);
    }

    /**
     * Reads the files for the first time.
     *
     * @throws IOException with one sentence for the operator when they are missing or broken
     */
    public RenewedTlsFiles(KeyMaterial.Pem files, CheckedPeers checked) throws IOException {
        this.files = new TlsContexts(files);
        this.checked = checked;
        var _ = present();
    }

    /**
     * Reads the files now.
     *
     * @return one line for the operator about the files in use
     * @throws IOException with one sentence for the operator when the present files are missing or
     *     broken; the previous ones stay in use
     */
    public String reread() throws IOException {
        return files.reread();
    }

    /** Why the previous files are in use instead of the present ones; null if they are not. */
    public @Nullable String trouble() {
        return files.trouble();
    }

    /**
     * Checks the client of a session against the present authorities. TLS checks new sessions only:
     * a resumed one has the certificate of the session that it resumes.
     *
     * @return one sentence for the operator; null when the client is accepted
     */
    public @Nullable String refusal(SSLSession session) {
        try {
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate each : session.getPeerCertificates()) {
                chain.add((X509Certificate) each);
            }
            present()
                    .trust()
                    .checkClientTrusted(
                            chain.toArray(new X509Certificate[0]),
                            chain.getFirst().getPublicKey().getAlgorithm());
            return null;
        } catch (CertificateException | IOException refusal) {
            return Refusals.words(refusal);
        }
    }

    /** Shows the key and certificate of the files, as server and as client. */
    public X509ExtendedKeyManager keyManager() {
        return new Keys();
    }

    /** Checks peers against the authorities of the files. */
    public X509ExtendedTrustManager trustManager() {
        return new Trust();
    }

    /** The files that serve new handshakes. */
    private synchronized TlsContexts.Loaded present() throws IOException {
        TlsContexts.Loaded now = files.loaded();
        TlsContexts.Loaded before = latest;
        if (before == null || !before.contents().equals(now.contents())) {
            former = before;
            latest = now;
            version++;
        }
        return now;
    }

    /** The name of the present key, other than that of the key before. */
    private synchronized @Nullable String alias(@Nullable String keyType) {
        try {
            String algorithm = present().key().getAlgorithm();
            return keyType == null
                            || keyType.equals(algorithm)
                            || keyType.startsWith(algorithm + "_")
                    ? Long.toString(version)
                    : null;
        } catch (IOException neverWhole) {
            return null;
        }
    }

    private synchronized TlsContexts.@Nullable Loaded of(String alias) {
        return alias.equals(Long.toString(version)) ? latest : former;
    }

    private final class Keys extends X509ExtendedKeyManager {

        @Override
        public String @Nullable [] getClientAliases(
                String keyType, Principal @Nullable [] issuers) {
            String alias = alias(keyType);
            return alias == null ? null : new String[] {alias};
        }

        /**
         * The one there is, whichever authorities the server names: its refusal has the details.
         */
        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return alias(null);
        }

        @Override
        public @Nullable String chooseEngineClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return alias(null);
        }

        @Override
        public String @Nullable [] getServerAliases(
                String keyType, Principal @Nullable [] issuers) {
            return getClientAliases(keyType, issuers);
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return alias(keyType);
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return alias(keyType);
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            TlsContexts.Loaded loaded = of(alias);
            return loaded == null ? null : loaded.chain().toArray(new X509Certificate[0]);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            TlsContexts.Loaded loaded = of(alias);
            return loaded == null ? null : loaded.key();
        }
    }

    /** One check by the present authorities. */
    @FunctionalInterface
    private interface Check {
        void by(X509ExtendedTrustManager present) throws CertificateException;
    }

    private final class Trust extends X509ExtendedTrustManager {

        private void check(X509Certificate[] chain, Check check) throws CertificateException {
            String subject =
                    SafeText.of(
                            AuthorityTrust.name(chain[0].getSubjectX500Principal()), LONGEST_NAME);
            try {
                check.by(present().trust());
            } catch (CertificateException refusal) {
                checked.checked(subject, Refusals.words(refusal));
                throw refusal;
            } catch (IOException neverWhole) {
                throw new CertificateException(neverWhole);
            }
            checked.checked(subject, null);
        }

        @Override
        public void checkClientTrusted(
                X509Certificate[] chain, String authType, @Nullable Socket socket)
                throws CertificateException {
            check(chain, present -> present.checkClientTrusted(chain, authType, socket));
        }

        @Override
        public void checkClientTrusted(
                X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
                throws CertificateException {
            check(chain, present -> present.checkClientTrusted(chain, authType, engine));
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType)
                throws CertificateException {
            check(chain, present -> present.checkClientTrusted(chain, authType));
        }

        @Override
        public void checkServerTrusted(
                X509Certificate[] chain, String authType, @Nullable Socket socket)
                throws CertificateException {
            check(chain, present -> present.checkServerTrusted(chain, authType, socket));
        }

        @Override
        public void checkServerTrusted(
                X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
                throws CertificateException {
            check(chain, present -> present.checkServerTrusted(chain, authType, engine));
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType)
                throws CertificateException {
            check(chain, present -> present.checkServerTrusted(chain, authType));
        }

        /**
         * None: a server names them to its clients, and a context that lives long would name those
         * of its beginning. Clients with a certificate of a newer authority would then show none.
         */
        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
