package org.stillwater.fake.net;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.fake.net.HostTransport.Drop;
import org.stillwater.vdsm.stomp.MalformedFrame;
import org.stillwater.vdsm.stomp.StompDecoder;
import org.stillwater.vdsm.stomp.StompFrame;

/**
 * One client of one host, from accept to close.
 *
 * <p>One virtual thread reads for as long as the connection lives; another writes while there is
 * something to write, so that an idle connection has one parked thread and no buffers but the
 * reader's. Everything else (heart-beats, limits) is on the timer. Thread-safe.
 *
 * <p>It is long because reading, answering and faults of a connection share its one end.
 */
final class Connection {

    private static final Logger log = LoggerFactory.getLogger(Connection.class);

    /** VDSM reads in pieces of this size (§1.4.1). */
    private static final int READ_BYTES = 4096;

    /** Longest wait of a closed connection for the client to close too. */
    private static final Duration LINGER = Duration.ofSeconds(2);

    /** Interval in which a frozen connection checks whether the freeze has ended. */
    private static final Duration FROZEN_LOOK = Duration.ofMillis(500);

    private static final byte[] NOT_FOUND =
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private final long id;
    private final SimulatedHost host;
    private final TransportResources wire;
    private final Socket raw;
    private final Gate gate = new Gate();

    private final Object outLock = new Object();
    private final Deque<OutFrame> out = new ArrayDeque<>();
    private long queuedBytes;
    private boolean writing;

    private volatile @Nullable FrameWriter writer;
    private volatile HeartBeat heartBeat = HeartBeat.NONE;
    private volatile long lastInNanos;
    private volatile long lastOutNanos;
    private volatile boolean ending;
    private long lateNanos;
    private long connects;

    private final Object eventLock = new Object();
    private volatile @Nullable Runnable heldEvent;

    Connection(long id, SimulatedHost host, TransportResources wire, Socket raw) {
        this.id = id;
        this.host = host;
        this.wire = wire;
        this.raw = raw;
        this.lastInNanos = wire.ticker().nanoTime();
        this.lastOutNanos = lastInNanos;
    }

    long id() {
        return id;
    }

    SimulatedHost host() {
        return host;
    }

    HostTransport.ConnectionInfo info() {
        long queued;
        synchronized (outLock) {
            queued = queuedBytes;
        }
        return new HostTransport.ConnectionInfo(
                id,
                host.name(),
                (InetSocketAddress) raw.getRemoteSocketAddress(),
                host.broker().count(this),
                queued);
    }

    // ---- reading ------------------------------------------------------------------------------

    /** Serves the connection until it ends; the body of its reader thread. */
    void serve() {
        try {
            raw.setTcpNoDelay(true);
            Socket socket = wire.tls() == null ? raw : handshake(wire.tls());
            if (socket != null) {
                converse(socket);
            }
        } catch (MalformedFrame e) {
            log.debug("connection {} of {}: {}", id, host.name(), e.getMessage());
            drop(Drop.FIN, "malformed-frame");
        } catch (EOFException e) {
            log.trace("connection {} of {} ended within a frame", id, host.name(), e);
        } catch (IOException e) {
            log.debug("connection {} of {}: {}", id, host.name(), e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (ending) {
                discardUntilClosed();
            }
            close();
        }
    }

    private @Nullable SSLSocket handshake(TlsContexts contexts)
            throws IOException, InterruptedException {
        if (wire.strike(FaultKind.STALLED_HANDSHAKE, this, "TLS") != null) {
            // Only the client ends this one, or a limit of its own.
            discardUntilClosed();
            return null;
        }
        SSLSocket socket = host.layer(raw, contexts, this);
        Ticker.Scheduled limit =
                wire.ticker()
                        .schedule(
                                wire.settings().handshakeLimit(),
                                () -> drop(Drop.FIN, "handshake-limit"));
        try {
            socket.startHandshake();
            return socket;
        } catch (IOException e) {
            wire.meters().handshakesFailed.increment();
            log.debug("{}: handshake with {}: {}", host.name(), raw, e.toString());
            // Closing at once could destroy the alert before the client has read it.
            drop(Drop.FIN, "handshake-failed");
            return null;
        } finally {
            limit.cancel();
        }
    }

    private void converse(Socket socket) throws IOException, InterruptedException {
        InputStream in = socket.getInputStream();
        OutputStream socketOut = socket.getOutputStream();
        writer = new FrameWriter(this, wire, socketOut);
        byte[] buffer = new byte[READ_BYTES];
        int length = firstBytes(in, buffer);
        switch (Protocol.of(buffer, length)) {
            case UNKNOWN -> drop(Drop.FIN, "unknown-protocol");
            case HTTP -> {
                socketOut.write(NOT_FOUND);
                socketOut.flush();
                drop(Drop.FIN, "http");
            }
            case STOMP -> {
                try (StompDecoder decoder = wire.decoder()) {
                    while (length >= 0) {
                        heard(length);
                        if (!handleAll(decoder, ByteBuffer.wrap(buffer, 0, length))) {
                            return;
                        }
                        length = in.read(buffer);
                        gate.pass();
                        if (ending) {
                            return;
                        }
                    }
                }
            }
        }
    }

    private boolean handleAll(StompDecoder decoder, ByteBuffer bytes) throws MalformedFrame {
        while (true) {
            try (StompFrame frame = decoder.decode(bytes)) {
                if (frame == null) {
                    return true;
                }
                wire.meters().framesIn.increment();
                if (!host.session().handle(this, frame)) {
                    drop(Drop.FIN, "protocol");
                }
                if (ending) {
                    return false;
                }
            }
        }
    }

    /** Reads until the protocol is certain, or the limit closes the connection. */
    private int firstBytes(InputStream in, byte[] buffer) throws IOException {
        Ticker.Scheduled limit =
                wire.ticker()
                        .schedule(
                                wire.settings().detectionLimit(),
                                () -> drop(Drop.FIN, "detection-limit"));
        try {
            int length = 0;
            while (length < Protocol.NEEDED_BYTES) {
                int count = in.read(buffer, length, buffer.length - length);
                if (count < 0) {
                    break;
                }
                length += count;
            }
            return length;
        } finally {
            limit.cancel();
        }
    }

    private void heard(int bytes) throws InterruptedException {
        lastInNanos = wire.ticker().nanoTime();
        wire.meters().bytesIn.add(bytes);
        Faults.Active slow = wire.strike(FaultKind.SLOW_CONSUMER, this, "*");
        if (slow != null) {
            sleep(Duration.ofNanos(bytes * 1_000_000_000L / slow.spec.perSecond()));
        }
    }

    // ---- heart-beats --------------------------------------------------------------------------

    /** Starts, or restarts, the heart-beats of CONNECT. */
    void keep(HeartBeat agreed) {
        long mine;
        synchronized (outLock) {
            heartBeat = agreed;
            connects++;
            mine = connects;
            lateNanos = 0;
        }
        lastOutNanos = wire.ticker().nanoTime();
        scheduleBeat(mine);
    }

    private void scheduleBeat(long mine) {
        HeartBeat agreed = heartBeat;
        long now = wire.ticker().nanoTime();
        long wait = Long.MAX_VALUE;
        if (agreed.outgoing() > 0) {
            wait = agreed.outgoing() * 1_000_000L + lateNanos - (now - lastOutNanos);
        }
        if (agreed.incoming() > 0) {
            wait = Math.min(wait, agreed.incoming() * 1_000_000L - (now - lastInNanos));
        }
        if (wait != Long.MAX_VALUE) {
            wire.ticker().schedule(Duration.ofNanos(Math.max(0, wait)), () -> beat(mine));
        }
    }

    private void beat(long mine) {
        synchronized (outLock) {
            if (ending || connects != mine) {
                return;
            }
        }
        if (gate.isShut()) {
            wire.ticker().schedule(FROZEN_LOOK, () -> beat(mine));
            return;
        }
        HeartBeat agreed = heartBeat;
        long now = wire.ticker().nanoTime();
        if (agreed.incoming() > 0 && now - lastInNanos >= agreed.incoming() * 1_000_000L) {
            drop(Drop.FIN, "heart-beat");
            return;
        }
        if (agreed.outgoing() > 0
                && now - lastOutNanos >= agreed.outgoing() * 1_000_000L + lateNanos) {
            if (wire.strike(FaultKind.NO_HEART_BEATS, this, "heart-beat") != null) {
                lastOutNanos = now;
                lateNanos = 0;
            } else {
                Faults.Active late =
                        lateNanos > 0
                                ? null
                                : wire.strike(FaultKind.LATE_HEART_BEATS, this, "heart-beat");
                if (late != null) {
                    lateNanos = wire.faults().delay(late.spec).toNanos();
                } else {
                    lateNanos = 0;
                    lastOutNanos = now;
                    send(OutFrame.HEART_BEAT);
                }
            }
        }
        scheduleBeat(mine);
    }

    // ---- writing ------------------------------------------------------------------------------

    /** Queues a frame; never blocks. A reader too slow for the queue loses its connection. */
    void send(OutFrame frame) {
        boolean start = false;
        boolean overflow = false;
        synchronized (outLock) {
            if (ending) {
                return;
            }
            if (queuedBytes > 0 && queuedBytes + frame.weight() > wire.settings().outQueueBytes()) {
                overflow = true;
            } else {
                out.add(frame);
                queuedBytes += frame.weight();
                if (!writing) {
                    writing = true;
                    start = true;
                }
            }
        }
        if (overflow) {
            drop(Drop.RST, "slow-reader");
        } else if (start) {
            Thread.ofVirtual().name("fake-out-" + id).start(this::drain);
        }
    }

    private void drain() {
        FrameWriter frames = writer;
        if (frames == null) {
            return;
        }
        try {
            OutFrame sent = null;
            while (true) {
                OutFrame frame;
                synchronized (outLock) {
                    if (sent != null) {
                        queuedBytes -= sent.weight();
                    }
                    frame = out.poll();
                    if (frame == null) {
                        writing = false;
                        return;
                    }
                }
                frames.write(frame);
                sent = frame;
            }
        } catch (IOException e) {
            log.debug("connection {} of {}: {}", id, host.name(), e.toString());
            drop(Drop.RST, "write-failed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            drop(Drop.RST, "interrupted");
        }
    }

    /** To be called before bytes are written; waits while the host is half-open. */
    void beforeWrite(int bytes) throws InterruptedException {
        gate.pass();
        lastOutNanos = wire.ticker().nanoTime();
        wire.meters().bytesOut.add(bytes);
    }

    /** To be called after bytes were written, which may have taken a while. */
    void afterWrite() {
        lastOutNanos = wire.ticker().nanoTime();
    }

    // ---- events -------------------------------------------------------------------------------

    /** Delivers an event to one subscription, unless a fault thinks otherwise. Never blocks. */
    void deliver(HostEvent event, Subscription to) {
        String name = event.method();
        if (heldEvent == null && !wire.faults().any()) {
            sendEvent(event, to);
            return;
        }
        HostEvent told =
                new HostEvent(name, wire.dataFaults().event(event.json(), host.name(), name, id));
        synchronized (eventLock) {
            if (wire.strike(FaultKind.LOST_EVENT, this, name) != null) {
                return;
            }
            Faults.Active late = wire.strike(FaultKind.LATE_EVENT, this, name);
            if (late != null) {
                wire.ticker().schedule(wire.faults().delay(late.spec), () -> sendEvent(told, to));
                return;
            }
            Faults.Active reordered =
                    heldEvent != null ? null : wire.strike(FaultKind.REORDERED_EVENT, this, name);
            if (reordered != null) {
                Runnable held = () -> sendEvent(told, to);
                heldEvent = held;
                wire.ticker().schedule(wire.faults().delay(reordered.spec), () -> release(held));
                return;
            }
            sendEvent(told, to);
            if (wire.strike(FaultKind.DOUBLED_EVENT, this, name) != null) {
                sendEvent(told, to);
            }
            Runnable held = heldEvent;
            if (held != null) {
                release(held);
            }
        }
    }

    private void release(Runnable held) {
        synchronized (eventLock) {
            if (held.equals(heldEvent)) {
                heldEvent = null;
                held.run();
            }
        }
    }

    private void sendEvent(HostEvent event, Subscription to) {
        wire.meters().events.increment();
        send(OutFrame.message(to.destination(), to.id(), event.json(), event.method()));
    }

    // ---- ending -------------------------------------------------------------------------------

    void freeze() {
        gate.shut();
    }

    void unfreeze() {
        lastInNanos = wire.ticker().nanoTime();
        gate.open();
    }

    /** Freezes the connection, for a time or (zero) without end. */
    void freezeFor(Duration time) {
        freeze();
        if (!time.isZero()) {
            wire.ticker().schedule(time, this::unfreeze);
        }
    }

    /**
     * Ends the connection from our side and drops its queue.
     *
     * @return false if it was ending already
     */
    boolean drop(Drop how, String reason) {
        synchronized (outLock) {
            if (ending) {
                return false;
            }
            ending = true;
            out.clear();
        }
        wire.meters().dropped(reason);
        host.broker().removeAll(this);
        try {
            switch (how) {
                case RST -> {
                    raw.setSoLinger(true, 0);
                    raw.close();
                }
                case FIN -> {
                    // Closing with unread bytes would send a reset instead of an end.
                    raw.shutdownOutput();
                    wire.ticker().schedule(LINGER, this::close);
                }
            }
        } catch (IOException e) {
            log.trace("connection {} was gone", id, e);
        }
        gate.open();
        return true;
    }

    private void discardUntilClosed() {
        try {
            raw.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            log.trace("connection {} closed", id, e);
        }
    }

    /** Closes the socket and forgets the connection. */
    void close() {
        synchronized (outLock) {
            ending = true;
            out.clear();
        }
        gate.open();
        try {
            raw.close();
        } catch (IOException e) {
            log.trace("connection {} was gone", id, e);
        }
        host.forget(this);
    }

    /** Waits on the ticker. */
    void sleep(Duration time) throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        Ticker.Scheduled wakeUp = wire.ticker().schedule(time, over::countDown);
        try {
            over.await();
        } finally {
            wakeUp.cancel();
        }
    }

    boolean isEnding() {
        return ending;
    }
}
