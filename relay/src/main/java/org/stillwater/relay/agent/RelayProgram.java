package org.stillwater.relay.agent;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;
import org.stillwater.relay.systemd.ServiceNotifications;
import org.stillwater.relay.wire.StreamLimits;
import org.stillwater.vdsm.client.RenewedTlsFiles;
import org.stillwater.vdsm.client.SystemTimers;
import org.stillwater.vdsm.client.TlsSettings;
import org.stillwater.vdsm.client.VdsmClientSettings;
import org.stillwater.vdsm.client.VdsmHostConnector;
import org.stillwater.vdsm.client.WireMeter;

/** {@code ./stillwater relay}: the relay's process. */
public final class RelayProgram {

    static final String HELP =
            """
            Usage: relay [-h] --config=FILE [--check]
            Watches VDSM hosts and pushes changes of their VMs to an engine, in its own process
            beside the hosts. It stops on SIGTERM and Ctrl-C.
            Exit code 0: help or check; 1: it cannot run; 2: wrong usage; 130, 143: it was stopped.
                  --config=FILE   Its configuration, see docs/how-to/run-a-relay.md.
                  --check         Only reads the configuration and the TLS files.
              -h, --help          Show this help message and exit.
            """;

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /**
     * Receive buffers kept for reuse: a small part of a relay's heap, other than of an engine's.
     */
    private static final long IDLE_BUFFER_BYTES = 1L << 20;

    private RelayProgram() {}

    /** Runs a relay until a signal ends the process. */
    public static void main(String[] arguments) throws InterruptedException {
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "relay-logback.xml");
        }
        HealthPage.limitConnections();
        NettyProperties.set();
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    end.countDown();
                                    try {
                                        boolean _ = ended.await(10, TimeUnit.SECONDS);
                                    } catch (InterruptedException _) {
                                        Thread.currentThread().interrupt();
                                    }
                                },
                                "relay-end"));
        int code = run(arguments, System.out, System.err, end);
        ended.countDown();
        if (end.getCount() > 0) {
            System.exit(code);
        }
    }

    /**
     * Runs a relay.
     *
     * @param end counted down when the relay must stop
     * @return the exit code
     */
    static int run(String[] arguments, PrintStream out, PrintStream err, CountDownLatch end)
            throws InterruptedException {
        String file = null;
        boolean checkOnly = false;
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (argument.equals("-h") || argument.equals("--help")) {
                out.print(HELP);
                return 0;
            } else if (argument.equals("--check")) {
                checkOnly = true;
            } else if (argument.startsWith("--config=")) {
                file = argument.substring("--config=".length());
            } else if (argument.equals("--config") && i + 1 < arguments.length) {
                file = arguments[++i];
            } else {
                return refuse(err, "Unknown option or missing value: " + argument);
            }
        }
        if (file == null || file.isEmpty()) {
            return refuse(err, "Missing required option: --config=FILE");
        }
        RelaySettings settings;
        ChannelCredentials credentials;
        EngineClock clock = new MachineClock();
        SystemTimers timers = new SystemTimers();
        VdsmHostConnector connector;
        try (timers) {
            try {
                settings = RelaySettings.read(Path.of(file));
                credentials = credentials(settings.engineTls());
                connector =
                        new VdsmHostConnector(
                                hosts(settings),
                                clock,
                                timers,
                                WireMeter.NONE,
                                new SecureRandom().nextLong());
                connector.checkTlsFiles();
            } catch (NoSuchFileException missing) {
                return cannot(err, "there is no file " + missing.getFile());
            } catch (IOException | IllegalArgumentException wrong) {
                return cannot(err, reason(wrong));
            }
            if (checkOnly) {
                out.println(
                        "relay "
                                + settings.name()
                                + ": "
                                + settings.hosts().size()
                                + " hosts, engine "
                                + settings.engine().host()
                                + ":"
                                + settings.engine().port());
                return 0;
            }
            return serve(settings, credentials, connector, clock, err, end);
        }
    }

    private static String reason(Exception wrong) {
        String text = wrong.getMessage();
        return wrong instanceof InvalidPathException || text == null ? wrong.toString() : text;
    }

    private static int serve(
            RelaySettings settings,
            ChannelCredentials credentials,
            VdsmHostConnector connector,
            EngineClock clock,
            PrintStream err,
            CountDownLatch end)
            throws InterruptedException {
        ManagedChannel channel =
                Grpc.newChannelBuilderForAddress(
                                settings.engine().host(), settings.engine().port(), credentials)
                        .keepAliveTime(KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS)
                        .maxInboundMessageSize(StreamLimits.MESSAGE_BYTES)
                        .build();
        try (Relay relay = new Relay(settings, clock, channel, new SecureRandom());
                HealthPage health =
                        settings.healthPort() == 0
                                ? null
                                : HealthPage.open(settings.healthPort(), relay);
                ServiceNotifications systemd = ServiceNotifications.ofEnvironment()) {
            relay.start(connector);
            Logger log =
                    LoggerFactory.getLogger(RelayProgram.class); // after main has named its file
            log.info(
                    "relay {} watches {} hosts for {}:{}{}",
                    settings.name(),
                    settings.hosts().size(),
                    settings.engine().host(),
                    settings.engine().port(),
                    health == null ? "" : ", health on port " + health.port());
            systemd.ready();
            systemd.watch(() -> answers(relay));
            end.await();
            log.info("relay {} ends", settings.name());
            return 0;
        } catch (IOException taken) {
            return cannot(
                    err, "port " + settings.healthPort() + " for health: " + taken.getMessage());
        }
    }

    /** Whether the relay's thread takes work. Hosts and the engine may be silent meanwhile. */
    private static boolean answers(Relay relay) {
        try {
            Relay.Status _ = relay.status().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException _) {
            return false;
        }
    }

    private static int refuse(PrintStream err, String why) {
        err.println(why);
        err.print(HELP);
        return 2;
    }

    private static int cannot(PrintStream err, String why) {
        err.println("The relay cannot run: " + why);
        return 1;
    }

    private static ChannelCredentials credentials(RelaySettings.@Nullable TlsFiles files)
            throws IOException {
        if (files == null) {
            return InsecureChannelCredentials.create();
        }
        AtomicReference<@Nullable String> told = new AtomicReference<>();
        RenewedTlsFiles tls =
                new RenewedTlsFiles(
                        new TlsSettings.KeyMaterial.Pem(
                                files.key(), files.certificate(), files.authorities()),
                        (subject, refusal) -> tell(told, subject, refusal));
        return TlsChannelCredentials.newBuilder()
                .keyManager(tls.keyManager())
                .trustManager(tls.trustManager())
                .build();
    }

    /** Logs a refusal of the engine's certificate once, until one is accepted. */
    private static void tell(
            AtomicReference<@Nullable String> told, String subject, @Nullable String refusal) {
        if (!Objects.equals(told.getAndSet(refusal), refusal) && refusal != null) {
            LoggerFactory.getLogger(RelayProgram.class)
                    .warn("the certificate {} of the engine is refused: {}", subject, refusal);
        }
    }

    static VdsmClientSettings hosts(RelaySettings settings) {
        RelaySettings.TlsFiles files = settings.hostTls();
        VdsmClientSettings usual =
                VdsmClientSettings.defaults(
                        files == null
                                ? new TlsSettings.Plain()
                                : new TlsSettings.Mutual(
                                        new TlsSettings.KeyMaterial.Pem(
                                                files.key(),
                                                files.certificate(),
                                                files.authorities())));
        VdsmClientSettings.Bounds bounds = usual.bounds();
        return new VdsmClientSettings(
                usual.tls(),
                usual.timeouts(),
                usual.heartBeats(),
                usual.reconnect(),
                new VdsmClientSettings.Bounds(
                        bounds.frames(),
                        bounds.outboundFrames(),
                        bounds.pendingCalls(),
                        bounds.malformedMessages(),
                        IDLE_BUFFER_BYTES,
                        bounds.dumpxmlsChunk(),
                        bounds.hostMembers(),
                        bounds.receivedBytesPerSecond()),
                usual.replies());
    }
}
