package org.stillwater.server;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import org.ovirt.engine.sdk4.ConnectionBuilder;

/** An engine's own certificates in tests of clients. */
final class Tls {

    private static final String STORE_PASSWORD = "changeit";

    private Tls() {}

    /** Settings of an engine that answers over TLS only, and only with a password. */
    static String[] arguments(Path folder) {
        return new String[] {
            "--stillwater.tls.enabled=true",
            "--stillwater.tls.folder=" + folder.resolve("own-pki"),
            "--stillwater.security.anonymous-role=none"
        };
    }

    /** The file of the authority that made them. */
    static Path authority(Path folder) {
        return folder.resolve("own-pki/ca.pem");
    }

    /** The same as the Java SDK wants it. */
    static ConnectionBuilder trusted(ConnectionBuilder builder, Path folder) throws Exception {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        Certificate authority =
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(
                                        Files.readString(authority(folder))
                                                .getBytes(StandardCharsets.US_ASCII)));
        store.setCertificateEntry("ca", authority);
        Path file = folder.resolve("trust.jks");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, STORE_PASSWORD.toCharArray());
        }
        return builder.trustStoreFile(file.toString()).trustStorePassword(STORE_PASSWORD);
    }
}
