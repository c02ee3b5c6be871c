package org.stillwater.server.xapi;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.server.xapi.PoolRefused.Reason;
import org.stillwater.server.xapi.PoolTest.ShownCertificate;
import org.stillwater.xapi.client.CertificatePins;
import org.stillwater.xapi.client.PoolAccess;
import org.stillwater.xapi.client.PoolProbe;
import org.stillwater.xapi.client.XapiException;

/**
 * Logs in to pools that are to be added or changed. The password goes only to hosts with a
 * certificate that a person has confirmed, now or before, or that given authorities have signed.
 * Thread-safe.
 */
final class PoolTester {

    private static final int LONGEST = 500;
    private static final int LONGEST_NAME = 255;

    private final EngineClock clock;

    PoolTester(EngineClock clock) {
        this.clock = clock;
    }

    /** Tests an access; blocks for its time limits. */
    PoolTest test(PoolAccess access, Set<CertificateFingerprint> confirmed, PoolFile known) {
        Shown shown = new Shown(access.authorities() != null, confirmed, known);
        try {
            PoolProbe.Found found = PoolProbe.test(access, shown, clock);
            UUID _ = UUID.fromString(found.uuid()); // it becomes that of a cluster
            return new PoolTest(
                    new PoolProbe.Found(
                            found.uuid(),
                            SafeText.of(found.name(), LONGEST_NAME),
                            SafeText.of(found.version(), LONGEST_NAME),
                            found.coordinator(),
                            found.encoding(),
                            found.hosts()),
                    null,
                    shown.certificates());
        } catch (IOException e) {
            return new PoolTest(null, refusal(e, shown), shown.certificates());
        } catch (IllegalArgumentException e) {
            return new PoolTest(
                    null,
                    new PoolRefused(
                            Reason.NO_XAPI,
                            "The pool has no UUID as its identity: " + words(e) + "."),
                    shown.certificates());
        }
    }

    private static PoolRefused refusal(IOException e, Shown shown) {
        List<ShownCertificate> unconfirmed =
                shown.certificates().stream().filter(each -> !each.confirmed()).toList();
        if (!unconfirmed.isEmpty()) {
            ShownCertificate first = unconfirmed.getFirst();
            return new PoolRefused(
                    Reason.UNCONFIRMED_CERTIFICATE,
                    "The host at %s shows a certificate that was not confirmed; compare its SHA-256 fingerprint %s with the host's own and confirm it in fingerprints."
                            .formatted(first.address(), first.fingerprint()));
        }
        return switch (e) {
            case XapiException.Failure failure ->
                    switch (failure.code()) {
                        case "SESSION_AUTHENTICATION_FAILED" ->
                                new PoolRefused(
                                        Reason.WRONG_PASSWORD,
                                        "The pool refuses the user or its password"
                                                + " (SESSION_AUTHENTICATION_FAILED).");
                        case "RBAC_PERMISSION_DENIED" ->
                                new PoolRefused(
                                        Reason.NOT_PERMITTED,
                                        "The pool gives the user no role that may log in"
                                                + " (RBAC_PERMISSION_DENIED).");
                        default ->
                                new PoolRefused(
                                        Reason.REFUSED, "The pool refuses: " + words(e) + ".");
                    };
            case XapiException.Untrusted _ ->
                    new PoolRefused(
                            Reason.UNTRUSTED_CERTIFICATE,
                            "The certificate is not trusted: " + words(e) + ".");
            case XapiException.NoCoordinator _ ->
                    new PoolRefused(
                            Reason.NO_COORDINATOR, "No coordinator is reached: " + words(e) + ".");
            case XapiException.Protocol _ ->
                    new PoolRefused(Reason.NO_XAPI, "No XAPI answers: " + words(e) + ".");
            default ->
                    new PoolRefused(
                            Reason.UNREACHABLE, "The pool is not reached: " + words(e) + ".");
        };
    }

    private static String words(Exception e) {
        String message = e.getMessage();
        return SafeText.of(
                message == null || message.isBlank() ? e.getClass().getSimpleName() : message,
                LONGEST);
    }

    /** The certificates that hosts show during a test; none is kept by it. */
    private static final class Shown implements CertificatePins {

        private final boolean byAuthorities;
        private final Set<CertificateFingerprint> confirmed;
        private final PoolFile known;
        private final Map<String, ShownCertificate> certificates = new ConcurrentSkipListMap<>();

        Shown(boolean byAuthorities, Set<CertificateFingerprint> confirmed, PoolFile known) {
            this.byAuthorities = byAuthorities;
            this.confirmed = confirmed;
            this.known = known;
        }

        List<ShownCertificate> certificates() {
            return List.copyOf(certificates.values());
        }

        @Override
        public boolean accepts(String address, X509Certificate shown) {
            CertificateFingerprint fingerprint = fingerprint(shown);
            boolean accepted =
                    byAuthorities
                            || confirmed.contains(fingerprint)
                            || fingerprint.hex().equals(known.pinned(address));
            certificates.put(
                    address,
                    new ShownCertificate(
                            address,
                            fingerprint,
                            name(shown.getSubjectX500Principal()),
                            name(shown.getIssuerX500Principal()),
                            shown.getNotBefore().toInstant(),
                            shown.getNotAfter().toInstant(),
                            accepted));
            return accepted;
        }

        private static String name(X500Principal principal) {
            return HostCertificate.presentable(principal.getName(X500Principal.RFC2253));
        }

        private static CertificateFingerprint fingerprint(X509Certificate certificate) {
            try {
                return new CertificateFingerprint(
                        HexFormat.of()
                                .formatHex(
                                        MessageDigest.getInstance("SHA-256")
                                                .digest(certificate.getEncoded())));
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("a certificate without an encoding", e);
            }
        }

        @Override
        public @Nullable String pinned(String address) {
            return null; // accepted certificates only come as far as this
        }

        @Override
        public void pin(String address, String sha256) {
            // The certificate is kept when the pool is.
        }

        @Override
        public void refused(String address, String sha256) {
            throw new IllegalStateException("there is no first certificate in a test");
        }

        @Override
        public void seen(String address, Instant notAfter) {
            // The answer shows it.
        }
    }
}
