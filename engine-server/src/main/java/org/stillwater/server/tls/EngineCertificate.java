package org.stillwater.server.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.TlsSettings;

/**
 * The certificate with which the engine answers: an operator's files or our own, checked
 * periodically. A changed certificate is used at once, and open connections stay; an unusable one
 * is logged, and the former stays. Thread-safe.
 */
@Component
class EngineCertificate implements SslBundleRegistrar, SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(EngineCertificate.class);

    /** The name of the bundle that the web server uses. */
    static final String BUNDLE = "engine";

    private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

    /** Certificate in use. */
    private record Used(String digest, SslBundle bundle, List<X509Certificate> chain) {}

    private final TlsSettings settings;
    private final EngineClock clock;
    private final @Nullable OwnAuthority own;
    private @Nullable SslBundleRegistry registry;
    private volatile @Nullable Used used;
    private volatile @Nullable String complaint;
    private @Nullable ScheduledExecutorService watch;

    EngineCertificate(TlsSettings settings, FleetSettings fleet, EngineClock clock) {
        this.settings = settings;
        this.clock = clock;
        Path folder = settings.folder();
        this.own =
                settings.certificate() != null
                        ? null
                        : folder == null
                                ? new OwnAuthority(
                                        fleet.dataFolder().resolve("tls"),
                                        fleet.dataFolder().resolve("pki"))
                                : new OwnAuthority(folder);
        if (settings.enabled()) {
            provide();
            this.used = load();
        }
    }

    private boolean provide() {
        if (own == null) {
            return false;
        }
        Set<String> names = new TreeSet<>(CertificateNames.ofMachine());
        settings.names().forEach(name -> names.add(CertificateNames.canonical(name)));
        try {
            boolean made =
                    own.provide(names, clock.now(), settings.validity(), settings.renewBefore());
            if (made) {
                log.info(
                        "Made a certificate for {}; clients trust it by {}",
                        String.join(", ", names),
                        own.authority());
            }
            return made;
        } catch (IOException | GeneralSecurityException e) {
            throw new TlsRefused(
                    "The engine's own certificate cannot be made in %s: %s"
                            .formatted(own.certificate().getParent(), e),
                    "Let the engine's user write there, or name another folder with"
                            + " stillwater.tls.folder, or give certificates with"
                            + " stillwater.tls.certificate and stillwater.tls.key.",
                    e);
        }
    }

    private Path certificateFile() {
        return own == null ? Objects.requireNonNull(settings.certificate()) : own.certificate();
    }

    private Path keyFile() {
        return own == null ? Objects.requireNonNull(settings.key()) : own.key();
    }

    private Used load() {
        String certificate = read("stillwater.tls.certificate", certificateFile());
        String key = read("stillwater.tls.key", keyFile());
        List<X509Certificate> chain;
        PrivateKey secret;
        try {
            PemSslStore store =
                    PemSslStore.load(
                            PemSslStoreDetails.forCertificates(certificate).withPrivateKey(key));
            chain = store == null ? null : store.certificates();
            secret = store == null ? null : store.privateKey();
        } catch (RuntimeException e) {
            throw new TlsRefused(
                    "%s and %s cannot be used: %s"
                            .formatted(certificateFile(), keyFile(), e.getMessage()),
                    "Give a certificate with those of its issuers, and its private key without a"
                            + " password, as PEM files.",
                    e);
        }
        if (chain == null
                || chain.isEmpty()
                || secret == null
                || !PemFiles.belong(chain.getFirst().getPublicKey(), secret)) {
            throw new TlsRefused(
                    "The key in %s is not that of the certificate in %s."
                            .formatted(keyFile(), certificateFile()),
                    "Name the two files that belong together with stillwater.tls.certificate and"
                            + " stillwater.tls.key.",
                    null);
        }
        SslBundle bundle =
                SslBundle.of(
                        new PemSslStoreBundle(PemSslStore.of(chain, secret), (PemSslStore) null),
                        SslBundleKey.NONE,
                        SslOptions.of(null, PROTOCOLS));
        return new Used(digest(certificate, key), bundle, List.copyOf(chain));
    }

    /** End of the certificate in use; only with TLS. */
    Instant expiry() {
        return Objects.requireNonNull(used).chain().getFirst().getNotAfter().toInstant();
    }

    private static String read(String setting, Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new TlsRefused(
                    "The file %s cannot be read: %s".formatted(file, e),
                    "Let the engine's user read it, or name another with "
                            + setting
                            + "; without "
                            + setting
                            + " the engine makes its own.",
                    e);
        }
    }

    private static String digest(String... texts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            Arrays.stream(texts)
                    .forEach(text -> digest.update(text.getBytes(StandardCharsets.UTF_8)));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The top frame of the thread that looks: after any failure it looks again. */
    private void lookAlways() {
        try {
            boolean _ = look();
        } catch (Throwable e) {
            log.error("The certificate's files were not looked at; they are again soon", e);
        }
    }

    /** Looks whether there is a new certificate or time for one; whether one was taken. */
    synchronized boolean look() {
        Used before = used;
        if (before == null) {
            return false;
        }
        try {
            boolean _ = provide();
            String now =
                    digest(
                            read("stillwater.tls.certificate", certificateFile()),
                            read("stillwater.tls.key", keyFile()));
            if (now.equals(before.digest())) {
                complaint = null;
                return false;
            }
            Used after = load();
            if (registry != null) {
                registry.updateBundle(BUNDLE, after.bundle());
            }
            used = after;
            complaint = null;
            log.info(
                    "Took the changed certificate in {}, valid until {}",
                    certificateFile(),
                    after.chain().getFirst().getNotAfter().toInstant());
            return true;
        } catch (RuntimeException e) {
            String text = String.valueOf(e.getMessage());
            if (!text.equals(complaint)) {
                log.warn("The certificate stays the one of before. {}", text);
                complaint = text;
            }
            return false;
        }
    }

    @Override
    public void registerBundles(SslBundleRegistry into) {
        Used present = used;
        if (present != null) {
            registry = into;
            into.registerBundle(BUNDLE, present.bundle());
        }
    }

    /** The engine's certificate; null without TLS. */
    @Nullable X509Certificate certificate() {
        Used present = used;
        return present == null ? null : present.chain().getFirst();
    }

    /** The certificate of the authority that clients are to trust; null if none is known. */
    @Nullable X509Certificate authority() {
        Path file = own == null ? settings.authority() : own.authority();
        if (file != null && Files.isReadable(file)) {
            try {
                return PemFiles.certificates(Files.readString(file)).getFirst();
            } catch (IOException | GeneralSecurityException e) {
                log.warn("The authority's certificate {} cannot be read: {}", file, e.toString());
            }
        }
        Used present = used;
        return present == null || present.chain().size() < 2 ? null : present.chain().getLast();
    }

    @Override
    public synchronized void start() {
        if (used != null && watch == null) {
            watch =
                    Executors.newSingleThreadScheduledExecutor(
                            Thread.ofVirtual().name("tls-files").factory());
            long nanos = settings.checkInterval().toNanos();
            var _ =
                    watch.scheduleWithFixedDelay(
                            this::lookAlways, nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public synchronized void stop() {
        if (watch != null) {
            var _ = watch.shutdownNow();
            watch = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return watch != null;
    }
}
