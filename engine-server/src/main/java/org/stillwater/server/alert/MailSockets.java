package org.stillwater.server.alert;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.SocketFactory;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * The sockets of one e-mail, which another thread can close. Jakarta Mail requests a socket that is
 * not connected, and puts TLS around it. Thread-safe.
 */
final class MailSockets extends SocketFactory {

    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    /** Closes every socket that was made, and those that will be. */
    void cut() {
        cut = true;
        open.forEach(MailSockets::close);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // It is no longer of use.
        }
    }

    @Override
    public Socket createSocket() {
        Socket made = new Socket();
        open.add(made);
        if (cut) {
            close(made);
        }
        return made;
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException();
    }

    /** A factory that puts TLS around a socket; its certificate must name the host. */
    SSLSocketFactory withTls(SSLSocketFactory tls) {
        return new SSLSocketFactory() {
            @Override
            public Socket createSocket() {
                return MailSockets.this.createSocket(); // TLS is put around it
            }

            @Override
            public Socket createSocket(Socket plain, String host, int port, boolean autoClose)
                    throws IOException {
                SSLSocket made = (SSLSocket) tls.createSocket(plain, host, port, autoClose);
                SSLParameters parameters = made.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                made.setSSLParameters(parameters);
                return made;
            }

            @Override
            public String[] getDefaultCipherSuites() {
                return tls.getDefaultCipherSuites();
            }

            @Override
            public String[] getSupportedCipherSuites() {
                return tls.getSupportedCipherSuites();
            }

            @Override
            public Socket createSocket(String host, int port) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Socket createSocket(String host, int port, InetAddress local, int localPort) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Socket createSocket(InetAddress host, int port) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Socket createSocket(
                    InetAddress host, int port, InetAddress local, int localPort) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
