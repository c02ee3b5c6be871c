package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.stomp.SegmentPool;
import org.stillwater.vdsm.stomp.StompDecoder;
import org.stillwater.vdsm.stomp.StompEncoder;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeaders;
import org.stillwater.vdsm.stomp.StompLimits;

/** The host's end is in memory, so that reads can be counted and nothing ever waits. */
class WireChannelTest {

    /** The answer of a host with 100 VMs. */
    private static final int ANSWER_BYTES = 347_000;

    private static SSLContext client;
    private static SSLContext server;

    private final SegmentPool buffers = new SegmentPool(SegmentPool.DEFAULT_SEGMENT_BYTES, 1 << 20);
    private final SegmentPool segments =
            new SegmentPool(SegmentPool.DEFAULT_SEGMENT_BYTES, 4 << 20);
    private final StompDecoder decoder = new StompDecoder(StompLimits.DEFAULT, segments);

    @BeforeAll
    static void makeContexts(@TempDir Path folder) throws Exception {
        Pki pki = new Pki("the authority");
        server = pki.serverContext(pki.issue("host1.example.test"));
        client =
                new TlsContexts(pki.writePem(folder, pki.issue("engine.example.test"), false))
                        .current();
    }

    /** The host's end of a connection. */
    private abstract static class Peer extends OutputStream {

        /** Bytes on their way to the engine. */
        private byte[] queue = new byte[0];

        private int queued;
        private int sent;
        private int longestRead = Integer.MAX_VALUE;
        private boolean ended;
        private final List<Long> lentAtReads = new ArrayList<>();
        private @Nullable SegmentPool watched;
        private Random random = new Random(0);

        private final InputStream in =
                new InputStream() {
                    @Override
                    public int read() {
                        throw new IllegalStateException("octet by octet");
                    }

                    @Override
                    public int read(byte[] into, int from, int count) {
                        lentAtReads.add(watched == null ? 0 : watched.lentBytes());
                        if (sent == queued) {
                            assertThat(ended).as("the reader does not wait").isTrue();
                            return -1;
                        }
                        int most = Math.min(count, queued - sent);
                        int part =
                                longestRead == Integer.MAX_VALUE
                                        ? most
                                        : Math.min(most, 1 + random.nextInt(longestRead));
                        System.arraycopy(queue, sent, into, from, part);
                        sent += part;
                        return part;
                    }
                };

        final void queue(byte[] octets, int count) {
            if (sent == queued) {
                sent = 0;
                queued = 0;
            }
            if (queue.length < queued + count) {
                queue = Arrays.copyOf(queue, 2 * (queued + count));
            }
            System.arraycopy(octets, 0, queue, queued, count);
            queued += count;
        }

        @Override
        public final void write(int octet) {
            throw new IllegalStateException("octet by octet");
        }

        abstract void send(byte[] octets) throws IOException;

        abstract byte[] received();

        /** Reads since the last call. */
        int takeReads() {
            int reads = lentAtReads.size();
            lentAtReads.clear();
            return reads;
        }
    }

    private static final class PlainPeer extends Peer {
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();

        @Override
        public void write(byte[] octets, int from, int count) {
            received.write(octets, from, count);
        }

        @Override
        void send(byte[] octets) {
            queue(octets, octets.length);
        }

        @Override
        byte[] received() {
            return received.toByteArray();
        }
    }

    /** Runs tasks of TLS at once. */
    private static final class TlsPeer extends Peer {
        private final SSLEngine engine = server.createSSLEngine();
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();
        private final ByteBuffer records = ByteBuffer.allocate(1 << 20);
        private final ByteBuffer record = ByteBuffer.allocate(1 << 16);
        private final ByteBuffer octets = ByteBuffer.allocate(1 << 16);
        private @Nullable SSLException told;

        TlsPeer(String version) {
            engine.setUseClientMode(false);
            engine.setNeedClientAuth(true);
            engine.setEnabledProtocols(new String[] {version});
        }

        @Override
        public void write(byte[] from, int offset, int count) throws IOException {
            records.put(from, offset, count).flip();
            try {
                boolean more = true;
                while (more) {
                    int consumed = engine.unwrap(records, octets.clear()).bytesConsumed();
                    received.write(octets.array(), 0, octets.position());
                    more = progress() || consumed > 0;
                }
            } catch (SSLException alert) {
                told = alert;
            }
            records.compact();
        }

        private boolean progress() throws IOException {
            boolean progressed = false;
            while (true) {
                switch (engine.getHandshakeStatus()) {
                    case NEED_TASK -> engine.getDelegatedTask().run();
                    case NEED_WRAP -> wrap(ByteBuffer.allocate(0));
                    default -> {
                        return progressed;
                    }
                }
                progressed = true;
            }
        }

        private void wrap(ByteBuffer from) throws IOException {
            engine.wrap(from, record.clear());
            queue(record.array(), record.position());
        }

        @Override
        void send(byte[] from) throws IOException {
            ByteBuffer left = ByteBuffer.wrap(from);
            while (left.hasRemaining()) {
                wrap(left);
            }
        }

        @Override
        byte[] received() {
            return received.toByteArray();
        }
    }

    private Peer peer(String protocol) {
        Peer peer = protocol.equals("plain") ? new PlainPeer() : new TlsPeer(protocol);
        peer.watched = buffers;
        return peer;
    }

    private WireChannel connect(Peer peer) throws IOException {
        if (peer instanceof PlainPeer) {
            return new PlainChannel(peer.in, peer, buffers);
        }
        SSLEngine engine = client.createSSLEngine("host1.example.test", 54_321);
        engine.setUseClientMode(true);
        TlsChannel channel = new TlsChannel(engine, peer.in, peer, buffers);
        channel.handshake();
        return channel;
    }

    /** The next frame, as the reader of a connection takes it; null at the end. */
    private @Nullable StompFrame next(WireChannel channel) throws IOException {
        while (true) {
            StompFrame frame = decoder.decode(channel.rest());
            if (frame != null) {
                return frame;
            }
            ByteBuffer room = decoder.room();
            int before = room.position();
            int count = channel.read(room, decoder.insideFrame());
            if (count < 0) {
                return null;
            }
            decoder.filled(room.position() - before);
        }
    }

    private static byte[] body(Random random, int length) {
        byte[] body = new byte[length];
        random.nextBytes(body);
        return body;
    }

    private static byte[] frame(byte[] body) {
        return StompEncoder.encode(
                new StompFrame("MESSAGE", StompHeaders.of("a", "b"), FrameBody.of(body)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3", "plain"})
    void anAnswerTakesAFewReads(String protocol) throws IOException {
        Peer peer = peer(protocol);
        WireChannel channel = connect(peer);
        byte[] body = body(new Random(1), ANSWER_BYTES);
        peer.send("\n".getBytes(UTF_8));
        for (int round = 0; round < 3; round++) {
            peer.send(frame(body));
            peer.takeReads();
            try (StompFrame frame = next(channel)) {
                assertThat(frame).isNotNull();
                assertThat(Arrays.equals(frame.body().toByteArray(), body)).isTrue();
                assertThat(frame.body().array()).as("in one piece").isNotNull();
            }
            assertThat(peer.takeReads()).as("round %d", round).isLessThanOrEqualTo(6);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3", "plain"})
    void aSilentConnectionHasNoBuffer(String protocol) throws IOException {
        Peer peer = peer(protocol);
        WireChannel channel = connect(peer);
        for (int round = 0; round < 3; round++) {
            peer.send(frame(body(new Random(round), ANSWER_BYTES)));
            peer.lentAtReads.clear();
            next(channel).close();
        }
        peer.send("\n".getBytes(UTF_8));
        peer.send(frame(body(new Random(9), 10)));
        peer.lentAtReads.clear();
        next(channel).close();
        assertThat(peer.lentAtReads.getFirst()).as("lent while waiting").isZero();
        channel.release();
        assertThat(buffers.lentBytes()).isZero();
        assertThat(segments.lentBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3", "plain"})
    void anAnswerLeavesLittleGarbage(String protocol) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Peer peer = peer(protocol);
        WireChannel channel = connect(peer);
        byte[] frame = frame(body(new Random(1), ANSWER_BYTES));
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            peer.send(frame);
            long before = threads.getCurrentThreadAllocatedBytes();
            next(channel).close();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least)
                .as("bytes of garbage")
                .isLessThan(protocol.equals("plain") ? 8_000 : 80_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3", "plain"})
    void framesArriveHoweverTheyAreCut(String protocol) throws IOException {
        for (int seed = 0; seed < 6; seed++) {
            Random random = new Random(seed);
            Peer peer = peer(protocol);
            WireChannel channel = connect(peer);
            peer.random = random;
            peer.longestRead = seed == 0 ? 1_000 : 50_000;
            List<byte[]> bodies = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                int length = random.nextInt(random.nextInt(10) == 0 ? 2_500_000 : 100_000);
                byte[] body = body(random, random.nextBoolean() ? length : length % 500);
                bodies.add(body);
                peer.send("\n".repeat(random.nextInt(3)).getBytes(UTF_8));
                peer.send(frame(body));
            }
            for (byte[] body : bodies) {
                try (StompFrame frame = next(channel)) {
                    assertThat(frame).isNotNull();
                    assertThat(Arrays.equals(frame.body().toByteArray(), body))
                            .as("seed %d, a body of %d", seed, body.length)
                            .isTrue();
                }
            }
            channel.release();
        }
        assertThat(buffers.lentBytes()).isZero();
        assertThat(segments.lentBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3", "plain"})
    void writtenBytesArrive(String protocol) throws IOException {
        Peer peer = peer(protocol);
        WireChannel channel = connect(peer);
        byte[] octets = body(new Random(3), 100_000);
        channel.output().write(octets);
        assertThat(Arrays.equals(peer.received(), octets)).isTrue();
        channel.release();
        assertThat(buffers.lentBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3", "plain"})
    void theEndOfTheConnectionIsAnEnd(String protocol) throws IOException {
        Peer peer = peer(protocol);
        WireChannel channel = connect(peer);
        byte[] frame = frame(body(new Random(4), 50_000));
        peer.send(Arrays.copyOf(frame, 40_000));
        peer.ended = true;
        assertThat(next(channel)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aFarewellIsAnEnd(String version) throws IOException {
        TlsPeer peer = (TlsPeer) peer(version);
        WireChannel channel = connect(peer);
        peer.send("\n".getBytes(UTF_8));
        peer.engine.closeOutbound();
        peer.progress();
        assertThat(next(channel)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aDamagedRecordEndsTheConnectionWithAnAlert(String version) throws IOException {
        TlsPeer peer = (TlsPeer) peer(version);
        WireChannel channel = connect(peer);
        peer.send("\n".getBytes(UTF_8));
        peer.send(frame(new byte[100]));
        ((Peer) peer).queue[((Peer) peer).queued - 20] ^= 1;
        assertThatThrownBy(() -> next(channel)).isInstanceOf(SSLException.class);
        assertThat(peer.told).hasMessageContaining("bad_record_mac");
        assertThatThrownBy(() -> channel.output().write(1)).isInstanceOf(IOException.class);
        channel.release();
        assertThat(buffers.lentBytes()).isZero();
    }

    @Test
    void aHostThatEndsTheHandshakeIsNamed() {
        Peer silent = new PlainPeer();
        silent.ended = true;
        SSLEngine engine = client.createSSLEngine("host1.example.test", 54_321);
        engine.setUseClientMode(true);
        TlsChannel channel = new TlsChannel(engine, silent.in, silent, buffers);
        assertThatThrownBy(channel::handshake)
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("terminated the handshake");
        assertThat(buffers.lentBytes()).isZero();
    }
}
