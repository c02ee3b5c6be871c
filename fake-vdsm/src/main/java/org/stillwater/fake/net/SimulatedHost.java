package org.stillwater.fake.net;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.fake.net.HostTransport.Drop;
import org.stillwater.vdsm.wire.Destination;

/** One host on the network: its ports, connections and subscriptions. Thread-safe. */
final class SimulatedHost {

    private static final Logger log = LoggerFactory.getLogger(SimulatedHost.class);

    /** Pause after a failed accept (for example without file handles). */
    private static final Duration ACCEPT_PAUSE = Duration.ofMillis(200);

    private static final Duration ACCEPTOR_LEAVES = Duration.ofSeconds(1);

    private final HostEndpoint endpoint;
    private final TransportResources wire;
    private final AtomicLong connectionIds;
    private final Broker broker = new Broker();
    private final Dispatcher dispatcher;
    private final Session session;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Gate gate = new Gate();

    private final List<Port> ports = new ArrayList<>();
    private boolean refusedByControl;
    private boolean refusedByFault;
    private volatile boolean removed;

    SimulatedHost(HostEndpoint endpoint, TransportResources wire, AtomicLong connectionIds) {
        this.endpoint = endpoint;
        this.wire = wire;
        this.connectionIds = connectionIds;
        this.dispatcher = new Dispatcher(endpoint, wire, broker);
        this.session = new Session(broker, dispatcher);
    }

    HostName name() {
        return endpoint.name();
    }

    HostEndpoint endpoint() {
        return endpoint;
    }

    Broker broker() {
        return broker;
    }

    Session session() {
        return session;
    }

    int connectionCount() {
        return connections.size();
    }

    List<HostTransport.ConnectionInfo> connections() {
        return connections.stream()
                .filter(connection -> !connection.isEnding())
                .map(Connection::info)
                .toList();
    }

    synchronized List<HostTransport.Listening> listening() {
        boolean refusing = refusedByControl || refusedByFault;
        return ports.stream()
                .map(port ->
                        new HostTransport.Listening(name(), port.address, refusing, gate.isShut()))
                .toList();
    }

    // ---- ports --------------------------------------------------------------------------------

    synchronized InetSocketAddress listen(InetSocketAddress bind) throws IOException {
        Port port = new Port(bind);
        if (!refusedByControl && !refusedByFault) {
            port.open();
        }
        ports.add(port);
        return port.address;
    }

    synchronized void refuse(boolean refuse) {
        refusedByControl = refuse;
        settlePorts();
    }

    synchronized void refuseByFault(boolean refuse) {
        if (refusedByFault != refuse) {
            refusedByFault = refuse;
            settlePorts();
        }
    }

    private void settlePorts() {
        boolean open = !removed && !refusedByControl && !refusedByFault && !isTaken();
        for (Port port : ports) {
            if (!open) {
                port.close();
            } else if (port.socket == null) {
                try {
                    port.open();
                } catch (IOException e) {
                    log.warn(
                            "{} cannot listen on {} again: {}", name(), port.address, e.toString());
                }
            }
        }
    }

    /** Whether its only allowed connection exists: then it needs no open file to listen with. */
    private boolean isTaken() {
        return wire.settings().connectionsPerHost() == 1 && !connections.isEmpty();
    }

    /** In a thread of its own: a port that closes waits for the thread that accepts. */
    private void settleIfTaken() {
        if (wire.settings().connectionsPerHost() == 1) {
            Thread.ofVirtual()
                    .name("fake-settle-" + name())
                    .start(() -> {
                        synchronized (this) {
                            settlePorts();
                        }
                    });
        }
    }

    private void acceptAll(ServerSocket socket) {
        boolean warned = false;
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                gate.pass();
                accepted(client);
                warned = false;
            } catch (SocketException e) {
                if (socket.isClosed()) {
                    return;
                }
                warned = acceptFailed(e, warned);
            } catch (IOException e) {
                warned = acceptFailed(e, warned);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean acceptFailed(IOException failure, boolean warned) {
        if (!warned) {
            log.warn("{} cannot accept connections: {}", name(), failure.toString());
        }
        LockSupport.parkNanos(ACCEPT_PAUSE.toNanos());
        return true;
    }

    private void accepted(Socket client) throws IOException {
        wire.meters().accepted.increment();
        if (connections.size() >= wire.settings().connectionsPerHost()) {
            wire.meters().dropped("too-many-connections");
            client.close();
            return;
        }
        long id = connectionIds.incrementAndGet();
        Connection connection = new Connection(id, this, wire, client);
        connections.add(connection);
        if (removed) {
            connection.close();
            return;
        }
        Thread.ofVirtual().name("fake-in-" + id).start(connection::serve);
        settleIfTaken();
    }

    /** Puts TLS on an accepted socket. */
    SSLSocket layer(Socket socket, TlsContexts contexts, Connection connection) throws IOException {
        List<InetAddress> addresses = List.of(socket.getLocalAddress());
        Faults.Active bad = wire.strike(FaultKind.BAD_CERTIFICATE, connection, "TLS");
        SSLContext context =
                bad == null
                        ? contexts.of(name(), addresses)
                        : contexts.bad(bad.spec.certificate(), name(), addresses);
        SSLSocket layered =
                (SSLSocket) context.getSocketFactory().createSocket(socket, null, false);
        layered.setUseClientMode(false);
        layered.setNeedClientAuth(true);
        layered.setEnabledProtocols(wire.settings().tlsProtocols().toArray(String[]::new));
        return layered;
    }

    // ---- connections --------------------------------------------------------------------------

    void forget(Connection connection) {
        broker.removeAll(connection);
        connections.remove(connection);
        settleIfTaken();
    }

    int drop(Drop how, String reason) {
        int dropped = 0;
        for (Connection connection : connections) {
            if (connection.drop(how, reason)) {
                dropped++;
            }
        }
        return dropped;
    }

    void freeze() {
        gate.shut();
        connections.forEach(Connection::freeze);
    }

    void unfreeze() {
        gate.open();
        connections.forEach(Connection::unfreeze);
    }

    void restarted() {
        dispatcher.restart();
        drop(Drop.FIN, "restarted");
    }

    void publish(HostEvent event) {
        for (Subscription listener : broker.at(Destination.EVENTS)) {
            listener.connection().deliver(event, listener);
        }
    }

    void close() {
        synchronized (this) {
            removed = true;
            ports.forEach(Port::close);
        }
        gate.open();
        connections.forEach(Connection::close);
    }

    /** One address the host listens on. */
    private final class Port {
        private InetSocketAddress address;
        private @Nullable ServerSocket socket;
        private @Nullable Thread acceptor;

        Port(InetSocketAddress address) {
            this.address = address;
        }

        void open() throws IOException {
            ServerSocket opened = new ServerSocket();
            try {
                opened.setReuseAddress(true);
                opened.bind(address, wire.settings().backlog());
            } catch (IOException e) {
                opened.close();
                if (e instanceof BindException) {
                    BindException named =
                            new BindException(
                                    "%s cannot listen on %s: %s"
                                            .formatted(
                                                    name(),
                                                    address.getAddress().getHostAddress()
                                                            + ":"
                                                            + address.getPort(),
                                                    e.getMessage()));
                    named.initCause(e);
                    throw named;
                }
                throw e;
            }
            socket = opened;
            address = (InetSocketAddress) opened.getLocalSocketAddress();
            acceptor =
                    Thread.ofVirtual().name("fake-accept-" + name()).start(() -> acceptAll(opened));
        }

        void close() {
            ServerSocket open = socket;
            Thread accepting = acceptor;
            socket = null;
            acceptor = null;
            if (open == null || accepting == null) {
                return;
            }
            try {
                open.close();
                // The kernel's socket ends only when the thread that waits on it has left.
                if (!accepting.join(ACCEPTOR_LEAVES)) {
                    log.debug("{}: its acceptor is held up", name());
                }
            } catch (IOException e) {
                log.debug("{}: closing its port: {}", name(), e.toString());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
