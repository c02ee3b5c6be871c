package org.stillwater.fake.net;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A client that sends and reads bytes; it knows just enough STOMP to find the end of a frame. */
final class RawClient implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Socket socket;
    private final InputStream in;

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
    }

    static RawClient plain(InetSocketAddress address) throws IOException {
        return new RawClient(connect(address));
    }

    static RawClient tls(InetSocketAddress address, SSLContext context, String... protocols)
            throws IOException {
        SSLSocket socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(connect(address), "localhost", 0, true);
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        socket.startHandshake();
        return new RawClient(socket);
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.connect(address, (int) PATIENCE.toMillis());
        return socket;
    }

    Socket socket() {
        return socket;
    }

    /** Sends text, {@code ^@} standing for NUL. */
    RawClient send(String text) throws IOException {
        return send(text.replace("^@", "\0").getBytes(StandardCharsets.UTF_8));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** CONNECT without heart-beats, and its answer. */
    RawClient connected() throws IOException {
        send("CONNECT\naccept-version:1.2\n\n^@");
        String frame = read();
        if (!frame.equals("CONNECTED\nversion:1.2\nheart-beat:0,0\n\n")) {
            throw new AssertionError("not CONNECTED: " + frame);
        }
        return this;
    }

    RawClient subscribe(String id, String destination) throws IOException {
        return send("SUBSCRIBE\ndestination:%s\nid:%s\n\n^@".formatted(destination, id));
    }

    /** Connected, with answers on subscription {@code r} and events on {@code e}. */
    RawClient ready() throws IOException {
        connected();
        subscribe("e", "jms.queue.events");
        subscribe("r", "jms.topic.vdsm_responses");
        call("0", "Test.void", "{}");
        read();
        return this;
    }

    RawClient call(String id, String method, String params) throws IOException {
        return request(
                "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":%s,\"id\":%s}"
                        .formatted(method, params, id),
                "jms.topic.vdsm_responses");
    }

    RawClient request(String json, String replyTo) throws IOException {
        String to = replyTo == null ? "" : "reply-to:" + replyTo + "\n";
        return send(
                "SEND\ndestination:jms.topic.vdsm_requests\n%scontent-length:%d\n\n%s^@"
                        .formatted(to, json.getBytes(StandardCharsets.UTF_8).length, json));
    }

    /** The next frame without its NUL; heart-beats before it are skipped. */
    String read() throws IOException {
        return readFrame().text();
    }

    /** The JSON of the next MESSAGE. */
    String readBody() throws IOException {
        Frame frame = readFrame();
        if (!frame.head().startsWith("MESSAGE\n")) {
            throw new AssertionError("not a MESSAGE: " + frame.text());
        }
        return frame.body();
    }

    Frame readFrame() throws IOException {
        int octet = readOctet();
        while (octet == '\n') {
            octet = readOctet();
        }
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int previous = 0;
        while (!(octet == '\n' && previous == '\n')) {
            head.write(octet);
            previous = octet;
            octet = readOctet();
        }
        String headText = head.toString(StandardCharsets.UTF_8);
        int length = -1;
        for (String line : headText.split("\n")) {
            if (line.startsWith("content-length:")) {
                length = Integer.parseInt(line.substring("content-length:".length()));
            }
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (length >= 0) {
            body.writeBytes(in.readNBytes(length));
            int nul = readOctet();
            if (nul != 0) {
                throw new AssertionError("no NUL after the body of " + headText + " but " + nul);
            }
        } else {
            for (int next = readOctet(); next != 0; next = readOctet()) {
                body.write(next);
            }
        }
        return new Frame(headText, body.toString(StandardCharsets.UTF_8));
    }

    /** The next frame as it came, NUL included; there must be no heart-beat before it. */
    byte[] readFrameBytes() throws IOException {
        Frame frame = readFrame();
        return (frame.text() + "\0").getBytes(StandardCharsets.UTF_8);
    }

    int readOctet() throws IOException {
        int octet = in.read();
        if (octet < 0) {
            throw new EOFException("the host closed the connection");
        }
        return octet;
    }

    /** Everything up to the end of the connection, which must come. */
    String readToEnd() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The sizes of single reads: one per segment or record, if read in time. */
    List<Integer> readSizes(int bytes) throws IOException {
        List<Integer> sizes = new ArrayList<>();
        byte[] buffer = new byte[64 * 1024];
        for (int left = bytes; left > 0; ) {
            int count = in.read(buffer);
            sizes.add(count);
            left -= count;
        }
        return sizes;
    }

    /** Whether the host ended the connection, by FIN or RST, without another byte. */
    boolean isEndedSilently() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    /** Whether bytes wait to be read. */
    boolean hasInput() throws IOException {
        return in.available() > 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** A frame as text: the head ends with the newline of its last header. */
    record Frame(String head, String body) {
        String text() {
            return head + "\n" + body;
        }
    }
}
