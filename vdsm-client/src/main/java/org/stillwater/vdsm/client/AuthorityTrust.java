package org.stillwater.vdsm.client;

import java.net.Socket;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.trust.AuthorityRefusal;

/**
 * Lets the platform's manager check certificates, and names the wanted authorities when it refuses
 * one of another authority. Thread-safe.
 */
final class AuthorityTrust extends X509ExtendedTrustManager {

    private static final String HOST = "the host's certificate";
    private static final String CLIENT = "the client's certificate";

    private final X509ExtendedTrustManager usual;
    private final List<String> trusted;
    private final Consumer<X509Certificate[]> shown;

    /** A certificate that none of the trusted authorities signed; the message names them. */
    static final class UnknownAuthority extends CertificateException {

        private static final long serialVersionUID = 1L;

        UnknownAuthority(String message, CertificateException refusal) {
            super(message, refusal);
        }
    }

    /**
     * A manager.
     *
     * @param authorities the trusted ones
     * @param shown gets the certificates that a peer shows, before they are checked
     */
    AuthorityTrust(
            X509ExtendedTrustManager usual,
            List<X509Certificate> authorities,
            Consumer<X509Certificate[]> shown) {
        this.usual = usual;
        this.trusted =
                authorities.stream().map(each -> name(each.getSubjectX500Principal())).toList();
        this.shown = shown;
    }

    /** The name of an authority or of the owner of a certificate. */
    static String name(X500Principal principal) {
        return principal.getName(X500Principal.RFC2253);
    }

    private CertificateException named(
            String certificate, X509Certificate[] chain, CertificateException refusal) {
        for (Throwable at = refusal; at != null; at = at.getCause()) {
            if (at instanceof CertificateExpiredException
                    || at instanceof CertificateNotYetValidException) {
                return refusal;
            }
            if (isUnknownAuthority(at)) {
                return new UnknownAuthority(
                        AuthorityRefusal.describe(
                                certificate,
                                trusted,
                                name(chain[chain.length - 1].getIssuerX500Principal())),
                        refusal);
            }
        }
        return refusal;
    }

    private static boolean isUnknownAuthority(Throwable at) {
        return at instanceof CertPathBuilderException
                || (at instanceof CertPathValidatorException path
                        && path.getReason()
                                == CertPathValidatorException.BasicReason.INVALID_SIGNATURE);
    }

    /** A check of the usual manager. */
    @FunctionalInterface
    private interface Check {
        void run() throws CertificateException;
    }

    private void check(String what, X509Certificate[] chain, Check usualCheck)
            throws CertificateException {
        try {
            usualCheck.run();
        } catch (CertificateException refusal) {
            throw named(what, chain, refusal);
        }
    }

    @Override
    public void checkServerTrusted(
            X509Certificate[] chain, String authType, @Nullable Socket socket)
            throws CertificateException {
        shown.accept(chain);
        check(HOST, chain, () -> usual.checkServerTrusted(chain, authType, socket));
    }

    @Override
    public void checkServerTrusted(
            X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
            throws CertificateException {
        shown.accept(chain);
        check(HOST, chain, () -> usual.checkServerTrusted(chain, authType, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        shown.accept(chain);
        check(HOST, chain, () -> usual.checkServerTrusted(chain, authType));
    }

    @Override
    public void checkClientTrusted(
            X509Certificate[] chain, String authType, @Nullable Socket socket)
            throws CertificateException {
        shown.accept(chain);
        check(CLIENT, chain, () -> usual.checkClientTrusted(chain, authType, socket));
    }

    @Override
    public void checkClientTrusted(
            X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
            throws CertificateException {
        shown.accept(chain);
        check(CLIENT, chain, () -> usual.checkClientTrusted(chain, authType, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        shown.accept(chain);
        check(CLIENT, chain, () -> usual.checkClientTrusted(chain, authType));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return usual.getAcceptedIssuers();
    }
}
