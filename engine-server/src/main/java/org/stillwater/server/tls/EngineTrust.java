package org.stillwater.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.TlsSettings;

/**
 * Trust of programs on this machine in the engine's port: the certificate files that the engine
 * itself uses, and no authority of this Java. Stateless.
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
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        for (Path file : files(settings, fleet)) {
            for (X509Certificate each : PemFiles.certificates(Files.readString(file))) {
                store.setCertificateEntry("engine-" + number++, each);
            }
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
