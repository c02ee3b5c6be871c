package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.dal.TestDatabase;

/** Connections that are many, half open or trickling: how many and how long they last. */
@Timeout(120)
class ConnectionLimitsIT {

    private static TestDatabase database;
    private static RunningEngine engine;
    private static int port;

    @BeforeAll
    static void start() {
        database = TestDatabase.migrated();
        engine =
                RunningEngine.start(
                        database,
                        List.of(),
                        "--server.address=0.0.0.0",
                        "--stillwater.security.anonymous-role=none",
                        "--stillwater.http.connections-per-address=30",
                        "--stillwater.http.head-timeout=3s",
                        "--stillwater.http.body-timeout=1s",
                        "--stillwater.http.body-rate=1MB");
        port = URI.create(engine.address()).getPort();
    }

    @AfterAll
    static void stop() {
        engine.close();
        database.close();
    }

    /** A connection from one of the addresses that this machine has. */
    private static Socket from(int last) throws IOException {
        return new Socket(
                InetAddress.ofLiteral("127.0.0.1"),
                port,
                InetAddress.ofLiteral("127.0.0." + last),
                0);
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    /** Sends a byte again and again until the engine hangs up or answers; whether it did. */
    private static boolean isEndedWhileTrickling(Socket socket) throws IOException {
        socket.setSoTimeout(100);
        InputStream in = socket.getInputStream();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (System.nanoTime() - deadline < 0) {
            try {
                send(socket, "x");
                if (in.read() < 0) {
                    return true;
                }
                in.transferTo(java.io.OutputStream.nullOutputStream());
                return true;
            } catch (java.net.SocketTimeoutException _) {
                // not yet
            } catch (IOException _) {
                return true;
            }
        }
        return false;
    }

    @Test
    void theHeadOfARequestHasToComeInTime() throws Exception {
        try (Socket socket = from(2)) {
            send(socket, "GET /actuator/health/liveness HTTP/1.1\r\nHost: a\r\nX-Slow: ");
            assertThat(isEndedWhileTrickling(socket)).isTrue();
        }
    }

    @Test
    void theHeadOfAFurtherRequestHasToComeInTimeToo() throws Exception {
        try (Socket socket = from(3)) {
            send(socket, "GET /actuator/health/liveness HTTP/1.1\r\nHost: a\r\n\r\n");
            byte[] some = new byte[64];
            assertThat(socket.getInputStream().read(some)).isPositive();
            send(socket, "GET /actuator/health/liveness HTTP/1.1\r\nHost: a\r\nX-Slow: ");
            assertThat(isEndedWhileTrickling(socket)).isTrue();
        }
    }

    @Test
    void aBodyHasToComeInTime() throws Exception {
        try (Socket socket = from(4)) {
            send(
                    socket,
                    "POST /ovirt-engine/sso/oauth/token HTTP/1.1\r\nHost: a\r\n"
                            + "Content-Type: application/x-www-form-urlencoded\r\n"
                            + "Content-Length: 100000\r\n\r\nusername=");
            assertThat(isEndedWhileTrickling(socket)).isTrue();
        }
    }

    /** The answer comes at once; the rest of the body is read only to find the next request. */
    @Test
    void anUnneededBodyHasATimeLimitToo() throws Exception {
        try (Socket socket = from(7)) {
            send(
                    socket,
                    "POST /api/v1/vms HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                            + "Content-Length: 2000000\r\n\r\n");
            byte[] answer = socket.getInputStream().readNBytes("HTTP/1.1 401".length());
            assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 401");
            assertThat(isEndedWhileTrickling(socket)).isTrue();
        }
    }

    @Test
    void anAddressHasSoManyAndOthersHaveTheirs() throws Exception {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < 31; i++) {
                open.add(from(5));
            }
            assertThat(isAnswered(open.getLast())).isFalse();
            assertThat(isAnswered(open.getFirst())).isTrue();
            try (Socket other = from(6)) {
                send(other, "GET /actuator/health/liveness HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(other.getInputStream().read()).isEqualTo('H');
            }
            for (Socket each : open) {
                each.close();
            }
            RunningEngine.await(
                    () -> {
                        try (Socket again = from(5)) {
                            send(
                                    again,
                                    "GET /actuator/health/liveness HTTP/1.1\r\nHost: a\r\n\r\n");
                            return again.getInputStream().read() == 'H';
                        } catch (IOException _) {
                            return false;
                        }
                    },
                    () -> "places of closed connections are not free again");
        } finally {
            for (Socket each : open) {
                each.close();
            }
        }
    }

    private static boolean isAnswered(Socket socket) {
        try {
            send(socket, "GET /actuator/health/liveness HTTP/1.1\r\nHost: a\r\n\r\n");
            return socket.getInputStream().read() == 'H';
        } catch (IOException _) {
            return false; // it was closed
        }
    }
}
