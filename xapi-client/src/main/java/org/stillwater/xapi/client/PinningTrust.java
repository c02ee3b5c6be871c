package org.stillwater.xapi.client;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts the certificate that a host showed first, by its fingerprint: those of XAPI are signed by
 * themselves and name no address. With authorities, these are asked instead and the host's name
 * counts.
 */
final class PinningTrust extends X509ExtendedTrustManager {

    private final CertificatePins pins;
    private final PoolAuthorities.@Nullable Present authorities;

    private PinningTrust(CertificatePins pins, PoolAuthorities.@Nullable Present authorities) {
        this.pins = pins;
        this.authorities = authorities;
    }

    /** A context that trusts pins, or these authorities. */
    static SSLContext context(CertificatePins pins, PoolAuthorities.@Nullable Present authorities) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new PinningTrust(pins, authorities)}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no TLS", e);
        }
    }

    private void check(X509Certificate[] chain, String type, SSLSocket socket)
            throws CertificateException {
        String address = socket.getHandshakeSession().getPeerHost();
        if (!pins.accepts(address, chain[0])) {
            throw new CertificateException("the certificate of " + address + " is not confirmed");
        }
        if (authorities == null) {
            checkPin(chain[0], address);
        } else {
            authorities.check(chain, type, socket);
        }
        pins.seen(address, chain[0].getNotAfter().toInstant());
    }

    private void checkPin(X509Certificate certificate, String address) throws CertificateException {
        String shown;
        try {
            shown =
                    HexFormat.of()
                            .formatHex(
                                    MessageDigest.getInstance("SHA-256")
                                            .digest(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new CertificateException(e);
        }
        String pinned = pins.pinned(address);
        if (pinned == null) {
            pins.pin(address, shown);
        } else if (!pinned.equals(shown)) {
            pins.refused(address, shown);
            throw new CertificateException(
                    address + " shows another certificate than at first: " + shown);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        if (!(socket instanceof SSLSocket secured)) {
            throw new CertificateException("only connections with TLS are checked");
        }
        check(chain, type, secured);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        throw new CertificateException("only connections of blocking sockets are checked");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("only connections of blocking sockets are checked");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        throw new CertificateException("a client only");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        throw new CertificateException("a client only");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("a client only");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return authorities == null
                ? new X509Certificate[0]
                : authorities.manager().getAcceptedIssuers();
    }
}
