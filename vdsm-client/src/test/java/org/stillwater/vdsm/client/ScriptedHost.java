package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.stomp.SegmentPool;
import org.stillwater.vdsm.stomp.StompDecoder;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompLimits;

/** A host with scripted bytes. Not a simulator: it does nothing by itself. */
final class ScriptedHost implements AutoCloseable {
    static final long PATIENCE_SECONDS = 20;

    private final ServerSocket server;
    private final BlockingQueue<Peer> peers = new LinkedBlockingQueue<>();
    private final List<Peer> all = new ArrayList<>();
    private final Thread accepting;

    ScriptedHost() throws IOException {
        this(null);
    }

    ScriptedHost(@Nullable SSLContext tls, String... protocols) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        if (tls == null) {
            server = new ServerSocket(0, 50, loopback);
        } else {
            javax.net.ssl.SSLServerSocket secure =
                    (javax.net.ssl.SSLServerSocket)
                            tls.getServerSocketFactory().createServerSocket(0, 50, loopback);
            secure.setNeedClientAuth(true);
            if (protocols.length > 0) {
                secure.setEnabledProtocols(protocols);
            }
            server = secure;
        }
        accepting = Thread.ofVirtual().start(this::accept);
    }

    HostDefinition definition() {
        return new HostDefinition(
                new HostId(new UUID(0, 1)), "host1", "127.0.0.1", server.getLocalPort());
    }

    private void accept() {
        try {
            while (true) {
                Peer peer = new Peer(server.accept());
                synchronized (all) {
                    all.add(peer);
                }
                peers.add(peer);
            }
        } catch (IOException closed) {
            // The test has ended.
        }
    }

    /** The next connection that the engine makes. */
    Peer connection() throws InterruptedException {
        Peer peer = peers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(peer).as("a connection").isNotNull();
        return peer;
    }

    boolean hasConnection() {
        return !peers.isEmpty();
    }

    /** A connection that has been answered and has subscribed. */
    Peer session() throws Exception {
        Peer peer = connection();
        peer.handshake("version:1.2\nheart-beat:10000,10000\n");
        return peer;
    }

    /**
     * Stops listening for sure: a socket in which a virtual thread waits is closed by that thread,
     * which may take one connection more before it looks.
     */
    @Override
    public void close() throws IOException {
        server.close();
        boolean interrupted = false;
        while (accepting.isAlive()) {
            try {
                accepting.join();
            } catch (InterruptedException stop) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        synchronized (all) {
            for (Peer peer : all) {
                peer.close();
            }
        }
    }

    /** The host's end of one connection. */
    static final class Peer {
        final Socket socket;
        private final StompDecoder decoder =
                new StompDecoder(
                        new StompLimits(65_536, 1 << 26, false), new SegmentPool(65_536, 0));
        private final ByteBuffer input = ByteBuffer.allocate(8_192).limit(0);
        private final List<String> subscriptions = new ArrayList<>();
        String replyTo = "";

        Peer(Socket socket) throws IOException {
            this.socket = socket;
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        }

        /** The next frame; null when the engine has closed the connection. */
        @Nullable StompFrame nextFrame() throws IOException {
            InputStream in = socket.getInputStream();
            while (true) {
                StompFrame frame = decoder.decode(input);
                if (frame != null) {
                    return frame;
                }
                int count = in.read(input.array());
                if (count < 0) {
                    return null;
                }
                input.clear().limit(count);
            }
        }

        StompFrame frame(String command) throws IOException {
            StompFrame frame = nextFrame();
            assertThat(frame).as("a %s frame", command).isNotNull();
            assertThat(frame.command()).isEqualTo(command);
            return frame;
        }

        /** One byte, as it comes. */
        int read() throws IOException {
            return socket.getInputStream().read();
        }

        /** How many bytes wait to be read. */
        int available() {
            try {
                return socket.getInputStream().available();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Whether the engine closes or resets the connection, after any other data. */
        boolean isClosedByEngine() {
            try {
                while (nextFrame() != null) {
                    // data on its way
                }
                return true;
            } catch (java.net.SocketTimeoutException stillOpen) {
                return false;
            } catch (IOException reset) {
                return true;
            }
        }

        void handshake(String connectedHeaders) throws IOException {
            frame("CONNECT");
            send("CONNECTED\n" + connectedHeaders + "\n\0");
            StompFrame events = frame("SUBSCRIBE");
            StompFrame replies = frame("SUBSCRIBE");
            assertThat(events.header("destination")).isEqualTo("jms.queue.events");
            replyTo = replies.header("destination");
            subscriptions.add(events.header("id"));
            subscriptions.add(replies.header("id"));
        }

        List<String> subscriptionIds() {
            return subscriptions;
        }

        /** A request that came. */
        Request request() throws IOException {
            StompFrame frame = frame("SEND");
            assertThat(frame.header("destination")).isEqualTo("jms.topic.vdsm_requests");
            try (Envelope envelope = Envelope.open(frame.body())) {
                assertThat(envelope.kind()).isEqualTo(Envelope.Kind.REQUEST);
                return new Request(
                        this, frame, envelope.id().text(), envelope.method(), frame.body().text());
            }
        }

        void send(String text) throws IOException {
            send(text.getBytes(UTF_8));
        }

        void send(byte[] bytes) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
        }

        void message(String json) throws IOException {
            send(frameOf(json));
        }

        static String frameOf(String json) {
            return "MESSAGE\ndestination:d\ncontent-type:application/json\nsubscription:s\n"
                    + "content-length:"
                    + json.getBytes(UTF_8).length
                    + "\n\n"
                    + json
                    + "\0";
        }

        void close() throws IOException {
            socket.close();
        }

        /** Ends the connection with a reset. */
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }

    record Request(Peer peer, StompFrame frame, String id, String method, String body) {
        void answer(String result) throws IOException {
            peer.message(answerText(result));
        }

        String answerText(String result) {
            return "{\"jsonrpc\": \"2.0\", \"id\": \"" + id + "\", \"result\": " + result + "}";
        }

        void error(String error) throws IOException {
            peer.message(
                    "{\"jsonrpc\": \"2.0\", \"id\": \"" + id + "\", \"error\": " + error + "}");
        }
    }
}
