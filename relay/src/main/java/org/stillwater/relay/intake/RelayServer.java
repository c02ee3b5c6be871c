package org.stillwater.relay.intake;

import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.relay.wire.StreamLimits;
import org.stillwater.vdsm.client.RenewedTlsFiles;
import org.stillwater.vdsm.client.TlsSettings;

/** The gRPC server for relays. Thread-safe. */
public final class RelayServer implements AutoCloseable {

    private static final long CLOSE_SECONDS = 3;

    private final Server server;
    private final RelayEndpoint endpoint;
    private final ScheduledExecutorService marks;
    private final RenewedTlsFiles tls;
    private final RefusedRelays refused;

    private RelayServer(
            Server server,
            RelayEndpoint endpoint,
            ScheduledExecutorService marks,
            RenewedTlsFiles tls,
            RefusedRelays refused) {
        this.server = server;
        this.endpoint = endpoint;
        this.marks = marks;
        this.tls = tls;
        this.refused = refused;
    }

    /**
     * PEM files. Each handshake uses their present content.
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
     * @param mostSilent most streams of one certificate's name that have not sent their Hello
     * @param helloWithin time limit for the Hello of a stream
     */
    public record Pace(
            Duration longestInterval,
            int window,
            Duration markEvery,
            int mostSilent,
            Duration helloWithin) {}

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
        RefusedRelays refused = new RefusedRelays();
        RenewedTlsFiles tls =
                new RenewedTlsFiles(
                        new TlsSettings.KeyMaterial.Pem(
                                files.key().toPath(),
                                files.certificate().toPath(),
                                files.authorities().toPath()),
                        refused::checked);
        ServerCredentials credentials =
                TlsServerCredentials.newBuilder()
                        .keyManager(tls.keyManager())
                        .trustManager(tls.trustManager())
                        .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                        .build();
        RelayEndpoint endpoint = new RelayEndpoint(relays, clock, pace);
        ResumedSessions resumed = new ResumedSessions(tls);
        Server server =
                NettyServerBuilder.forAddress(address, credentials)
                        .addService(endpoint)
                        .addTransportFilter(resumed)
                        .intercept(new RelayName())
                        .intercept(resumed)
                        .maxInboundMessageSize(StreamLimits.MESSAGE_BYTES)
                        .maxConcurrentCallsPerConnection(pace.mostSilent())
                        .keepAliveTime(30, TimeUnit.SECONDS)
                        .permitKeepAliveTime(10, TimeUnit.SECONDS)
                        .build()
                        .start();
        return new RelayServer(server, endpoint, marks(endpoint, pace.markEvery()), tls, refused);
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

    /** Certificates of relays that are refused now: the reasons by the names that they show. */
    public Map<String, String> refused() {
        return refused.now();
    }

    /** Why the previous TLS files are in use instead of the present ones; null if they are not. */
    public @Nullable String tlsFilesTrouble() {
        return tls.trouble();
    }

    /**
     * Reads the TLS files now; new connections use them, those that stand stay.
     *
     * @return one line for the operator about the files in use
     * @throws IOException with one sentence for the operator when the present files are missing or
     *     broken; the previous ones stay in use
     */
    public String rereadTlsFiles() throws IOException {
        return tls.reread();
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
