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
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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
import org.stillwater.core.text.SafeText;
import org.stillwater.vdsm.client.TlsSettings.KeyMaterial;

/**
 * The TLS context made of the configured files, made again when their content has changed. The
 * files are a few KB and connecting is rare, so their content is compared at every connect: no
 * trust is placed in time stamps. Broken new files leave the old context in use. Thread-safe.
 */
final class TlsContexts {
    private static final Logger log = LoggerFactory.getLogger(TlsContexts.class);

    private static final byte[] PROBE = {1, 2, 3};

    /** The bytes of the files; buffers, because they compare by content. */
    record Contents(ByteBuffer key, ByteBuffer certificate, ByteBuffer authorities) {
        static ByteBuffer of(Path file) throws IOException {
            return ByteBuffer.wrap(Files.readAllBytes(file));
        }
    }

    /**
     * The files as they were when they were read.
     *
     * @param chain the engine's certificate, then intermediate ones
     * @param authorities trusted ones
     */
    record Loaded(
            Contents contents,
            PrivateKey key,
            List<X509Certificate> chain,
            List<X509Certificate> authorities,
            X509ExtendedTrustManager trust,
            SSLContext context) {

        /** One line for the operator. */
        String describe() {
            X509Certificate own = chain.getFirst();
            return SafeText.of(
                    "own certificate %s of %s until %s; trusted authorities: %s"
                            .formatted(
                                    AuthorityTrust.name(own.getSubjectX500Principal()),
                                    AuthorityTrust.name(own.getIssuerX500Principal()),
                                    end(own),
                                    authorities.stream()
                                            .limit(MOST_NAMES)
                                            .map(each ->
                                                    AuthorityTrust.name(
                                                                    each.getSubjectX500Principal())
                                                            + " until "
                                                            + end(each))
                                            .collect(Collectors.joining("; "))),
                    LONGEST_LINE);
        }

        private static LocalDate end(X509Certificate certificate) {
            return LocalDate.ofInstant(certificate.getNotAfter().toInstant(), ZoneOffset.UTC);
        }
    }

    private static final int MOST_NAMES = 20;
    private static final int LONGEST_LINE = 4_000;

    private final KeyMaterial material;
    private @Nullable Loaded loaded;
    private @Nullable Contents refused;

    // Read by any thread.
    private volatile @Nullable String trouble;

    TlsContexts(KeyMaterial material) {
        this.material = material;
    }

    /**
     * The context for a new connection.
     *
     * @throws IOException when files are missing or broken and never were whole
     */
    SSLContext current() throws IOException {
        return loaded().context();
    }

    /**
     * The present files, or the previous ones while the present ones are broken.
     *
     * @throws IOException when files are missing or broken and never were whole
     */
    synchronized Loaded loaded() throws IOException {
        Loaded before = loaded;
        try {
            Contents now = read();
            if (before != null && before.contents().equals(now)) {
                trouble = null;
                refused = null;
                return before;
            }
            if (before != null && now.equals(refused)) {
                return before;
            }
            refused = now;
            Loaded fresh = build(now, _ -> {});
            if (before != null) {
                log.info("TLS files changed, new connections use them: {}", fresh.describe());
            }
            loaded = fresh;
            refused = null;
            trouble = null;
            return fresh;
        } catch (GeneralSecurityException | IOException broken) {
            String why = reason(broken);
            if (before == null) {
                throw new IOException("TLS files: " + why, broken);
            }
            if (!why.equals(trouble)) {
                trouble = why;
                log.warn("TLS files changed and cannot be used, keeping the old ones: {}", why);
            }
            return before;
        }
    }

    /**
     * Reads the files now.
     *
     * @return one line for the operator about the files in use
     * @throws IOException when the present files are missing or broken; the previous ones stay
     */
    String reread() throws IOException {
        Loaded present = loaded();
        String broken = trouble;
        if (broken != null) {
            throw new IOException("TLS files: " + broken);
        }
        return present.describe();
    }

    /** Whether the files were whole once. */
    synchronized boolean isLoaded() {
        return loaded != null;
    }

    /** Why the present files are not in use; null if they are, or were never whole. Any thread. */
    @Nullable String trouble() {
        return trouble;
    }

    /**
     * A context of the present files for one test, which checks hosts like any other and also
     * passes on the certificates that a host shows, before they are checked.
     *
     * @throws IOException when files are missing or broken
     */
    SSLContext recording(Consumer<X509Certificate[]> shown) throws IOException {
        try {
            return build(read(), shown).context();
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

    private Loaded build(Contents files, Consumer<X509Certificate[]> shown)
            throws GeneralSecurityException, IOException {
        PrivateKey key;
        List<X509Certificate> chain;
        List<X509Certificate> authorities;
        switch (material) {
            case KeyMaterial.Pem pem -> {
                key = PemReader.privateKey(files.key().array(), pem.key().toString());
                chain =
                        PemReader.certificates(
                                files.certificate().array(), pem.certificate().toString());
                authorities =
                        PemReader.certificates(
                                files.authorities().array(), pem.authorities().toString());
            }
            case KeyMaterial.Pkcs12 stores -> {
                char[] password = stores.keyStorePassword().toCharArray();
                KeyStore keys = load(files.key().array(), password);
                String alias = keyAlias(keys, stores.keyStore());
                key = (PrivateKey) keys.getKey(alias, password);
                chain =
                        Arrays.stream(keys.getCertificateChain(alias))
                                .map(X509Certificate.class::cast)
                                .toList();
                authorities =
                        authorities(
                                load(
                                        files.authorities().array(),
                                        stores.trustStorePassword().toCharArray()));
            }
        }
        if (!belong(chain.getFirst(), key)) {
            throw new GeneralSecurityException("the key is not that of the certificate");
        }
        AuthorityTrust trust = new AuthorityTrust(manager(authorities), authorities, shown);
        SSLContext fresh = SSLContext.getInstance("TLS");
        fresh.init(
                new KeyManager[] {new OneKey(key, chain.toArray(new X509Certificate[0]))},
                new TrustManager[] {trust},
                null);
        return new Loaded(files, key, List.copyOf(chain), List.copyOf(authorities), trust, fresh);
    }

    private static X509ExtendedTrustManager manager(List<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        for (int i = 0; i < authorities.size(); i++) {
            trust.setCertificateEntry("authority-" + i, authorities.get(i));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(trust);
        for (TrustManager each : managers.getTrustManagers()) {
            if (each instanceof X509ExtendedTrustManager manager) {
                return manager;
            }
        }
        throw new GeneralSecurityException("the platform has no trust manager");
    }

    /**
     * Whether a signature of the key fits the certificate: files are replaced one by one. Keys of
     * unusual kinds are not compared.
     */
    private static boolean belong(X509Certificate certificate, PrivateKey key) {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    case "EdDSA" -> "EdDSA";
                    default -> null;
                };
        if (algorithm == null) {
            return true;
        }
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (GeneralSecurityException otherKind) {
            return false;
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
    private static List<X509Certificate> authorities(KeyStore store)
            throws GeneralSecurityException {
        List<X509Certificate> trust = new ArrayList<>();
        for (String alias : Collections.list(store.aliases())) {
            if (store.isCertificateEntry(alias)) {
                trust.add((X509Certificate) store.getCertificate(alias));
            }
        }
        if (trust.isEmpty()) {
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
