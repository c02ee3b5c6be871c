package org.stillwater.fake.xapi.net;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The port of one host: HTTP/1.1 with one virtual thread per connection. */
final class HostListener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HostListener.class);

    /** Limits in time and bytes on reading from a peer after the refusal of its body. */
    private static final long LINGER_NANOS = 1_000_000_000L;

    private static final int LINGER_BYTES = 1 << 20;

    /** Pause after a failed accept, for example without file handles. */
    private static final long ACCEPT_PAUSE_NANOS = 200_000_000L;

    private final ServerSocket server;
    private final String address;
    private final @Nullable SSLContext tls;
    private final Router router;
    private final Faults faults;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    HostListener(String address, int port, @Nullable SSLContext tls, Router router, Faults faults)
            throws IOException {
        this(address, bound(address, port), tls, router, faults);
    }

    /** Serves a port that is bound already. */
    HostListener(
            String address,
            ServerSocket server,
            @Nullable SSLContext tls,
            Router router,
            Faults faults) {
        this.address = address;
        this.server = server;
        this.tls = tls;
        this.router = router;
        this.faults = faults;
        Thread.ofVirtual().name("fake-xapi " + address).start(this::accept);
    }

    private static ServerSocket bound(String address, int port) throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReuseAddress(true);
        server.bind(new InetSocketAddress(InetAddress.getByName(address), port), 256);
        return server;
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        boolean warned = false;
        while (!closed) {
            try {
                Socket socket = server.accept();
                warned = false;
                open.add(socket);
                if (closed) { // meanwhile: only this thread closes it
                    socket.close();
                    return;
                }
                Thread.ofVirtual().name("fake-xapi connection").start(() -> serve(socket));
            } catch (IOException e) {
                if (closed) {
                    return;
                }
                if (!warned) {
                    LOG.warn("{} cannot accept connections: {}", address, e.toString());
                    warned = true;
                }
                LockSupport.parkNanos(ACCEPT_PAUSE_NANOS);
            }
        }
    }

    private void serve(Socket plain) {
        try (plain; // also after a failed handshake
                Socket socket = secured(plain)) {
            socket.setTcpNoDelay(true);
            BufferedInputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
            while (!closed) {
                HttpRequest request = HttpRequest.read(in);
                if (request == null) {
                    return;
                }
                if (!exchange(request, out)) {
                    if (request.body() == null) {
                        linger(socket, in);
                    }
                    return;
                }
            }
        } catch (IOException e) {
            LOG.debug("{}: {}", address, e.toString()); // the peer went away
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(plain);
        }
    }

    /**
     * Reads the rest of a refused body: closing a connection with unread bytes resets it, and the
     * answer is lost with it. XAPI closes at once (http_svr.ml), so its clients get either the
     * answer or a reset; here they always get the answer.
     */
    private static void linger(Socket socket, BufferedInputStream in) throws IOException {
        long end = System.nanoTime() + LINGER_NANOS;
        socket.shutdownOutput();
        byte[] sink = new byte[8192];
        for (int left = LINGER_BYTES, read = 0; left > 0 && read >= 0; left -= read) {
            long millis = (end - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                return;
            }
            socket.setSoTimeout((int) millis);
            read = in.read(sink);
        }
    }

    private Socket secured(Socket plain) throws IOException {
        if (tls == null) {
            return plain;
        }
        javax.net.ssl.SSLSocket socket =
                (javax.net.ssl.SSLSocket)
                        tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true);
        socket.setUseClientMode(false);
        socket.startHandshake();
        return socket;
    }

    /** Whether the connection stays open. */
    private boolean exchange(HttpRequest request, OutputStream out)
            throws IOException, InterruptedException {
        if (!router.isLive(address)) {
            return false;
        }
        Router.Route route = router.route(request);
        String call = route.name();
        if (faults.strikes(FaultKind.RESET, address, call) != null) {
            return false;
        }
        Faults.Fault silence = faults.strikes(FaultKind.SILENCE, address, call);
        if (silence != null) {
            silence.removed().await();
            return false;
        }
        Faults.Fault latency = faults.strikes(FaultKind.LATENCY, address, call);
        if (latency != null) {
            boolean _ =
                    latency.removed()
                            .await(
                                    Long.parseLong(latency.argument()),
                                    java.util.concurrent.TimeUnit.MILLISECONDS);
        }
        Router.Answer answer = router.answer(address, request, route);
        if (!router.isLive(address)) {
            return false; // it died meanwhile
        }
        Faults.Fault truncate = faults.strikes(FaultKind.TRUNCATE, address, call);
        boolean keep = !request.closes() && answer.keepAlive() && request.body() != null;
        StringBuilder head = new StringBuilder();
        head.append("HTTP/1.1 ")
                .append(answer.status())
                .append(' ')
                .append(reason(answer.status()));
        head.append("\r\ncontent-length: ").append(answer.body().length());
        head.append("\r\nconnection: ").append(keep ? "keep-alive" : "close");
        head.append("\r\ncache-control: no-cache, no-store\r\n");
        if (!answer.contentType().isEmpty()) {
            head.append("content-type: ").append(answer.contentType()).append("\r\n");
        }
        if (!answer.location().isEmpty()) {
            head.append("location: ").append(answer.location()).append("\r\n");
        }
        head.append("\r\n");
        out.write(head.toString().getBytes(StandardCharsets.US_ASCII));
        long most = truncate == null ? answer.body().length() : Long.parseLong(truncate.argument());
        answer.body().writeTo(out, most);
        out.flush();
        return keep && truncate == null;
    }

    private static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 302 -> "Found";
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 404 -> "Not Found";
            case 503 -> "Service Unavailable";
            default -> "Internal Server Error";
        };
    }

    /** Closes the connections that are open, as a host does that dies. */
    void dropConnections() {
        for (Socket each : open) {
            try {
                each.close();
            } catch (IOException e) {
                LOG.debug("{}: {}", address, e.toString());
            }
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        server.close();
        dropConnections();
    }
}
