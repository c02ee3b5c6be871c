package org.stillwater.fake.cli;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.TransportSettings;
import org.stillwater.fake.net.TransportSettings.Certificates;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.fake.relay.RelayPlan;
import org.stillwater.fake.world.Profile;
import org.stillwater.fake.world.ReportSize;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.relay.systemd.ServiceNotifications;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * The program {@code fake-hosts}: simulated hosts on the real wire, until it is stopped.
 *
 * <p>It is long because the options of the program and their checks stand together.
 */
@Command(
        name = "fake-hosts",
        description = {
            "Simulated VDSM hosts that speak the real protocol: one port or one loopback address"
                    + " for each host, mutual TLS, STOMP and JSON-RPC.",
            ""
        },
        subcommands = CaCommand.class,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:it was stopped, or printed only its help",
            "1:it could not start; standard error has the reason",
            "2:the options are wrong",
            "130, 143:it was stopped by Ctrl-C or SIGTERM"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  fake-hosts --hosts 20 --vms 50 --seed 7 --pki pki",
            "  fake-hosts --hosts 1000 --vms 100 --address-base 127.1.0.1 --pki pki",
            "  fake-hosts ca --dir pki --name node-1.example.test --bad"
        })
public final class FakeHosts implements Callable<Integer> {

    private static final int HIGHEST_PORT = 65_535;

    @Spec private @Nullable CommandSpec spec;

    @Option(
            names = "--hosts",
            paramLabel = "N",
            defaultValue = "5",
            description = "Hosts (default ${DEFAULT-VALUE}).")
    private int hosts;

    @Option(
            names = "--vms",
            paramLabel = "N",
            defaultValue = "20",
            description = "Virtual machines on each host at the start (default ${DEFAULT-VALUE}).")
    private int vms;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The same seed makes the same data centre (default ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = {"--port", "--first-port"},
            paramLabel = "P",
            defaultValue = "54321",
            description =
                    "Port of the first host, the others follow; with --address-base the port of"
                            + " every host. 0 takes free ones (default ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--address-base",
            paramLabel = "ADDR",
            converter = AddressConverter.class,
            description =
                    "One address for each host, counted up from this one, for instance 127.1.0.1;"
                            + " all hosts use the same port.")
    private @Nullable InetAddress addressBase;

    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            defaultValue = "localhost",
            description =
                    "Where to listen without --address-base: localhost (127.0.0.1 and ::1), any"
                            + " (all addresses), or one address (default ${DEFAULT-VALUE}).")
    private String listen = "localhost";

    @Option(names = "--plain", description = "No TLS: the same protocol in clear.")
    private boolean plain;

    @Option(
            names = "--pki",
            paramLabel = "DIR",
            defaultValue = ".stillwater/pki",
            description =
                    "Folder of the certificates; missing ones are created (default"
                            + " ${DEFAULT-VALUE}). See 'fake-hosts ca --help'.")
    private Path pki = Path.of(".stillwater/pki");

    @Option(
            names = "--pki-password",
            paramLabel = "TEXT",
            defaultValue = PkiDirectory.DEFAULT_PASSWORD,
            description =
                    "Password of the PKCS#12 files when they are made (default ${DEFAULT-VALUE}).")
    private String pkiPassword = PkiDirectory.DEFAULT_PASSWORD;

    @Option(
            names = "--certificates",
            paramLabel = "shared|per-host",
            converter = CertificatesConverter.class,
            description =
                    "Whether all hosts show one certificate, good for localhost, or each its own,"
                            + " good for its name and address (default: per-host with"
                            + " --address-base, else shared).")
    private @Nullable Certificates certificates;

    @Option(
            names = "--tls",
            paramLabel = "VERSION",
            split = ",",
            defaultValue = "TLSv1.2,TLSv1.3",
            description = "TLS versions offered (default ${DEFAULT-VALUE}).")
    private List<String> tls = List.of();

    @Option(
            names = "--control-port",
            paramLabel = "P",
            description =
                    "Port of the control interface, on 127.0.0.1 only. 0 takes a free one (default"
                            + " 54320, or a free one if that is taken).")
    private @Nullable Integer controlPort;

    @Option(
            names = "--report-size",
            paramLabel = "full|small",
            defaultValue = "full",
            converter = ReportSizeConverter.class,
            description =
                    "full: about 3.3 KB of report for each VM; small: about 1.8 KB (default"
                            + " ${DEFAULT-VALUE}).")
    private ReportSize reportSize = ReportSize.FULL;

    @Option(
            names = "--profile",
            paramLabel = "RELEASE",
            defaultValue = "4.50",
            converter = ProfileConverter.class,
            description =
                    "The release of VDSM the hosts play: 4.20, 4.30, 4.40 or 4.50 (default"
                            + " ${DEFAULT-VALUE}).")
    private Profile profile = Profile.V4_50;

    @Option(
            names = "--speed",
            paramLabel = "X",
            defaultValue = "1",
            description =
                    "Simulated seconds in a real one; 0 stands still until POST /clock/advance"
                            + " (default ${DEFAULT-VALUE}).")
    private double speed;

    @Option(
            names = "--life",
            paramLabel = "none|gentle",
            defaultValue = "none",
            converter = LifeConverter.class,
            description =
                    "gentle: now and then a VM stops, starts, reboots, pauses or migrates by"
                            + " itself (default ${DEFAULT-VALUE}).")
    private SpontaneousEvents.Pace life = SpontaneousEvents.Pace.NONE;

    @Option(
            names = "--host-names",
            paramLabel = "PATTERN",
            defaultValue = "host-%04d",
            description = "Names of the hosts, counted from 1 (default ${DEFAULT-VALUE}).")
    private String hostNames = "host-%04d";

    @Option(
            names = "--host-memory",
            paramLabel = "MIB",
            defaultValue = "0",
            description =
                    "Memory of each host in MiB: it refuses VMs that do not fit. 0: as much as its"
                            + " VMs take (default ${DEFAULT-VALUE}).")
    private int hostMemoryMebibytes;

    @Option(
            names = "--no-taps",
            description = "Leave the NICs of VMs out of the statistics of their host.")
    private boolean noTaps;

    @Option(
            names = "--faithful",
            description =
                    "Play VDSM's defects too: batches unanswered, a notification stops all"
                            + " answers, refusals doubled.")
    private boolean faithful;

    @Option(
            names = "--out-queue",
            paramLabel = "MIB",
            defaultValue = "128",
            description =
                    "Most data that waits for a slow reader before its connection is reset, in MiB"
                            + " (default ${DEFAULT-VALUE}).")
    private int outQueueMebibytes;

    @Option(
            names = "--relays",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Relays beside the hosts, which push the VMs' numbers to an engine over mutual"
                            + " TLS: relay-001 and on, each with its share of the hosts, which it"
                            + " names by their hardware UUIDs (default ${DEFAULT-VALUE}).")
    private int relays;

    @Option(
            names = "--relay-engine",
            paramLabel = "HOST:PORT",
            defaultValue = "localhost:54331",
            description = "Where that engine listens for relays (default ${DEFAULT-VALUE}).")
    private String relayEngine = "localhost:54331";

    @Option(
            names = "--relay-interval",
            paramLabel = "SECONDS",
            defaultValue = "15",
            description =
                    "How often relays poll, not more seldom than the engine does (default"
                            + " ${DEFAULT-VALUE}).")
    private double relayInterval;

    @Option(
            names = "--moving",
            paramLabel = "SHARE",
            defaultValue = "1",
            description =
                    "Share of VMs with new numbers in each poll of a relay, 0 to"
                            + " 1 (default ${DEFAULT-VALUE}).")
    private double moving;

    @Option(
            names = "--one-connection",
            description =
                    "A host takes one connection and listens only while it has none: half the open"
                            + " files, for thousands of hosts.")
    private boolean oneConnection;

    @Option(names = "--quiet", description = "No live counters, even on a terminal.")
    private boolean quiet;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this text.")
    private boolean unusedHelp;

    private FakeHosts() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "fake-hosts-logback.xml");
        }
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        return commandLine().execute(arguments);
    }

    static CommandLine commandLine() {
        return new CommandLine(new FakeHosts())
                .setExecutionExceptionHandler((failure, commandLine, _) -> {
                    commandLine.getErr().println("fake-hosts: " + reason(failure));
                    return 1;
                });
    }

    @Override
    public Integer call() throws Exception {
        Addresses addresses = addresses();
        FleetSettings settings =
                new FleetSettings(
                        world(),
                        transport(),
                        addresses,
                        plain ? null : pki,
                        pkiPassword,
                        controlPort,
                        speed,
                        life,
                        relayPlan());
        CountDownLatch stopped = new CountDownLatch(1);
        Fleet fleet = Fleet.start(settings, InstantSource.system());
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .name("fake-stop")
                                .unstarted(() -> {
                                    fleet.close();
                                    stopped.countDown();
                                }));
        PrintWriter out = command().commandLine().getOut();
        out.println(fleet.describe());
        out.flush();
        LiveLine line = quiet ? null : LiveLine.onTerminal(fleet, out);
        try (ServiceNotifications systemd = ServiceNotifications.ofEnvironment()) {
            systemd.ready();
            systemd.watch(fleet::answers);
            stopped.await();
        } finally {
            if (line != null) {
                line.close();
            }
        }
        return 0;
    }

    private @Nullable RelayPlan relayPlan() {
        if (relays == 0) {
            return null;
        }
        if (plain) {
            throw wrong("--relays needs TLS, without --plain: an engine takes no other relays");
        }
        int colon = relayEngine.lastIndexOf(':');
        try {
            return new RelayPlan(
                    relays,
                    colon < 0 ? relayEngine : relayEngine.substring(0, colon),
                    colon < 0
                            ? RelayPlan.USUAL_PORT
                            : Integer.parseInt(relayEngine, colon + 1, relayEngine.length(), 10),
                    Duration.ofNanos(Math.round(relayInterval * 1e9)),
                    moving);
        } catch (NumberFormatException _) {
            throw wrong("--relay-engine is HOST:PORT, not " + relayEngine);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private Addresses addresses() {
        if (hosts < 1) {
            throw wrong("--hosts must be 1 at least");
        }
        if (port < 0 || port > HIGHEST_PORT) {
            throw wrong("--port must be between 0 and " + HIGHEST_PORT);
        }
        if (controlPort != null && (controlPort < 0 || controlPort > HIGHEST_PORT)) {
            throw wrong("--control-port must be between 0 and " + HIGHEST_PORT);
        }
        try {
            return addressBase == null
                    ? Addresses.byPort(listen, port, hosts)
                    : Addresses.byAddress(addressBase, port, hosts);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private WorldSettings world() {
        if (speed < 0 || !Double.isFinite(speed)) {
            throw wrong("--speed must be 0 or more");
        }
        try {
            WorldSettings usual = WorldSettings.of(seed, hosts, vms);
            return new WorldSettings(
                    seed,
                    hosts,
                    vms,
                    profile,
                    reportSize,
                    hostNames,
                    !noTaps,
                    usual.launch(),
                    usual.agent(),
                    usual.shutdown(),
                    usual.migration(),
                    hostMemoryMebibytes);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private TransportSettings transport() {
        if (outQueueMebibytes < 1) {
            throw wrong("--out-queue must be 1 at least");
        }
        for (String version : tls) {
            if (!version.equals("TLSv1.2") && !version.equals("TLSv1.3")) {
                throw wrong("--tls supports TLSv1.2 and TLSv1.3, not " + version);
            }
        }
        Certificates usual = addressBase == null ? Certificates.SHARED : Certificates.PER_HOST;
        TransportSettings settings = TransportSettings.DEFAULT;
        return (oneConnection ? settings.withConnectionsPerHost(1) : settings)
                .withSeed(seed)
                .withTlsProtocols(tls)
                .withFaithfulQuirks(faithful)
                .withCertificates(certificates == null ? usual : certificates)
                .withOutQueueBytes((long) outQueueMebibytes << 20);
    }

    private CommandSpec command() {
        if (spec == null) {
            throw new IllegalStateException("not run by picocli");
        }
        return spec;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command().commandLine(), message);
    }

    /** The cause of a failure, in words for the user. */
    static String reason(Throwable failure) {
        Throwable told = failure;
        Throwable cause = failure.getCause();
        if (cause != null && (told.getMessage() == null || told instanceof UncheckedIOException)) {
            told = cause;
        }
        String message = told.getMessage();
        String kind = told.getClass().getSimpleName();
        if (message == null) {
            return kind;
        }
        if (told instanceof BindException) {
            return message + "; choose others with --port and --control-port";
        }
        boolean speaksForItself =
                told instanceof GeneralSecurityException
                        || told instanceof IllegalArgumentException;
        return speaksForItself ? message : kind + ": " + message;
    }

    private static final class AddressConverter implements ITypeConverter<InetAddress> {
        @Override
        public InetAddress convert(String value) {
            try {
                return InetAddress.ofLiteral(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + value + "' is not an IP address");
            }
        }
    }

    private static final class ProfileConverter implements ITypeConverter<Profile> {
        @Override
        public Profile convert(String value) {
            return checked(() -> Profile.ofCode(value));
        }
    }

    private static final class ReportSizeConverter implements ITypeConverter<ReportSize> {
        @Override
        public ReportSize convert(String value) {
            return checked(() -> ReportSize.ofCode(value));
        }
    }

    private static final class LifeConverter implements ITypeConverter<SpontaneousEvents.Pace> {
        @Override
        public SpontaneousEvents.Pace convert(String value) {
            return switch (value) {
                case "none" -> SpontaneousEvents.Pace.NONE;
                case "gentle" -> SpontaneousEvents.Pace.GENTLE;
                default -> throw new TypeConversionException("'" + value + "'; none or gentle");
            };
        }
    }

    private static final class CertificatesConverter implements ITypeConverter<Certificates> {
        @Override
        public Certificates convert(String value) {
            return switch (value) {
                case "shared" -> Certificates.SHARED;
                case "per-host" -> Certificates.PER_HOST;
                default -> throw new TypeConversionException("'" + value + "'; shared or per-host");
            };
        }
    }

    private static <T> T checked(Supplier<T> conversion) {
        try {
            return conversion.get();
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
