package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.time.EngineClock;

/** HTTP/1.1 against a server with scripted answers. */
@Timeout(30)
class NetworkTransportTest {

    private static final String ADDRESS = "127.13.1.1";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** The server's reaction to one request: it sends this, and closes if it ends so. */
    private static final String CLOSE = "\u0000close";

    private final BlockingQueue<String> script = new LinkedBlockingQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private ServerSocket server;
    private NetworkTransport transport;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getByName(ADDRESS));
        Thread.ofVirtual().start(this::accept);
        EngineClock clock =
                new EngineClock() {
                    @Override
                    public long nanoTime() {
                        return nanos.get();
                    }

                    @Override
                    public Instant now() {
                        return Instant.EPOCH;
                    }
                };
        PoolAccess access =
                PoolAccess.of(List.of(ADDRESS), server.getLocalPort(), "u", () -> "p", "o");
        transport = new NetworkTransport(access.plain(), new Lab.Pins(), clock);
    }

    @AfterEach
    void stop() throws IOException {
        transport.close();
        server.close();
        for (Socket each : sockets) {
            each.close();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException _) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            BufferedReader in =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.ISO_8859_1));
            OutputStream out = socket.getOutputStream();
            while (true) {
                List<String> head = new ArrayList<>();
                int length = 0;
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.isEmpty()) {
                        break;
                    }
                    head.add(line);
                    if (line.startsWith("Content-Length: ")) {
                        length = Integer.parseInt(line.substring(16));
                    }
                }
                if (head.isEmpty()) {
                    return;
                }
                StringBuilder body = new StringBuilder();
                for (int i = 0; i < length; i++) {
                    body.append((char) in.read());
                }
                requests.add(String.join("|", head) + "||" + body);
                String answer = script.take();
                boolean closes = answer.endsWith(CLOSE);
                out.write(answer.replace(CLOSE, "").getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
                if (closes) {
                    return;
                }
            }
        } catch (IOException _) {
            // The client closed it.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static String plain(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(body.length(), body);
    }

    private String get() throws IOException {
        return read(transport.get(ADDRESS, "/path?a=b", "*/*", TIMEOUT));
    }

    private String post(String text) throws IOException {
        return read(
                transport.post(
                        ADDRESS,
                        "/",
                        "text/xml",
                        text.getBytes(StandardCharsets.ISO_8859_1),
                        TIMEOUT));
    }

    private static String read(Transport.Answer answer) throws IOException {
        try (var body = answer.body()) {
            return answer.status()
                    + " "
                    + answer.contentType()
                    + " "
                    + new String(body.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    @DisplayName("X5 requests have a length and a name, and share a connection")
    void keepsConnections() throws IOException {
        script.addAll(List.of(plain("one"), plain(""), plain("x".repeat(100_000))));
        assertThat(post("body")).isEqualTo("200 text/plain one");
        assertThat(get()).isEqualTo("200 text/plain ");
        assertThat(post("")).hasSize(100_000 + "200 text/plain ".length());
        assertThat(sockets).hasSize(1);
        assertThat(requests.getFirst())
                .isEqualTo(
                        "POST / HTTP/1.1|Host: %s:%d|User-Agent: Stillwater|Content-Type: text/xml|Accept: text/xml|Content-Length: 4||body"
                                .formatted(ADDRESS, server.getLocalPort()));
        assertThat(requests.get(1)).startsWith("GET /path?a=b HTTP/1.1|Host: ");
    }

    @Test
    @DisplayName("bodies in chunks, without a length, and none at all")
    void bodies() throws IOException {
        script.addAll(
                List.of(
                        "HTTP/1.1 100 Continue\r\n\r\n"
                                + "HTTP/1.1 200 OK\r\n"
                                + "Transfer-Encoding: chunked\r\n\r\n"
                                + "3\r\n"
                                + "abc\r\n"
                                + "A;x=y\r\n"
                                + "0123456789\r\n"
                                + "0\r\n"
                                + "Trailer: t\r\n\r\n",
                        "HTTP/1.1 204 None\r\n\r\n",
                        "HTTP/1.1 200 OK\nContent-Type: a/b\n\nto the end" + CLOSE,
                        "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold",
                        "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy"));
        assertThat(get()).isEqualTo("200  abc0123456789");
        assertThat(get()).isEqualTo("204  ");
        assertThat(get()).isEqualTo("200 a/b to the end");
        assertThat(sockets).hasSize(1);
        assertThat(get()).isEqualTo("200  old");
        assertThat(get()).isEqualTo("503  busy");
        assertThat(sockets).hasSize(3);
    }

    @Test
    @DisplayName("X62 a body that is cut off is an error of the connection, not of the protocol")
    void cutOff() {
        script.addAll(
                List.of(
                        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf" + CLOSE,
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nhalf" + CLOSE,
                        "HTTP/1.1 200 OK\r\nContent-Le" + CLOSE));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(this::get).isInstanceOf(XapiException.Unreachable.class);
        }
        script.addAll(
                List.of(
                        "SSH-2.0 hello\r\n\r\n" + CLOSE,
                        "HTTP/1.1 two\r\n\r\n" + CLOSE,
                        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + CLOSE));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(this::get).isInstanceOf(XapiException.Protocol.class);
        }
    }

    @Test
    @DisplayName(
            "a request that was never answered on a kept connection is repeated if it only reads")
    void repeats() throws IOException {
        script.addAll(List.of(plain("one"), CLOSE, plain("two"), plain("three"), CLOSE));
        assertThat(get()).endsWith("one");
        assertThat(get()).endsWith("two");
        assertThat(sockets).hasSize(2);
        assertThat(post("a")).endsWith("three");
        assertThatThrownBy(() -> post("b")).isInstanceOf(IOException.class);
        assertThat(requests).filteredOn(each -> each.endsWith("||b")).hasSize(1);
    }

    @Test
    @DisplayName(
            "a connection that the host closed meanwhile serves no call; an old one is not kept")
    void idle() throws Exception {
        script.addAll(List.of(plain("one") + CLOSE, plain("two"), plain("three"), plain("four")));
        assertThat(post("a")).endsWith("one");
        while (!sockets.getFirst().isClosed()) {
            Thread.onSpinWait();
        }
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(post("b")).endsWith("two");
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(post("c")).endsWith("three");
        assertThat(sockets).hasSize(2);
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        assertThat(post("d")).endsWith("four");
        assertThat(sockets).hasSize(3);
    }

    @Test
    @DisplayName("a rest of a body that nothing reads costs no connection; a large one does")
    void unread() throws IOException {
        script.addAll(List.of(plain("one"), plain("x".repeat(200_000)), plain("three")));
        transport.get(ADDRESS, "/", "*/*", TIMEOUT).body().close();
        transport.get(ADDRESS, "/", "*/*", TIMEOUT).body().close();
        assertThat(sockets).hasSize(1);
        assertThat(get()).endsWith("three");
        assertThat(sockets).hasSize(2);
    }

    @Test
    @DisplayName("X23 a host that is silent fails its call in time")
    void silence() {
        assertThatThrownBy(() -> transport.get(ADDRESS, "/", "*/*", Duration.ofMillis(50)))
                .isInstanceOf(XapiException.Unreachable.class)
                .hasMessageContaining("in time");
        script.add("never");
    }

    @Test
    @DisplayName("an interrupt and the end of the transport end a call that waits")
    void stopped() throws Exception {
        for (boolean interrupts : List.of(true, false)) {
            BlockingQueue<Exception> ended = new LinkedBlockingQueue<>();
            int before = requests.size();
            Thread caller =
                    Thread.ofPlatform()
                            .start(() -> {
                                try {
                                    get();
                                } catch (IOException e) {
                                    ended.add(e);
                                }
                            });
            while (requests.size() == before && caller.isAlive()) {
                Thread.onSpinWait();
            }
            if (interrupts) {
                caller.interrupt();
                assertThat(Lab.take(ended)).isInstanceOf(InterruptedIOException.class);
            } else {
                transport.close();
                assertThat(Lab.take(ended)).isInstanceOf(IOException.class);
            }
            script.add("never");
        }
        assertThatThrownBy(this::get).isInstanceOf(IOException.class);
    }

    @Test
    @DisplayName("a path cannot hold a second request")
    void paths() {
        assertThatThrownBy(() -> transport.get(ADDRESS, "/a b", "*/*", TIMEOUT))
                .isInstanceOf(XapiException.Protocol.class);
        assertThatThrownBy(() -> transport.get(ADDRESS, "/\r\nX: y", "*/*", TIMEOUT))
                .isInstanceOf(XapiException.Protocol.class);
    }

    @Test
    @DisplayName("X18 a call ends when its host, which is silent, accepts no connection any more")
    void blackHole() throws Exception {
        CompletableFuture<Exception> ended = new CompletableFuture<>();
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        transport.post(ADDRESS, "/", "text/xml", new byte[0], TIMEOUT);
                    } catch (IOException e) {
                        ended.complete(e);
                    }
                });
        while (requests.isEmpty()) {
            Thread.onSpinWait();
        }
        transport.endIfUnreachable(ADDRESS);
        assertThat(ended).as("it accepts connections").isNotDone();
        server.close(); // earlier accepted connections stay open
        transport.endIfUnreachable(ADDRESS);
        assertThat(ended.get()).isInstanceOf(IOException.class);
        assertThat(sockets.getFirst().isClosed()).isFalse();
    }
}
