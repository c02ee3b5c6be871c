package org.stillwater.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.TlsSettings;

/**
 * Trust of programs in an engine's port: the certificate files that the engine of this machine
 * itself uses, or given certificates, and no authority of this Java. Stateless.
 */
public final class EngineTrust {

    private EngineTrust() {}

    /**
     * A context that accepts the engine's certificate, also an expired one, and those that its
     * authority signed.
     *
     * @throws IOException if a file is missing or cannot be read
     * @throws GeneralSecurityException if a file holds no certificate
     */
    public static SSLContext context(TlsSettings settings, FleetSettings fleet)
            throws IOException, GeneralSecurityException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Path file : files(settings, fleet)) {
            certificates.addAll(PemFiles.certificates(Files.readString(file)));
        }
        return context(certificates);
    }

    /**
     * A context that accepts these certificates, also expired ones, and those that they signed.
     *
     * @throws IOException if this Java has no key store in memory
     * @throws GeneralSecurityException if a certificate cannot be used
     */
    public static SSLContext context(Collection<? extends Certificate> certificates)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        for (Certificate each : certificates) {
            store.setCertificateEntry("trusted-" + number++, each);
        }
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static List<Path> files(TlsSettings settings, FleetSettings fleet) {
        Path given = settings.certificate();
        if (given == null) {
            Path folder = settings.folder();
            OwnAuthority own =
                    new OwnAuthority(folder == null ? fleet.dataFolder().resolve("tls") : folder);
            return List.of(own.certificate(), own.authority());
        }
        List<Path> files = new ArrayList<>(List.of(given));
        Path authority = settings.authority();
        if (authority != null) {
            files.add(authority);
        }
        return files;
    }
}
