package org.stillwater.server.fence;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.fence.KdumpListener;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.settings.KdumpSettings;

/**
 * Receives messages of fence_kdump by UDP. For each attended host it keeps the time of the newest
 * message, and it keeps no others: hosts are known by their address, and an address that two of
 * these hosts share counts for neither. A packet is read as far as a message is long.
 *
 * <p>One thread receives. While the address cannot be bound it is tried again, and the engine goes
 * on without.
 */
public final class FenceKdumpListener implements KdumpListener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FenceKdumpListener.class);

    /** Addresses that the name of one host may have. */
    private static final int MOST_ADDRESSES = 16;

    private final KdumpSettings settings;
    private final EngineClock clock;
    private final Map<HostId, Attended> attended = new ConcurrentHashMap<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile State state;
    private volatile @Nullable DatagramSocket socket;
    private @Nullable InetAddress shared; // of the receiving thread

    /** A host, where its messages come from, and when the newest one did. */
    private static final class Attended {
        volatile List<InetAddress> addresses = List.of();
        volatile @Nullable Long lastNanos;
    }

    /** A listener that listens once it is started. */
    public FenceKdumpListener(KdumpSettings settings, EngineClock clock) {
        this.settings = settings;
        this.clock = clock;
        this.state =
                new State.Deaf(
                        settings.address() == null
                                ? "not listening: stillwater.fencing.kdump.address is not set"
                                : "the engine is starting");
    }

    /** Begins to listen, if an address is set; idempotent. */
    public void start() {
        String address = settings.address();
        if (address != null && started.compareAndSet(false, true)) {
            Thread.ofVirtual().name("fence-kdump").start(() -> listen(address));
        }
    }

    private void listen(String address) {
        InetSocketAddress here =
                new InetSocketAddress(InetAddress.ofLiteral(address), settings.port());
        try {
            do {
                listenOnce(here);
            } while (!closing.await(settings.retry().toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the listener has ended
        }
        state = new State.Deaf("the engine is stopping");
    }

    /**
     * The top frame of listening: after any failure it listens again after a pause, and logs it.
     */
    private void listenOnce(InetSocketAddress here) {
        try (DatagramSocket bound = new DatagramSocket(here)) {
            socket = bound;
            state = new State.Listening(clock.nanoTime());
            LOG.info("listening for kernel dumps of hosts at UDP {}", here);
            receive(bound);
        } catch (IOException e) {
            deaf(here, e); // or closed, because the engine is stopping
        } catch (Throwable e) {
            LOG.error("listening for kernel dumps failed", e);
            deaf(here, e);
        }
    }

    private void deaf(InetSocketAddress here, Throwable why) {
        State.Deaf now = new State.Deaf("UDP %s cannot be used: %s".formatted(here, why));
        if (closing.getCount() > 0 && !now.equals(state)) {
            LOG.warn(
                    "{}; hosts that write a kernel dump are fenced. Correct"
                            + " stillwater.fencing.kdump, or free the port; it is tried again every"
                            + " {} s",
                    now.why(),
                    settings.retry().toSeconds());
        }
        state = now;
    }

    private void receive(DatagramSocket bound) throws IOException {
        byte[] bytes = new byte[KdumpMessage.LENGTH];
        DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
        while (closing.getCount() > 0) {
            packet.setLength(bytes.length);
            bound.receive(packet);
            if (KdumpMessage.isOne(bytes, packet.getLength())) {
                heard(packet.getAddress());
            }
        }
    }

    private void heard(InetAddress sender) {
        Map.Entry<HostId, Attended> whose = null;
        for (Map.Entry<HostId, Attended> one : attended.entrySet()) {
            if (one.getValue().addresses.contains(sender)) {
                if (whose != null) {
                    shared(whose.getKey(), one.getKey(), sender);
                    return;
                }
                whose = one;
            }
        }
        if (whose == null) {
            LOG.debug("an unexpected message of fence_kdump from {}", sender);
            return;
        }
        LOG.debug("host={} reports that it writes a kernel dump", whose.getKey());
        whose.getValue().lastNanos = clock.nanoTime();
    }

    /** Messages come every few seconds: the same address is logged once in a row. */
    private void shared(HostId one, HostId other, InetAddress sender) {
        if (!sender.equals(shared)) {
            shared = sender;
            LOG.warn(
                    "hosts {} and {} have the same address {}: the sender of the dump message is"
                            + " ambiguous",
                    one,
                    other,
                    sender.getHostAddress());
        }
    }

    /** Address that it listens on; null while it does not listen. */
    @Nullable InetSocketAddress boundTo() {
        DatagramSocket bound = socket;
        return state instanceof State.Listening && bound != null && !bound.isClosed()
                ? (InetSocketAddress) bound.getLocalSocketAddress()
                : null;
    }

    @Override
    public State state() {
        return state;
    }

    /** An IP address counts at once; a name as soon as it is looked up. */
    @Override
    public void attend(HostId host, String address) {
        Attended now = new Attended();
        if (attended.putIfAbsent(host, now) != null) {
            return;
        }
        try {
            now.addresses = List.of(InetAddress.ofLiteral(address));
        } catch (IllegalArgumentException _) {
            Thread.ofVirtual().name("fence-kdump-" + host).start(() -> lookUp(host, now, address));
        }
    }

    private static void lookUp(HostId host, Attended attended, String name) {
        try {
            attended.addresses =
                    Arrays.stream(InetAddress.getAllByName(name)).limit(MOST_ADDRESSES).toList();
        } catch (UnknownHostException e) {
            LOG.warn(
                    "host={} its name {} cannot be looked up, so a kernel dump of it is not heard:"
                            + " {}",
                    host,
                    name,
                    e.getMessage());
        }
    }

    @Override
    public void leave(HostId host) {
        attended.remove(host);
    }

    @Override
    public @Nullable Long lastHeardNanos(HostId host) {
        Attended known = attended.get(host);
        return known == null ? null : known.lastNanos;
    }

    /** Ends listening. Idempotent. */
    @Override
    public void close() {
        closing.countDown();
        DatagramSocket bound = socket;
        if (bound != null) {
            bound.close();
        }
    }
}
