package org.stillwater.fake.net;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * The listening side of all simulated hosts of the process. Thread-safe. Unknown host names are
 * refused with {@link IllegalArgumentException}.
 */
public interface HostTransport extends EventPublisher, AutoCloseable {

    /** The way in which a connection is dropped. */
    enum Drop {
        /** An orderly TCP end. */
        FIN,
        /** A TCP reset. */
        RST
    }

    /**
     * Puts a host on the network. Called again with the same endpoint it adds an address, for a
     * host that listens on IPv4 and IPv6 loopback.
     *
     * @param endpoint answers the calls
     * @param bind address and port to listen on; port 0 takes a free one
     * @return the address it listens on
     * @throws java.io.UncheckedIOException if the address cannot be bound
     */
    InetSocketAddress open(HostEndpoint endpoint, InetSocketAddress bind);

    /** Takes a host off the network: port closed, connections reset, name forgotten. */
    void remove(HostName host);

    /** Refuses new connections to a host; those that exist stay. */
    void refuse(HostName host);

    /** Listens again on the same address after {@link #refuse}. */
    void reopen(HostName host);

    /**
     * Drops all connections of a host; the port stays open.
     *
     * @return how many were dropped
     */
    int dropConnections(HostName host, Drop how);

    /**
     * The effects of a VDSM restart on the wire: connections end, queued calls are dropped, and a
     * dispatcher that a notification had killed (§2.3) works again. The port stays open.
     */
    void restarted(HostName host);

    /**
     * Makes a host half-open: its sockets stay, nothing more is read, written or closed, and new
     * connections are accepted by the kernel only. Events of that time are queued up to the limit
     * of the out-queue.
     */
    void freeze(HostName host);

    /** Ends {@link #freeze}; held data flows again. */
    void unfreeze(HostName host);

    /** The hosts with their addresses, by name. */
    List<Listening> hosts();

    /** The connections of all hosts. */
    List<ConnectionInfo> connections();

    /** Counters since the start. */
    TransportMetrics metrics();

    /** Closes every port and connection and ends every thread; returns when all of it is done. */
    @Override
    void close();

    /**
     * One host on the network.
     *
     * @param host its name
     * @param address the address on which it listens
     * @param refusing whether {@link #refuse} is in force
     * @param frozen whether {@link #freeze} is in force
     */
    record Listening(HostName host, InetSocketAddress address, boolean refusing, boolean frozen) {}

    /**
     * One connection.
     *
     * @param id its number in this process, from 1; faults may name it
     * @param host the host it belongs to
     * @param peer the other end
     * @param subscriptions how many subscriptions it holds
     * @param queuedBytes bytes waiting for a slow reader
     */
    record ConnectionInfo(
            long id, HostName host, InetSocketAddress peer, int subscriptions, long queuedBytes) {}
}
