package org.stillwater.fake.xapi.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.fake.xapi.world.PoolSettings;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.WorldClock;

@Timeout(60)
class HostListenerTest {

    private static final String ADDRESS = "127.9.3.1";

    /** A port that fails to accept at first, as in a process without file handles. */
    private static final class Exhausted extends ServerSocket {

        private final AtomicInteger failures = new AtomicInteger(1);

        Exhausted() throws IOException {
            bind(new InetSocketAddress(InetAddress.getByName(ADDRESS), 0));
        }

        @Override
        public Socket accept() throws IOException {
            if (failures.getAndDecrement() > 0) {
                throw new SocketException("Too many open files");
            }
            return super.accept();
        }
    }

    @Test
    void aPortThatCannotAcceptForAMomentServesAfterwards() throws Exception {
        try (Pools pools = new Pools(new WorldClock(0))) {
            pools.add(PoolSettings.today(), 7, "p", List.of(ADDRESS), 1);
            Faults faults = new Faults();
            try (HostListener listener =
                            new HostListener(
                                    ADDRESS,
                                    new Exhausted(),
                                    null,
                                    new Router(pools, faults),
                                    faults);
                    Socket client = new Socket()) {
                client.connect(new InetSocketAddress(ADDRESS, listener.port()));
                client.getOutputStream()
                        .write(
                                "GET /none HTTP/1.1\r\nHost: x\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
                assertThat(
                                new String(
                                        client.getInputStream().readNBytes(12),
                                        StandardCharsets.US_ASCII))
                        .isEqualTo("HTTP/1.1 404");
            }
        }
    }
}
