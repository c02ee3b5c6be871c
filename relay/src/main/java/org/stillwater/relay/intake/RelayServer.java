package org.stillwater.relay.intake;

import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.stillwater.core.port.EngineClock;
import org.stillwater.relay.wire.StreamLimits;

/** The gRPC server for relays. Thread-safe. */
public final class RelayServer implements AutoCloseable {

    private static final long CLOSE_SECONDS = 3;

    private final Server server;
    private final RelayEndpoint endpoint;
    private final ScheduledExecutorService marks;

    private RelayServer(Server server, RelayEndpoint endpoint, ScheduledExecutorService marks) {
        this.server = server;
        this.endpoint = endpoint;
        this.marks = marks;
    }

    /**
     * PEM files.
     *
     * @param key the engine's private key, PKCS#8
     * @param certificate the engine's certificate
     * @param authorities authorities that relays are checked against
     */
    public record Files(File key, File certificate, File authorities) {}

    /**
     * Limits of streams.
     *
     * @param longestInterval longest accepted time between two polls of a relay
     * @param window most unacknowledged deltas of one stream
     * @param markEvery time between two marks
     */
    public record Pace(Duration longestInterval, int window, Duration markEvery) {}

    /**
     * Opens the port.
     *
     * @throws IOException if the port or the files cannot be used
     */
    public static RelayServer start(
            InetSocketAddress address,
            Files files,
            Pace pace,
            RelayIntake relays,
            EngineClock clock)
            throws IOException {
        ServerCredentials credentials =
                TlsServerCredentials.newBuilder()
                        .keyManager(files.certificate(), files.key())
                        .trustManager(files.authorities())
                        .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                        .build();
        RelayEndpoint endpoint =
                new RelayEndpoint(relays, clock, pace.longestInterval(), pace.window());
        Server server =
                NettyServerBuilder.forAddress(address, credentials)
                        .addService(endpoint)
                        .intercept(new RelayName())
                        .maxInboundMessageSize(StreamLimits.MESSAGE_BYTES)
                        .keepAliveTime(30, TimeUnit.SECONDS)
                        .permitKeepAliveTime(10, TimeUnit.SECONDS)
                        .build()
                        .start();
        return new RelayServer(server, endpoint, marks(endpoint, pace.markEvery()));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // mark() throws no exception
    private static ScheduledExecutorService marks(RelayEndpoint endpoint, Duration every) {
        ScheduledThreadPoolExecutor marks =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name("relay-marks").daemon().factory());
        marks.scheduleAtFixedRate(
                endpoint::mark, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
        return marks;
    }

    /** The port that it listens on. */
    public int port() {
        return server.getPort();
    }

    /** Relays that are connected. */
    public int connected() {
        return endpoint.connected();
    }

    @Override
    public void close() {
        marks.shutdownNow();
        server.shutdownNow();
        try {
            boolean _ = server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
