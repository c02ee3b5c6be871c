package org.stillwater.fake.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.vdsm.stomp.SegmentPool;

/**
 * The transport of all simulated hosts of a process, and the board of its faults. Thread-safe.
 *
 * <p>Threads: one timer; per port and per connection a parked virtual thread; per connection with
 * something to send, one more; per running verb, one more.
 */
public final class HostServer implements HostTransport {

    private static final Logger log = LoggerFactory.getLogger(HostServer.class);

    private static final int WRITER_BUFFERS = 16;
    private static final long IDLE_SEGMENT_BYTES = 4L << 20;

    private final Map<HostName, SimulatedHost> hosts = new ConcurrentSkipListMap<>();
    private final AtomicLong connectionIds = new AtomicLong();
    private final Map<String, Storm> storms = new ConcurrentHashMap<>();
    private final TransportResources wire;

    private HostServer(TransportSettings settings, @Nullable PkiDirectory pki, Ticker ticker) {
        Meters meters = new Meters();
        Faults faults = new Faults(ticker, meters, settings.seed());
        this.wire =
                new TransportResources(
                        settings,
                        ticker,
                        meters,
                        faults,
                        new DataFaults(faults),
                        pki == null ? null : new TlsContexts(pki, settings.certificates()),
                        new BufferPool(WRITER_BUFFERS),
                        new SegmentPool(SegmentPool.DEFAULT_SEGMENT_BYTES, IDLE_SEGMENT_BYTES));
        faults.onChange(() -> Thread.ofVirtual().name("fake-faults").start(this::settleFaults));
    }

    /**
     * A transport without hosts.
     *
     * @param settings limits and manners
     * @param pki certificates for mutual TLS; null for connections without TLS
     */
    public static HostServer create(TransportSettings settings, @Nullable PkiDirectory pki) {
        return create(settings, pki, new SystemTicker());
    }

    static HostServer create(
            TransportSettings settings, @Nullable PkiDirectory pki, Ticker ticker) {
        return new HostServer(settings, pki, ticker);
    }

    /** The faults of these hosts. */
    public FaultBoard faults() {
        return wire.faults();
    }

    @Override
    public InetSocketAddress open(HostEndpoint endpoint, InetSocketAddress bind) {
        SimulatedHost host =
                hosts.computeIfAbsent(
                        endpoint.name(), _ -> new SimulatedHost(endpoint, wire, connectionIds));
        if (!host.endpoint().equals(endpoint)) {
            throw new IllegalArgumentException("there is another host named " + endpoint.name());
        }
        try {
            InetSocketAddress address = host.listen(bind);
            if (wire.faults().any()) {
                settleFaults();
            }
            return address;
        } catch (IOException e) {
            if (host.listening().isEmpty()) {
                hosts.remove(endpoint.name(), host);
            }
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void remove(HostName name) {
        SimulatedHost host = hosts.remove(name);
        if (host == null) {
            throw unknown(name);
        }
        host.close();
    }

    @Override
    public void refuse(HostName name) {
        host(name).refuse(true);
    }

    @Override
    public void reopen(HostName name) {
        host(name).refuse(false);
    }

    @Override
    public int dropConnections(HostName name, Drop how) {
        return host(name).drop(how, "control");
    }

    @Override
    public void restarted(HostName name) {
        host(name).restarted();
    }

    @Override
    public void freeze(HostName name) {
        host(name).freeze();
    }

    @Override
    public void unfreeze(HostName name) {
        host(name).unfreeze();
    }

    @Override
    public void publish(HostName name, HostEvent event) {
        SimulatedHost host = hosts.get(name);
        if (host != null) {
            host.publish(event);
        }
    }

    @Override
    public List<Listening> hosts() {
        return hosts.values().stream().flatMap(host -> host.listening().stream()).toList();
    }

    @Override
    public List<ConnectionInfo> connections() {
        return hosts.values().stream().flatMap(host -> host.connections().stream()).toList();
    }

    @Override
    public TransportMetrics metrics() {
        int connections = 0;
        for (SimulatedHost host : hosts.values()) {
            connections += host.connectionCount();
        }
        return wire.meters().snapshot(hosts.size(), connections);
    }

    @Override
    public void close() {
        wire.faults().clear();
        hosts.values().forEach(SimulatedHost::close);
        hosts.clear();
        wire.ticker().close();
    }

    private SimulatedHost host(HostName name) {
        SimulatedHost host = hosts.get(name);
        if (host == null) {
            throw unknown(name);
        }
        return host;
    }

    private static IllegalArgumentException unknown(HostName name) {
        return new IllegalArgumentException("there is no host named " + name);
    }

    /** Brings ports and storms in line with the board; the other faults are requested when due. */
    private synchronized void settleFaults() {
        for (SimulatedHost host : hosts.values()) {
            host.refuseByFault(
                    !wire.faults().inForce(FaultKind.REFUSED_PORT, host.name()).isEmpty());
            for (Faults.Active fault : wire.faults().inForce(FaultKind.EVENT_STORM, host.name())) {
                String key = fault.id + "/" + host.name();
                storms.computeIfAbsent(
                        key,
                        _ -> {
                            log.info("{}: event storm {} begins", host.name(), fault.id);
                            Storm storm = new Storm(wire, host, fault, () -> storms.remove(key));
                            storm.start();
                            return storm;
                        });
            }
        }
    }
}
