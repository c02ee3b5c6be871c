package org.stillwater.vdsm.client;

import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.text.TimeText;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.vdsm.stomp.MalformedFrame;
import org.stillwater.vdsm.stomp.StompCommand;
import org.stillwater.vdsm.stomp.StompDecoder;
import org.stillwater.vdsm.stomp.StompEncoder;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeader;
import org.stillwater.vdsm.stomp.StompHeaders;

/**
 * One TCP connection to a host, from dialling to its end: TLS, STOMP CONNECT, frames both ways,
 * heart-beats.
 *
 * <p>Threads: one virtual thread calls {@link #open} and then {@link #readFrames}; a virtual thread
 * of the connection writes the queue of {@link #send}; the shared timers watch both. To end the
 * connection, call {@link #abort}, which never blocks: it closes the socket below TLS, because the
 * close alert of TLS waits for a write that may never end.
 *
 * <p>The host counts as silent only while the reader waits for bytes: a slow receiver on this side
 * is not the host's fault.
 *
 * <p>It is long because dialling, frames and heart-beats of a connection share its one end.
 */
final class StompConnection {
    private static final byte[] BEAT = {StompEncoder.HEART_BEAT};
    private static final int LONGEST_QUOTE = 200;
    private static final long TELL_SLOWED_NANOS = Duration.ofSeconds(1).toNanos();

    /** Takes frames, one after the other; it must close each. */
    @FunctionalInterface
    interface FrameHandler {
        void frame(StompFrame frame) throws IOException;
    }

    private final HostDefinition host;
    private final ConnectionResources wire;
    private final Function<HostCertificate, @Nullable String> trust;
    private final Runnable slowed;
    private final ReceiveRateLimit pace;
    private final Semaphore resumed = new Semaphore(0);
    private volatile Socket raw = new Socket();
    private final BlockingQueue<byte[]> outbound;
    private final StompDecoder decoder;
    private final AtomicReference<@Nullable HostFailure> end = new AtomicReference<>();

    private @Nullable WireChannel channel;
    private @Nullable OutputStream out;
    private @Nullable Thread writer;
    private volatile boolean reading;
    private long toldSlowedNanos;
    private volatile long lastInboundNanos;
    private volatile long lastHeardNanos;
    private volatile boolean writing;
    private volatile long writingSinceNanos;
    private volatile long lastOutboundNanos;
    private long silenceNanos;
    private long beatNanos;
    private long lastBeatNanos;
    private volatile Timers.@Nullable Timer pulse;

    /**
     * A connection that is not open yet.
     *
     * @param trust returns the reason to refuse the certificate that the host showed, null to
     *     accept it
     * @param slowed runs once a second while the host sends faster than the engine reads and has to
     *     wait
     */
    StompConnection(
            HostDefinition host,
            ConnectionResources wire,
            Function<HostCertificate, @Nullable String> trust,
            Runnable slowed) {
        this.host = host;
        this.wire = wire;
        this.trust = trust;
        this.slowed = slowed;
        long rate = wire.settings.bounds().receivedBytesPerSecond();
        this.pace =
                new ReceiveRateLimit(
                        Math.max(rate, wire.settings.bounds().frames().bodyBytes()),
                        rate,
                        wire.clock.nanoTime());
        this.toldSlowedNanos = wire.clock.nanoTime() - TELL_SLOWED_NANOS;
        this.outbound = new ArrayBlockingQueue<>(wire.settings.bounds().outboundFrames());
        this.decoder = new StompDecoder(wire.settings.bounds().frames(), wire.segments);
    }

    /** Dials, shakes hands and waits for CONNECTED. Afterwards frames may be sent. */
    void open() throws ConnectFailed, InterruptedException {
        VdsmClientSettings.Timeouts timeouts = wire.settings.timeouts();
        boolean opened = false;
        try {
            dial(timeouts.connect());
            boolean dialAgain = !wire.gate.tryEnterHandshake();
            if (dialAgain) {
                raw.close();
                wire.gate.enterHandshake();
            }
            Timers.Timer limit =
                    wire.timers.after(
                            timeouts.handshake(),
                            () ->
                                    abort(
                                            new HostFailure.Unreachable(
                                                    "the handshake did not end within "
                                                            + TimeText.of(timeouts.handshake()))));
            try {
                if (dialAgain) {
                    raw = new Socket();
                    if (end.get() != null) {
                        throw new EOFException("the connection ended");
                    }
                    dial(timeouts.connect());
                }
                WireChannel through = channel();
                channel = through;
                secure(through);
                out = new BufferedOutputStream(through.output());
                connect(through, out);
            } finally {
                limit.cancel();
                wire.gate.leaveHandshake();
            }
            if (end.get() != null) {
                throw new EOFException("the connection ended");
            }
            writer = Thread.ofVirtual().name("write-" + host.name()).start(this::writeFrames);
            lastBeatNanos = lastOutboundNanos = lastInboundNanos = wire.clock.nanoTime();
            pulse();
            opened = true;
        } catch (IOException failed) {
            HostFailure failure = Refusals.explain(failed, host.address(), wire.tls != null);
            abort(failure);
            throw new ConnectFailed(endReason(failure), failed);
        } catch (InterruptedException stopped) {
            abort(new HostFailure.Unreachable("stopped"));
            throw stopped;
        } finally {
            if (!opened) {
                release();
            }
        }
    }

    /** Gives storage back: of a connection that has ended, on the thread that has read it. */
    void release() {
        decoder.close();
        if (channel != null) {
            channel.release();
        }
    }

    private void dial(Duration timeout) throws IOException {
        InetSocketAddress address = new InetSocketAddress(host.address(), host.port());
        if (address.isUnresolved()) {
            throw new UnknownHostException(host.address());
        }
        raw.setTcpNoDelay(true);
        raw.connect(address, (int) Math.min(timeout.toMillis(), Integer.MAX_VALUE));
    }

    private WireChannel channel() throws IOException {
        InputStream from = raw.getInputStream();
        OutputStream to = raw.getOutputStream();
        if (!(wire.settings.tls() instanceof TlsSettings.Mutual mutual) || wire.tls == null) {
            return new PlainChannel(from, to, wire.buffers);
        }
        SSLEngine engine = wire.tls.current().createSSLEngine(host.address(), host.port());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(mutual.protocols().toArray(new String[0]));
        if (mutual.verifyHostName()) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        engine.setSSLParameters(parameters);
        return new TlsChannel(engine, from, to, wire.buffers);
    }

    private void secure(WireChannel through) throws IOException {
        if (through instanceof TlsChannel tls) {
            tls.handshake();
            checkCertificate(tls.session());
        }
    }

    /**
     * The authority has signed every host of the data centre; whether this one is the host that was
     * dialled is decided here, before anything is sent. A resumed session has the certificate of
     * the session that it resumes, and is checked like a new one.
     */
    private void checkCertificate(SSLSession session) throws IOException {
        HostCertificate shown;
        try {
            shown = Certificates.read((X509Certificate) session.getPeerCertificates()[0]);
        } catch (CertificateEncodingException broken) {
            throw new ConnectFailed(
                    new HostFailure.Untrusted(
                            "the host's certificate cannot be read: " + Refusals.words(broken)),
                    broken);
        }
        String refusal = trust.apply(shown);
        if (refusal != null) {
            session.invalidate();
            throw new ConnectFailed(new HostFailure.WrongCertificate(refusal));
        }
    }

    /**
     * Sends CONNECT and reads CONNECTED. The {@code host} header is sent to older agents only: VDSM
     * ignores it, and an IPv6 literal in it, unescaped, would end the connection (protocol page
     * §1.4.1).
     */
    private void connect(WireChannel from, OutputStream to) throws IOException {
        VdsmClientSettings.HeartBeats beats = wire.settings.heartBeats();
        writeOrReadWhyNot(
                from,
                to,
                StompEncoder.encode(StompFrame.of(StompCommand.CONNECT, connectHeaders(beats))));
        try (StompFrame answer = nextFrame(from)) {
            if (answer.command().equals(StompCommand.ERROR)) {
                throw violation("the host refused CONNECT: " + quote(answer));
            }
            if (!answer.command().equals(StompCommand.CONNECTED)) {
                throw violation("the host answered CONNECT with " + answer.command());
            }
            String version = answer.headers().getOrDefault(StompHeader.VERSION, "none");
            if (!version.equals("1.2")) {
                throw violation("the host speaks STOMP version " + version + ", not 1.2");
            }
            agreeOnBeats(beats, answer.headers().getOrDefault(StompHeader.HEART_BEAT, "0,0"));
        }
    }

    private StompHeaders connectHeaders(VdsmClientSettings.HeartBeats beats) {
        StompHeaders headers =
                StompHeaders.of(
                        StompHeader.ACCEPT_VERSION,
                        "1.2",
                        StompHeader.HEART_BEAT,
                        beats.outgoing().toMillis() + "," + beats.incoming().toMillis());
        return host.traits().olderAgent()
                ? headers.with(StompHeader.HOST, host.address())
                : headers;
    }

    /**
     * A host that rejects the engine's certificate sends its alert only after the handshake (TLS
     * 1.3) and closes: the write fails, but the reason waits to be read.
     */
    private void writeOrReadWhyNot(WireChannel from, OutputStream to, byte[] bytes)
            throws IOException {
        try {
            to.write(bytes);
            to.flush();
        } catch (SocketException broken) {
            if (from.read(decoder.room(), decoder.insideFrame()) < 0) {
                throw broken;
            }
        }
    }

    /**
     * The promise is kept at half the interval, independent of the host's request. The host's
     * interval is the longer of its offer and our wish (STOMP 1.2, "Heart-beating"); a host that
     * promises none is not watched for silence.
     */
    private void agreeOnBeats(VdsmClientSettings.HeartBeats wanted, String answered) {
        beatNanos = wanted.outgoing().toNanos() / 2;
        long offered = Duration.ofMillis(firstNumber(answered)).toNanos();
        silenceNanos =
                offered == 0 || wanted.incoming().isZero()
                        ? 0
                        : 2 * Math.max(offered, wanted.incoming().toNanos());
    }

    private static long firstNumber(String heartBeat) {
        int comma = heartBeat.indexOf(',');
        String first = comma < 0 ? "0" : heartBeat.substring(0, comma).strip();
        try {
            return Math.clamp(Long.parseLong(first), 0, Duration.ofDays(1).toMillis());
        } catch (NumberFormatException notANumber) {
            return 0;
        }
    }

    private StompFrame nextFrame(WireChannel from) throws IOException {
        while (true) {
            StompFrame frame = decoder.decode(from.rest());
            if (frame != null) {
                wire.meter.frame(host.id());
                pace.frame();
                return frame;
            }
            giveWay();
            lastInboundNanos = wire.clock.nanoTime();
            ByteBuffer room = decoder.room();
            int before = room.position();
            reading = true;
            int count = from.read(room, decoder.insideFrame());
            reading = false;
            if (count < 0) {
                throw new EOFException("the host closed the connection");
            }
            decoder.filled(room.position() - before);
            lastHeardNanos = wire.clock.nanoTime();
            wire.meter.received(host.id(), count);
            pace.bytes(count);
        }
    }

    /**
     * Lets the readers of other hosts run. A virtual thread that always has bytes to read never
     * yields its carrier by itself: as many such hosts as there are processors would starve all
     * others. And a host that sends without end waits until its share is read.
     */
    @SuppressWarnings("ThreadPriorityCheck") // giving the carrier away is the purpose
    private void giveWay() throws IOException {
        Thread.yield();
        long now = wire.clock.nanoTime();
        for (long wait = pace.waitNanos(now); wait > 0; wait = pace.waitNanos(now)) {
            if (end.get() != null) {
                throw new EOFException("the connection ended");
            }
            if (now - toldSlowedNanos >= TELL_SLOWED_NANOS) {
                toldSlowedNanos = now;
                slowed.run();
            }
            Timers.Timer timer = wire.timers.after(Duration.ofNanos(wait), resumed::release);
            try {
                resumed.acquire();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("stopped");
            } finally {
                timer.cancel();
            }
            now = wire.clock.nanoTime();
        }
    }

    /** Hands frames over until the connection ends; returns the reason of the end. */
    HostFailure readFrames(FrameHandler handler) {
        WireChannel from = channel;
        if (from == null) {
            throw new IllegalStateException("not open");
        }
        try {
            while (end.get() == null) {
                handler.frame(nextFrame(from));
            }
        } catch (ConnectFailed violation) {
            abort(violation.failure());
        } catch (MalformedFrame malformed) {
            wire.meter.malformed(host.id());
            abort(new HostFailure.ProtocolViolation(Refusals.words(malformed)));
        } catch (IOException lost) {
            abort(new HostFailure.Unreachable("connection lost: " + Refusals.words(lost)));
        } finally {
            release();
        }
        return endReason(new HostFailure.Unreachable("connection lost"));
    }

    /**
     * Queues a frame.
     *
     * @return false when the host takes frames more slowly than they are sent, or the end has come
     */
    boolean send(byte[] frame) {
        return end.get() == null && outbound.offer(frame);
    }

    /** Whether the reader waits for the host and the writer has an empty queue. */
    boolean isIdle() {
        return reading && !writing && outbound.isEmpty();
    }

    /** Whether the connection has ended. */
    boolean ended() {
        return end.get() != null;
    }

    /** Ends the connection for this reason, unless it ended before. Never blocks. */
    void abort(HostFailure reason) {
        if (!end.compareAndSet(null, reason)) {
            return;
        }
        Timers.Timer timer = pulse;
        if (timer != null) {
            timer.cancel();
        }
        try {
            raw.close();
        } catch (IOException alreadyGone) {
            // The purpose is fulfilled.
        }
        resumed.release();
        Thread writing = writer;
        if (writing != null) {
            writing.interrupt();
        }
    }

    /** Whether bytes have arrived since that time. */
    boolean heardSince(long nanos) {
        return lastHeardNanos - nanos > 0;
    }

    /** Why the connection has ended, or the given reason while it has not. */
    HostFailure endReason(HostFailure otherwise) {
        HostFailure reason = end.get();
        return reason == null ? otherwise : reason;
    }

    private void writeFrames() {
        OutputStream to = out;
        if (to == null) {
            return;
        }
        try {
            while (end.get() == null) {
                byte @Nullable [] frame = outbound.take();
                // Taken before the write: a beat may come early, never late.
                lastOutboundNanos = writingSinceNanos = wire.clock.nanoTime();
                writing = true;
                while (frame != null) {
                    to.write(frame);
                    frame = outbound.poll();
                }
                to.flush();
                writing = false;
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (IOException lost) {
            abort(new HostFailure.Unreachable("writing failed: " + Refusals.words(lost)));
        } catch (Throwable bug) { // the thread's top frame: a connection without a writer is none
            abort(new HostFailure.Unreachable("writing failed: " + bug));
        }
    }

    /** One timer per connection does all the watching: beats, silence, stuck writes. */
    private void pulse() {
        if (end.get() != null) {
            return;
        }
        long now = wire.clock.nanoTime();
        long next = wire.settings.timeouts().write().toNanos();
        if (writing) {
            long stuck = now - writingSinceNanos;
            if (stuck >= wire.settings.timeouts().write().toNanos()) {
                abort(new HostFailure.Unreachable("the host stopped reading"));
                return;
            }
            next = Math.min(next, wire.settings.timeouts().write().toNanos() - stuck);
        }
        if (silenceNanos > 0) {
            long silent = reading ? now - lastInboundNanos : 0;
            if (silent >= silenceNanos) {
                abort(
                        new HostFailure.Unreachable(
                                "the host was silent for "
                                        + TimeText.of(Duration.ofNanos(silent))));
                return;
            }
            next = Math.min(next, silenceNanos - silent);
        }
        if (beatNanos > 0) {
            long quiet = Math.min(now - lastOutboundNanos, now - lastBeatNanos);
            if (quiet >= beatNanos) {
                // A full queue needs no beat: its frames go out soon.
                outbound.offer(BEAT);
                lastBeatNanos = now;
                quiet = 0;
            }
            next = Math.min(next, beatNanos - quiet);
        }
        pulse = wire.timers.after(Duration.ofNanos(next), this::pulse);
        if (end.get() != null) {
            Timers.Timer timer = pulse;
            timer.cancel();
        }
    }

    static ConnectFailed violation(String reason) {
        return new ConnectFailed(new HostFailure.ProtocolViolation(reason));
    }

    /** The text of an ERROR frame, shortened. */
    static String quote(StompFrame frame) {
        String text =
                frame.body().length() == 0
                        ? frame.headers().getOrDefault(StompHeader.MESSAGE, "no reason given")
                        : frame.body().length() > 4096 ? "a long text" : frame.body().text();
        return SafeText.of(text, LONGEST_QUOTE);
    }
}
