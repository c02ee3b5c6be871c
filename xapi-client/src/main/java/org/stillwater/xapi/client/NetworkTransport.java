package org.stillwater.xapi.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;

/**
 * HTTP/1.1 to the hosts of a pool. Bodies have a length, answers are read as they come, on the
 * thread of the caller. Connections that a host keeps open serve later calls.
 */
final class NetworkTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(NetworkTransport.class);

    /** Named plainly: pools limit clients by it. */
    private static final String USER_AGENT = "User-Agent: Stillwater\r\n";

    private static final byte[] NOTHING = {};

    /** Connections without a call that are kept for each host. */
    private static final int MOST_IDLE = 4;

    /** XAPI may close a connection on which no request came for ten seconds. */
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(5);

    /** From then on a look shows whether the host has closed it; a look takes a millisecond. */
    private static final Duration SURELY_OPEN = Duration.ofMillis(300);

    /** A connection without a call, and since when. */
    private record Idle(HttpConnection connection, long sinceNanos) {}

    /** A context and the version of its authorities. */
    private record Secured(int version, SSLContext context) {}

    private final PoolAccess access;
    private final EngineClock clock;
    private final CertificatePins pins;
    private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();

    // Guarded by this; the one that was used last comes last.
    private final Map<String, Deque<Idle>> idle = new HashMap<>();
    private boolean closed;
    private @Nullable Secured secured;

    NetworkTransport(PoolAccess access, CertificatePins pins, EngineClock clock) {
        this.access = access;
        this.clock = clock;
        this.pins = pins;
    }

    /**
     * The context for a new connection; null without TLS. Other authorities get a context of their
     * own, because an earlier session would be resumed without a check.
     */
    private @Nullable SSLContext tls() throws IOException {
        if (!access.tls()) {
            return null;
        }
        PoolAuthorities authorities = access.authorities();
        PoolAuthorities.Present now = authorities == null ? null : authorities.present();
        int version = now == null ? 0 : now.version();
        synchronized (this) {
            Secured present = secured;
            if (present == null || present.version() != version) {
                present = new Secured(version, PinningTrust.context(pins, now));
                secured = present;
            }
            return present.context();
        }
    }

    private String authority(String address) {
        String host = address.contains(":") ? "[" + address + "]" : address;
        return host + ":" + access.port();
    }

    @Override
    public Answer post(
            String address, String path, String contentType, byte[] body, Duration timeout)
            throws IOException {
        String headers =
                USER_AGENT + "Content-Type: " + contentType + "\r\nAccept: " + contentType + "\r\n";
        return send(
                address,
                HttpConnection.request("POST", path, authority(address), headers, body),
                timeout,
                false);
    }

    @Override
    public Answer get(String address, String path, String accept, Duration timeout)
            throws IOException {
        String headers = USER_AGENT + "Accept: " + accept + "\r\n";
        return send(
                address,
                HttpConnection.request("GET", path, authority(address), headers, NOTHING),
                timeout,
                true);
    }

    /**
     * Sends a request.
     *
     * @param repeatable whether it may reach the host twice, as when a kept connection ended
     */
    private Answer send(String address, byte[] request, Duration timeout, boolean repeatable)
            throws IOException {
        HttpConnection kept = kept(address);
        if (kept != null) {
            try {
                return exchange(address, kept, request, timeout);
            } catch (HttpConnection.Unanswered e) {
                if (!repeatable) {
                    throw e;
                }
            }
        }
        HttpConnection fresh =
                HttpConnection.open(
                        address, access.port(), tls(), access.connectTimeout(), timeout);
        open.add(fresh);
        if (isClosed()) {
            end(fresh);
            throw new IOException("the connection is closed");
        }
        return exchange(address, fresh, request, timeout);
    }

    private Answer exchange(
            String address, HttpConnection connection, byte[] request, Duration timeout)
            throws IOException {
        boolean begun = false;
        try {
            Answer answer =
                    connection.exchange(
                            request,
                            timeout,
                            reusable -> {
                                if (reusable) {
                                    keep(address, connection);
                                } else {
                                    open.remove(connection);
                                }
                            });
            begun = true;
            return answer;
        } finally {
            if (!begun) {
                end(connection);
            }
        }
    }

    private void end(HttpConnection connection) {
        open.remove(connection);
        connection.close();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** A connection that the host has kept open; null if there is none. */
    private @Nullable HttpConnection kept(String address) {
        while (true) {
            Idle last;
            synchronized (this) {
                Deque<Idle> of = idle.get(address);
                last = of == null ? null : of.pollLast();
            }
            if (last == null) {
                return null;
            }
            long nanos = clock.nanoTime() - last.sinceNanos;
            if (nanos < LONGEST_IDLE.toNanos()
                    && (nanos < SURELY_OPEN.toNanos() || last.connection.isOpen())) {
                return last.connection;
            }
            end(last.connection);
        }
    }

    /** Its exchange is over and another one may follow. */
    private synchronized void keep(String address, HttpConnection connection) {
        long now = clock.nanoTime();
        for (Iterator<Deque<Idle>> all = idle.values().iterator(); all.hasNext(); ) {
            Deque<Idle> of = all.next();
            while (!of.isEmpty() && now - of.getFirst().sinceNanos > LONGEST_IDLE.toNanos()) {
                end(of.removeFirst().connection);
            }
            if (of.isEmpty()) {
                all.remove();
            }
        }
        Deque<Idle> of = idle.computeIfAbsent(address, _ -> new ArrayDeque<>());
        if (closed || of.size() >= MOST_IDLE) {
            end(connection);
        } else {
            of.addLast(new Idle(connection, now));
        }
    }

    @Override
    public void endIfUnreachable(String address) {
        InetSocketAddress peer = new InetSocketAddress(address, access.port());
        if (peer.isUnresolved()) {
            return; // that proves nothing about the host
        }
        try (Socket probe = new Socket()) {
            probe.connect(
                    peer, Math.clamp(access.connectTimeout().toMillis(), 1, Integer.MAX_VALUE));
        } catch (IOException e) {
            LOG.info("{} accepts no connection, its calls end: {}", address, e.toString());
            synchronized (this) {
                idle.remove(address);
            }
            open.stream().filter(each -> each.address().equals(address)).forEach(this::end);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            idle.clear();
        }
        open.forEach(this::end);
    }
}
