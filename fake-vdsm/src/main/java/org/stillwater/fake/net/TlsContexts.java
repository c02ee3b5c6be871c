package org.stillwater.fake.net;

import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.stillwater.fake.net.FaultSpec.BadCertificate;
import org.stillwater.fake.net.TransportSettings.Certificates;
import org.stillwater.fake.pki.Identity;
import org.stillwater.fake.pki.KeyStores;
import org.stillwater.fake.pki.PkiDirectory;

/**
 * The TLS contexts of the hosts: one for all that share a certificate, others made when first
 * needed. Thread-safe.
 */
final class TlsContexts {

    private static final char[] IN_MEMORY = {};
    private static final int SESSIONS = 256;

    private final PkiDirectory pki;
    private final Certificates certificates;
    private final Map<String, SSLContext> contexts = new ConcurrentHashMap<>();

    TlsContexts(PkiDirectory pki, Certificates certificates) {
        this.pki = pki;
        this.certificates = certificates;
    }

    SSLContext of(HostName host, List<InetAddress> addresses) {
        return switch (certificates) {
            case SHARED -> context("", pki::sharedHost);
            case PER_HOST -> context(host.value(), () -> pki.host(host.value(), addresses));
        };
    }

    SSLContext bad(BadCertificate flaw, HostName host, List<InetAddress> addresses) {
        PkiDirectory.Flaw wanted =
                switch (flaw) {
                    case EXPIRED -> PkiDirectory.Flaw.EXPIRED;
                    case NOT_YET_VALID -> PkiDirectory.Flaw.NOT_YET_VALID;
                    case WRONG_CA -> PkiDirectory.Flaw.WRONG_CA;
                    case WRONG_NAME -> PkiDirectory.Flaw.WRONG_NAME;
                };
        return context(host + "/" + flaw, () -> pki.badHost(wanted, host.value(), addresses));
    }

    private SSLContext context(String key, IdentitySource source) {
        return contexts.computeIfAbsent(
                key,
                _ -> {
                    try {
                        return make(source.get());
                    } catch (GeneralSecurityException e) {
                        throw new IllegalStateException("cannot make a TLS context", e);
                    }
                });
    }

    private SSLContext make(Identity identity) throws GeneralSecurityException {
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(identity.keyStoreForThisProcess(IN_MEMORY), IN_MEMORY);
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(KeyStores.trusting(pki.authority().certificate()));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        context.getServerSessionContext().setSessionCacheSize(SESSIONS);
        return context;
    }

    @FunctionalInterface
    private interface IdentitySource {
        Identity get() throws GeneralSecurityException;
    }
}
