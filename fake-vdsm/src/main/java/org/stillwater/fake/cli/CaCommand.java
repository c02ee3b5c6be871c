package org.stillwater.fake.cli;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.pki.PkiDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code fake-hosts ca}: makes the certificates without starting a host. */
@Command(
        name = "ca",
        description = {
            "Creates a CA and the certificates of engine and hosts. Existing files stay unchanged;"
                    + " files with private keys are readable by their owner only.",
            "",
            "  ca.pem ca.key.pem          the CA",
            "  engine.pem engine.key.pem  what an engine shows to hosts",
            "  engine.p12 truststore.p12  the same, and the CA, as PKCS#12",
            "  host.pem host.key.pem      what hosts show: localhost, 127.0.0.1, ::1",
            "  hosts/NAME.pem             certificates ordered with --name; their key is"
                    + " host.key.pem",
            "  bad/*.pem                  with --bad: expired, not-yet-valid, wrong-ca,"
                    + " wrong-name",
            ""
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class CaCommand implements Callable<Integer> {

    @Spec private @Nullable CommandSpec spec;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            required = true,
            description = "Folder of the certificates; made if it does not exist.")
    private Path dir = Path.of(".");

    @Option(
            names = "--name",
            paramLabel = "NAME[=ADDR]",
            description = "A host to make a certificate for, with an address if given; repeatable.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--bad", description = "Make certificates that must be refused, too.")
    private boolean bad;

    @Option(
            names = "--password",
            paramLabel = "TEXT",
            defaultValue = PkiDirectory.DEFAULT_PASSWORD,
            description = "Password of the PKCS#12 files (default ${DEFAULT-VALUE}).")
    private String password = PkiDirectory.DEFAULT_PASSWORD;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this text.")
    private boolean unusedHelp;

    CaCommand() {}

    @Override
    public Integer call() throws Exception {
        if (spec == null) {
            throw new IllegalStateException("not run by picocli");
        }
        PkiDirectory pki =
                PkiDirectory.open(
                        dir.toAbsolutePath().normalize(),
                        InstantSource.system().instant(),
                        password.toCharArray());
        PrintWriter out = spec.commandLine().getOut();
        out.println("certificates in " + pki.directory());
        for (String ordered : names) {
            int equals = ordered.indexOf('=');
            String name = equals < 0 ? ordered : ordered.substring(0, equals);
            List<InetAddress> addresses =
                    equals < 0 ? List.of() : List.of(address(ordered.substring(equals + 1)));
            try {
                out.println(pki.writeHost(name, addresses));
            } catch (IllegalArgumentException e) {
                throw wrong(String.valueOf(e.getMessage()));
            }
        }
        if (bad) {
            pki.writeBad("localhost", PkiDirectory.loopback()).values().forEach(out::println);
        }
        out.flush();
        return 0;
    }

    private InetAddress address(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            throw wrong("'" + text + "' is not an IP address");
        }
    }

    private ParameterException wrong(String message) {
        if (spec == null) {
            throw new IllegalStateException("not run by picocli");
        }
        return new ParameterException(spec.commandLine(), message);
    }
}
