package org.stillwater.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.server.RunningEngine.Stream;

/**
 * Readers of the stream on real sockets that take nothing, with so little buffer between that the
 * engine cannot send them even a snapshot. They are ended, and others do not wait for them.
 */
@Timeout(180)
class BlockedReadersIT {

    private static final int HOSTS = 2;
    private static final int VMS = 300;
    private static final int READERS = 5;
    private static final int RECEIVE_BUFFER = 2_048;
    private static final int STATUS = "HTTP/1.1 200".length();

    /** More than all buffers between the engine and a reader, less than a snapshot. */
    private static final long BETWEEN = 200_000;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(29, HOSTS, VMS / HOSTS));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.http.send-buffer=16KB",
                        "--stillwater.stream.send-timeout=1s",
                        "--stillwater.stream.heart-beat=1s", // a reader that left is missed then
                        "--server.tomcat.connection-timeout=1s",
                        "--server.tomcat.keep-alive-timeout=1m");
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == VMS,
                () -> "" + engine.monitoring().health());
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    /** The two ways to the stream. */
    enum Way {
        EVENTS("/api/v1/stream", "HTTP/1.1 200", "Accept: text/event-stream\r\n"),
        SOCKET(
                "/api/v1/stream/ws",
                "HTTP/1.1 101",
                """
                Connection: Upgrade\r
                Upgrade: websocket\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
                """);

        private final String path;
        private final String status;
        private final String headers;

        Way(String path, String status, String headers) {
            this.path = path;
            this.status = status;
            this.headers = headers;
        }

        /** Asks for everything and takes nothing. */
        Socket open() throws IOException {
            URI address = URI.create(engine.address());
            Socket socket = new Socket();
            socket.setReceiveBufferSize(RECEIVE_BUFFER);
            socket.connect(
                    new InetSocketAddress(
                            InetAddress.getByName(address.getHost()), address.getPort()));
            socket.getOutputStream()
                    .write(
                            ("GET "
                                            + path
                                            + "?statistics=true HTTP/1.1\r\nHost: localhost\r\n"
                                            + headers
                                            + "\r\n")
                                    .getBytes(US_ASCII));
            return socket;
        }
    }

    private static int readers() {
        return (int) engine.gauge("stillwater.stream.subscribers");
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aBlockedReaderIsEndedAndDelaysNoOther(Way way) throws Exception {
        SimulatedVm vm = fleet.world().vms().getFirst();
        List<Socket> blocked = new ArrayList<>();
        try (Stream other = engine.stream("?entity=vm&vm=" + vm.id())) {
            assertThat(other.next("snapshot-end")).isNotNull();
            for (int i = 0; i < READERS; i++) {
                Socket socket = way.open();
                blocked.add(socket);
                assertThat(new String(socket.getInputStream().readNBytes(STATUS), US_ASCII))
                        .isEqualTo(way.status);
            }
            vm.pause(PauseCause.USER);
            awaitDelta(other, "\"paused\"");
            vm.resume();
            awaitDelta(other, "\"up\"");
            RunningEngine.await(() -> readers() == 1, () -> readers() + " readers");
            for (Socket socket : blocked) {
                assertThat(whatIsLeft(socket)).isBetween(1L, BETWEEN);
            }
        } finally {
            for (Socket socket : blocked) {
                socket.close();
            }
        }
        RunningEngine.await(() -> readers() == 0, () -> readers() + " readers");
    }

    private static void awaitDelta(Stream stream, String text) throws IOException {
        RunningEngine.Event event = stream.next("delta");
        while (event != null && !event.data().contains(text)) {
            event = stream.next("delta");
        }
        assertThat(event).as("the stream ended before " + text).isNotNull();
    }

    /** Bytes until the end of the connection, whichever way it ends. */
    private static long whatIsLeft(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        byte[] some = new byte[1_024];
        long count = 0;
        try {
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                count += read;
            }
        } catch (SocketException _) {
            count = Math.max(count, 1); // reset: data buffered by the system is lost
        }
        return count;
    }
}
