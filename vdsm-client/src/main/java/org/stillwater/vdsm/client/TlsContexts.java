package org.stillwater.vdsm.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.vdsm.client.TlsSettings.KeyMaterial;

/**
 * The TLS context made of the configured files, made again when their content has changed. The
 * files are a few KB and connecting is rare, so their content is compared at every connect: no
 * trust is placed in time stamps. Broken new files leave the old context in use. Thread-safe.
 */
final class TlsContexts {
    private static final Logger log = LoggerFactory.getLogger(TlsContexts.class);

    /** The bytes of the files; buffers, because they compare by content. */
    private record Contents(ByteBuffer key, ByteBuffer certificate, ByteBuffer authorities) {
        static ByteBuffer of(Path file) throws IOException {
            return ByteBuffer.wrap(Files.readAllBytes(file));
        }
    }

    private final KeyMaterial material;
    private @Nullable Contents loaded;
    private @Nullable Contents refused;
    private @Nullable SSLContext context;

    TlsContexts(KeyMaterial material) {
        this.material = material;
    }

    /**
     * The context for a new connection.
     *
     * @throws IOException when files are missing or broken and never were whole
     */
    synchronized SSLContext current() throws IOException {
        try {
            Contents now = read();
            if (context == null || loaded == null || !loaded.equals(now)) {
                if (context != null && now.equals(refused)) {
                    return context;
                }
                refused = now;
                SSLContext fresh = build(now, null);
                if (context != null) {
                    log.info("TLS files changed, new connections use them");
                }
                context = fresh;
                loaded = now;
                refused = null;
            }
            return context;
        } catch (GeneralSecurityException | IOException broken) {
            SSLContext previous = context;
            if (previous == null) {
                throw new IOException("TLS files: " + reason(broken), broken);
            }
            log.warn(
                    "TLS files changed and cannot be used, keeping the old ones: {}",
                    reason(broken));
            return previous;
        }
    }

    /**
     * A context of the present files for one test, which checks hosts like any other and also
     * passes on the certificates that a host shows, before they are checked.
     *
     * @throws IOException when files are missing or broken
     */
    SSLContext recording(Consumer<X509Certificate[]> shown) throws IOException {
        try {
            return build(read(), shown);
        } catch (GeneralSecurityException | IOException broken) {
            throw new IOException("TLS files: " + reason(broken), broken);
        }
    }

    private static String reason(Exception broken) {
        return broken instanceof NoSuchFileException missing
                ? "there is no file " + missing.getFile()
                : Refusals.words(broken);
    }

    private Contents read() throws IOException {
        return switch (material) {
            case KeyMaterial.Pem(Path key, Path certificate, Path authorities) ->
                    new Contents(
                            Contents.of(key), Contents.of(certificate), Contents.of(authorities));
            case KeyMaterial.Pkcs12 stores ->
                    new Contents(
                            Contents.of(stores.keyStore()),
                            ByteBuffer.allocate(0),
                            Contents.of(stores.trustStore()));
        };
    }

    private SSLContext build(Contents files, @Nullable Consumer<X509Certificate[]> shown)
            throws GeneralSecurityException, IOException {
        PrivateKey key;
        X509Certificate[] chain;
        KeyStore trust;
        switch (material) {
            case KeyMaterial.Pem pem -> {
                key = PemReader.privateKey(files.key().array(), pem.key().toString());
                chain =
                        PemReader.certificates(
                                        files.certificate().array(), pem.certificate().toString())
                                .toArray(new X509Certificate[0]);
                trust = KeyStore.getInstance("PKCS12");
                trust.load(null, null);
                List<X509Certificate> authorities =
                        PemReader.certificates(
                                files.authorities().array(), pem.authorities().toString());
                for (int i = 0; i < authorities.size(); i++) {
                    trust.setCertificateEntry("authority-" + i, authorities.get(i));
                }
            }
            case KeyMaterial.Pkcs12 stores -> {
                char[] password = stores.keyStorePassword().toCharArray();
                KeyStore keys = load(files.key().array(), password);
                String alias = keyAlias(keys, stores.keyStore());
                key = (PrivateKey) keys.getKey(alias, password);
                chain =
                        Arrays.stream(keys.getCertificateChain(alias))
                                .map(X509Certificate.class::cast)
                                .toArray(X509Certificate[]::new);
                trust =
                        asTrust(
                                load(
                                        files.authorities().array(),
                                        stores.trustStorePassword().toCharArray()));
            }
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(trust);
        SSLContext fresh = SSLContext.getInstance("TLS");
        fresh.init(
                new KeyManager[] {new OneKey(key, chain)},
                shown == null
                        ? managers.getTrustManagers()
                        : Arrays.stream(managers.getTrustManagers())
                                .map(manager ->
                                        new RecordingTrust(
                                                (X509ExtendedTrustManager) manager, shown))
                                .toArray(TrustManager[]::new),
                null);
        return fresh;
    }

    /** Records the certificates that a host shows, then lets the usual manager check them. */
    private static final class RecordingTrust extends X509ExtendedTrustManager {

        private final X509ExtendedTrustManager usual;
        private final Consumer<X509Certificate[]> shown;

        RecordingTrust(X509ExtendedTrustManager usual, Consumer<X509Certificate[]> shown) {
            this.usual = usual;
            this.shown = shown;
        }

        @Override
        public void checkServerTrusted(
                X509Certificate[] chain, String authType, @Nullable Socket socket)
                throws CertificateException {
            shown.accept(chain);
            usual.checkServerTrusted(chain, authType, socket);
        }

        @Override
        public void checkServerTrusted(
                X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
                throws CertificateException {
            shown.accept(chain);
            usual.checkServerTrusted(chain, authType, engine);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType)
                throws CertificateException {
            shown.accept(chain);
            usual.checkServerTrusted(chain, authType);
        }

        @Override
        public void checkClientTrusted(
                X509Certificate[] chain, String authType, @Nullable Socket socket)
                throws CertificateException {
            usual.checkClientTrusted(chain, authType, socket);
        }

        @Override
        public void checkClientTrusted(
                X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
                throws CertificateException {
            usual.checkClientTrusted(chain, authType, engine);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType)
                throws CertificateException {
            usual.checkClientTrusted(chain, authType);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return usual.getAcceptedIssuers();
        }
    }

    private static KeyStore load(byte[] store, char[] password)
            throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(new ByteArrayInputStream(store), password);
        return keys;
    }

    private static String keyAlias(KeyStore keys, Path file) throws GeneralSecurityException {
        for (String alias : Collections.list(keys.aliases())) {
            if (keys.isKeyEntry(alias)) {
                return alias;
            }
        }
        throw new GeneralSecurityException("no private key in " + file);
    }

    /**
     * PKCS#12 files written by other tools often lack the attribute by which Java knows a trusted
     * certificate, or hold the authority only in a key's chain; take every certificate there is.
     */
    private static KeyStore asTrust(KeyStore store) throws GeneralSecurityException, IOException {
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        int count = 0;
        for (String alias : Collections.list(store.aliases())) {
            if (store.isCertificateEntry(alias)) {
                trust.setCertificateEntry("authority-" + count++, store.getCertificate(alias));
            }
        }
        if (count == 0) {
            throw new GeneralSecurityException("no trusted certificate in the trust store");
        }
        return trust;
    }

    /**
     * Always shows the one certificate there is. The default manager shows none when the host's
     * list of acceptable authorities does not fit, and the host then reports only that a
     * certificate is required.
     */
    private static final class OneKey extends X509ExtendedKeyManager {
        private static final String ALIAS = "engine";

        private final PrivateKey key;
        private final X509Certificate[] chain;

        OneKey(PrivateKey key, X509Certificate[] chain) {
            this.key = key;
            this.chain = chain;
        }

        @Override
        public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return Arrays.asList(keyTypes).contains(key.getAlgorithm()) || keyTypes.length == 0
                    ? ALIAS
                    : null;
        }

        @Override
        public @Nullable String chooseEngineClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return chooseClientAlias(keyTypes, issuers, null);
        }

        @Override
        public String @Nullable [] getServerAliases(
                String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }
    }
}
