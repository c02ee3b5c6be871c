package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;

/**
 * The stream of an engine with VDSM hosts, and what its sockets refuse; readers that are slow are
 * in SlowReadersIT.
 */
@Timeout(120)
class StreamSocketsIT extends StreamContract {

    private static final int VMS = 60;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static ContractSubject subject;

    @Override
    ContractSubject subject() {
        return subject;
    }

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(11, 3, 20));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.stream.heart-beat=100ms",
                        "--stillwater.stream.snapshot-chunk=7",
                        "--stillwater.stream.max-subscribers=20",
                        "--stillwater.stream.first-message=3s",
                        "--stillwater.stream.allowed-origins=https://console.example.org");
        engine.awaitHostsUp(3);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == VMS,
                () -> "" + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(30));
        engine.pollAll();
        subject = new VdsmSubject(engine, fleet, 3, 20);
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no json",
                "[]",
                "{\"type\":\"hello\"}",
                "{\"type\":\"subscribe\",\"entity\":\"disk\"}",
                "{\"type\":\"subscribe\",\"vm\":\"no-uuid\"}",
                "{\"type\":\"subscribe\",\"fields\":\"size\"}",
                "{\"type\":\"subscribe\",\"fields\":{}}",
                "{\"type\":\"subscribe\",\"sql\":\"1\"}"
            })
    void malformedMessagesCloseTheSocketWithTheirOwnCode(String message) throws Exception {
        try (SocketReader reader = new SocketReader(engine, "")) {
            reader.socket.sendText(message, true).join();
            assertThat(reader.closed.poll(30, TimeUnit.SECONDS)).isEqualTo(4000);
        }
    }

    @Test
    void aWrongQueryIsRefusedBeforeThereIsASocket() {
        assertThatThrownBy(() -> new SocketReader(engine, "?entity=disk"))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        refused -> assertThat(refused.getResponse().statusCode()).isEqualTo(400));
    }

    @Test
    void onlyPagesOfAllowedOriginsOpenASocket() throws Exception {
        assertThat(handshake("http://evil.example.org")).contains(" 403");
        assertThat(handshake("https://console.example.org")).contains(" 101");
        assertThat(handshake(engine.address())).contains(" 101");
    }

    private static String handshake(String origin) throws Exception {
        URI address = URI.create(engine.address());
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(30_000);
            write(
                    socket,
                    "GET /api/v1/stream/ws?entity=host HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: %s\r\n\r\n"
                            .formatted(address.getHost(), address.getPort(), origin));
            return line(socket.getInputStream());
        }
    }

    private static void write(Socket socket, String text) throws Exception {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static String line(InputStream in) throws Exception {
        StringBuilder line = new StringBuilder();
        int c = in.read();
        while (c >= 0 && c != '\n') {
            line.append((char) c);
            c = in.read();
        }
        return line.toString();
    }
}
