package org.stillwater.server.programs;

import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.convert.DurationStyle;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.HttpSettings;
import org.stillwater.server.settings.TlsSettings;
import org.stillwater.server.tls.EngineTrust;

/** {@code ./stillwater health}: whether the engine of this machine is ready. */
public final class HealthProgram {

    private static final String LIVE = "--live";
    private static final String TIMEOUT = "--timeout";
    private static final Duration USUAL = Duration.ofSeconds(5);
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final String LOOPBACK = "localhost";
    private static final int OK = 200;
    private static final int MOST_PORT = 65_535;
    private static final int SECURE = 8443;
    private static final int PLAIN = 8080;

    private static final String HELP =
            """
            Usage: stillwater health [options] [engine options]

            Asks the engine on this machine whether it is ready, for health checks of containers and scripts. Finds its
            address, port and certificate in the settings: give it the options of run. It needs no login, and accepts the
            engine's own certificate only.

              --live          asks whether the engine's process is alive: also while it starts, or without its database
              --timeout TIME  longest time to the answer, from 100ms to 1m; 5s by default
              --config FILE   a file of settings, as for run
              --data DIR      data folder, as for run
              --help          this text

            Exit code: 0 ready, 1 not ready or no answer, 2 wrong usage.
            """;

    private HealthProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Program.silenceLogs();
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Program.run("health", HELP, arguments, out, err, () -> run(arguments, out));
    }

    private static int run(List<String> arguments, PrintStream out)
            throws Arguments.WrongUsage, Failed {
        Arguments given = new Arguments(arguments, Set.of(TIMEOUT), Set.of(LIVE));
        given.noWords();
        Duration limit = limit(given.value(TIMEOUT));
        boolean live = given.has(LIVE);
        GivenSettings settings = given.settings();
        try {
            TlsSettings tls = settings.bind(TlsSettings.class);
            int port = port(settings.value("server.port"), tls.enabled());
            InetAddress address = address(settings.value("server.address"));
            String host = host(settings.bind(HttpSettings.class).allowedHosts());
            SSLContext trust =
                    tls.enabled() ? trust(tls, settings.bind(FleetSettings.class)) : null;
            String engine =
                    (tls.enabled() ? "https://" : "http://") + authority(address) + ":" + port;
            ask(
                    new EngineProbe(new InetSocketAddress(address, port), trust, host),
                    engine,
                    live,
                    limit);
            out.println(engine + (live ? " is alive" : " is ready"));
            return 0;
        } catch (BindException e) {
            throw DatabaseAccess.refused(e);
        }
    }

    private static void ask(EngineProbe probe, String engine, boolean live, Duration limit)
            throws Failed {
        try {
            int status =
                    probe.status("/actuator/health/" + (live ? "liveness" : "readiness"), limit);
            if (status != OK) {
                throw new Failed(
                        engine
                                + " is not "
                                + (live ? "alive" : "ready")
                                + ": it answers "
                                + status);
            }
        } catch (TimeoutException e) {
            throw new Failed(engine + " does not answer within " + limit.toMillis() + " ms", e);
        } catch (ConnectException e) {
            throw new Failed("nothing accepts connections at " + engine, e);
        } catch (SSLException e) {
            throw new Failed(
                    engine
                            + " does not answer with the engine's certificate: "
                            + e.getMessage()
                            + "; name the engine's data folder and settings, and look which"
                            + " program has the port",
                    e);
        } catch (IOException e) {
            throw new Failed(engine + " does not answer: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed("interrupted", e);
        }
    }

    private static SSLContext trust(TlsSettings tls, FleetSettings fleet) throws Failed {
        try {
            return EngineTrust.context(tls, fleet);
        } catch (IOException | GeneralSecurityException e) {
            throw new Failed(
                    "the engine's certificate cannot be read: "
                            + e
                            + "; it is there after the first start: run this as the engine's user,"
                            + " with its data folder and settings",
                    e);
        }
    }

    private static Duration limit(@Nullable String text) throws Arguments.WrongUsage {
        if (text == null) {
            return USUAL;
        }
        try {
            Duration limit = DurationStyle.detectAndParse(text);
            if (limit.compareTo(SHORTEST) >= 0 && limit.compareTo(LONGEST) <= 0) {
                return limit;
            }
        } catch (IllegalArgumentException _) {
            // refused below
        }
        throw new Arguments.WrongUsage(
                TIMEOUT + " needs a time from 100ms to 1m, such as 5s, not " + text);
    }

    /** As the engine chooses it without a setting. */
    private static int port(@Nullable String text, boolean tls) throws Failed {
        if (text == null) {
            return tls ? SECURE : PLAIN;
        }
        try {
            int port = Integer.parseInt(text.strip());
            if (port > 0 && port <= MOST_PORT) {
                return port;
            }
        } catch (NumberFormatException _) {
            // refused below
        }
        throw new Failed("server.port is " + text + ": name the port that the engine has");
    }

    /** Where the engine is reached from this machine; it may listen on all addresses. */
    private static InetAddress address(@Nullable String text) throws Failed {
        try {
            InetAddress address = InetAddress.getByName(text == null ? "127.0.0.1" : text);
            return !address.isAnyLocalAddress()
                    ? address
                    : InetAddress.getByName(address instanceof Inet6Address ? "::1" : "127.0.0.1");
        } catch (UnknownHostException e) {
            throw new Failed("server.address is " + text + ", which is no address", e);
        }
    }

    private static String authority(InetAddress address) {
        String text = address.getHostAddress();
        return text.contains(":") ? "[" + text + "]" : text;
    }

    /** A name that the engine accepts in requests. */
    private static String host(List<String> allowed) {
        return allowed.isEmpty() || allowed.contains(LOOPBACK) ? LOOPBACK : allowed.getFirst();
    }
}
