package org.stillwater.fake.xapi.cli;

import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.control.ControlServer;
import org.stillwater.fake.xapi.net.PoolServer;
import org.stillwater.fake.xapi.world.Life;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.PoolSettings;
import org.stillwater.fake.xapi.world.PoolSettings.Era;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.WorldClock;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code fake-pools}: simulated XAPI pools on the real wire, until it is stopped. */
@Command(
        name = "fake-pools",
        description = {
            "Simulated XenServer and XCP-ng pools that speak XAPI: one loopback address for each"
                    + " host, XML-RPC, JSON-RPC, events, tasks and metrics.",
            "Users: root (password stillwater, role pool-admin), operator (operator,"
                    + " vm-operator), reader (reader, read-only).",
            ""
        },
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
            "  fake-pools --pools 2 --hosts 16 --vms 1000 --seed 7",
            "  fake-pools --era 2016 --plain --port 20080"
        })
public final class FakePools implements Callable<Integer> {

    private static final int HIGHEST_PORT = 65_535;
    private static final int MOST_HOSTS = 64;
    private static final int MOST_POOLS = 64;

    @Spec private @Nullable CommandSpec spec;

    @Option(
            names = "--pools",
            paramLabel = "N",
            defaultValue = "1",
            description = "Pools (default ${DEFAULT-VALUE}).")
    private int pools;

    @Option(
            names = "--hosts",
            paramLabel = "N",
            defaultValue = "3",
            description = "Hosts of each pool, 1 to 64 (default ${DEFAULT-VALUE}).")
    private int hosts;

    @Option(
            names = "--vms",
            paramLabel = "N",
            defaultValue = "30",
            description =
                    "Virtual machines of each pool; nine in ten run (default ${DEFAULT-VALUE}).")
    private int vms;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The same seed makes the same pools (default ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--address-base",
            paramLabel = "ADDR",
            defaultValue = "127.3.1.1",
            description =
                    "Address of the first coordinator. Hosts count up from it; each pool begins"
                            + " 256 addresses after the one before (default ${DEFAULT-VALUE}).")
    private String addressBase = "127.3.1.1";

    @Option(
            names = "--port",
            paramLabel = "P",
            defaultValue = "20443",
            description = "Port of every host; 0 takes a free one (default ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "--plain", description = "No TLS.")
    private boolean plain;

    @Option(
            names = "--control-port",
            paramLabel = "P",
            defaultValue = "20442",
            description =
                    "Port of the control interface, on 127.0.0.1 only; 0 takes a free one (default"
                            + " ${DEFAULT-VALUE}).")
    private int controlPort;

    @Option(
            names = "--era",
            paramLabel = "YEAR",
            defaultValue = "today",
            description =
                    "Age of the servers: 2013, 2016, 2018, 2023, 2025 or today (default"
                            + " ${DEFAULT-VALUE}).")
    private String era = "today";

    @Option(
            names = "--batching",
            paramLabel = "real|none",
            defaultValue = "real",
            description =
                    "Whether event.from gathers changes as servers of that age do (default"
                            + " ${DEFAULT-VALUE}).")
    private String batching = "real";

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
            description =
                    "gentle: now and then a VM starts, stops, pauses or migrates by itself"
                            + " (default ${DEFAULT-VALUE}).")
    private String life = "none";

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this text.")
    private boolean unusedHelp;

    private FakePools() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "fake-pools-logback.xml");
        }
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new FakePools())
                .setExecutionExceptionHandler((failure, commandLine, _) -> {
                    String more =
                            failure instanceof BindException
                                    ? "; choose others with --port and --control-port"
                                    : "";
                    commandLine.getErr().println("fake-pools: " + failure.getMessage() + more);
                    return 1;
                });
    }

    @Override
    public Integer call() throws Exception {
        check();
        CountDownLatch stopped = new CountDownLatch(1);
        Pools world = world();
        PoolServer wire = PoolServer.start(world, port, !plain);
        ControlServer control =
                ControlServer.start(
                        world,
                        wire,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), controlPort));
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .name("fake-stop")
                                .unstarted(() -> {
                                    control.close();
                                    wire.close();
                                    world.close();
                                    stopped.countDown();
                                }));
        PrintWriter out = command().commandLine().getOut();
        for (Pool pool : world.all()) {
            out.printf(
                    "%s %s: %s://%s:%d%n",
                    pool.itself().text("name_label"),
                    pool.itself().text("uuid"),
                    plain ? "http" : "https",
                    pool.state().get("coordinator"),
                    wire.port());
        }
        out.printf("control: http://127.0.0.1:%d%n", control.address().getPort());
        out.flush();
        stopped.await();
        return 0;
    }

    private void check() {
        if (pools < 1 || pools > MOST_POOLS) {
            throw wrong("--pools must be between 1 and " + MOST_POOLS);
        }
        if (hosts < 1 || hosts > MOST_HOSTS) {
            throw wrong("--hosts must be between 1 and " + MOST_HOSTS);
        }
        if (vms < 0) {
            throw wrong("--vms must be 0 or more");
        }
        if (port < 0 || port > HIGHEST_PORT) {
            throw wrong("--port must be between 0 and " + HIGHEST_PORT);
        }
        if (controlPort < 0 || controlPort > HIGHEST_PORT) {
            throw wrong("--control-port must be between 0 and " + HIGHEST_PORT);
        }
        if (speed < 0 || !Double.isFinite(speed)) {
            throw wrong("--speed must be 0 or more");
        }
        if (!List.of("real", "none").contains(batching)) {
            throw wrong("--batching is real or none");
        }
        if (!List.of("none", "gentle").contains(life)) {
            throw wrong("--life is none or gentle");
        }
    }

    private Pools world() {
        PoolSettings settings;
        try {
            PoolSettings usual = PoolSettings.today().with(Era.of(era));
            settings =
                    new PoolSettings(
                            usual.era(),
                            batching.equals("real"),
                            Duration.ofSeconds(2),
                            Duration.ofSeconds(5));
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        Pools world = new Pools(new WorldClock(speed));
        for (int i = 0; i < pools; i++) {
            List<String> addresses = new ArrayList<>();
            for (int j = 0; j < hosts; j++) {
                addresses.add(address(256 * i + j));
            }
            Pool pool = world.add(settings, seed + i, "pool-" + (i + 1), addresses, vms);
            if (life.equals("gentle")) {
                Life.begin(pool);
            }
        }
        return world;
    }

    private String address(int number) {
        byte[] bytes;
        try {
            bytes = InetAddress.ofLiteral(addressBase).getAddress();
        } catch (IllegalArgumentException e) {
            throw wrong("--address-base: '" + addressBase + "' is not an IP address");
        }
        if (bytes.length != 4) {
            throw wrong("--address-base is an IPv4 address");
        }
        long sum = number;
        for (int i = 0; i < 4; i++) {
            sum += (long) (bytes[i] & 255) << (8 * (3 - i));
        }
        return "%d.%d.%d.%d".formatted(sum >> 24, (sum >> 16) & 255, (sum >> 8) & 255, sum & 255);
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
}
