package org.stillwater.server.programs;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.SystemClock;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.profile.ProfileProgram;

/**
 * {@code ./stillwater diagnose}: one archive for remote support. It attaches to the engine's
 * process as the JDK's own tools do, and needs no login.
 */
public final class DiagnoseProgram {

    private static final String OUT = "--out";
    private static final String PROCESS = "--process";
    private static final String SECONDS = "--seconds";
    private static final String LOG = "--log";
    private static final String LIST = "--list";
    private static final int USUAL_SECONDS = 10;
    private static final int MOST_SECONDS = 600;

    private static final String HELP =
            """
            Usage: stillwater diagnose --out FILE [options] [engine options]
                   stillwater diagnose --list [options]

            Collects what helps to find out what is wrong with an engine that runs on this machine as the same user:
            settings, health, meters, recent log, threads, heap, a recording of the flight recorder, sizes and version of
            the database, the database's log. Lists it all, then writes it into one archive (zip). Passwords, keys
            and tokens are removed by name and by value. Without a running engine it collects the rest. Root reaches the
            engine of every user, and only root that of the service.

              --out FILE      the archive; refused if it is there
              --list          lists only, and writes nothing
              --seconds N     length of the recording, 0 to 600; 10 by default, 0 for none
              --process PID   the engine's process, if several engines run
              --log FILE      a log file of the engine, whose newest 4 MiB are added
              --config FILE   a file of settings, as for run
              --data DIR      data folder, as for run
              --help          this text

            Exit code: 0 done, 1 it cannot be written, 2 wrong usage.
            """;

    private DiagnoseProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Program.silenceLogs();
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Program.run("diagnose", HELP, arguments, out, err, () -> run(arguments, out));
    }

    private static int run(List<String> arguments, PrintStream out)
            throws Arguments.WrongUsage, Failed {
        Arguments given =
                new Arguments(arguments, Set.of(OUT, PROCESS, SECONDS, LOG), Set.of(LIST));
        given.noWords();
        Path to = given.file(OUT);
        if ((to == null) != given.has(LIST)) {
            throw new Arguments.WrongUsage("name the archive with --out, or use --list");
        }
        if (to != null && Files.exists(to)) {
            throw new Failed(to.toAbsolutePath() + " is there already");
        }
        int seconds = seconds(given.value(SECONDS));
        GivenSettings settings = given.settings();
        Diagnosis diagnosis = new Diagnosis(settings, new SystemClock().now());
        collect(diagnosis, given.value(PROCESS), seconds);
        diagnosis.addSurroundings();
        diagnosis.addDatabase();
        Path log = given.file(LOG);
        if (log != null) {
            diagnosis.addFile("engine.log", log);
        }
        diagnosis.list(out);
        if (to == null) {
            return 0;
        }
        try {
            diagnosis.write(to.toAbsolutePath());
        } catch (IOException e) {
            throw new Failed("the archive cannot be written: " + e, e);
        }
        out.println("Wrote " + to.toAbsolutePath());
        return 0;
    }

    private static int seconds(@Nullable String value) throws Arguments.WrongUsage {
        if (value == null) {
            return USUAL_SECONDS;
        }
        try {
            int seconds = Integer.parseInt(value);
            if (seconds >= 0 && seconds <= MOST_SECONDS) {
                return seconds;
            }
        } catch (NumberFormatException _) {
            // refused below
        }
        throw new Arguments.WrongUsage(
                "--seconds needs a whole number from 0 to 600, not " + value);
    }

    @SuppressWarnings("BanJNDI") // the address comes from a process of the same user
    private static void collect(Diagnosis diagnosis, @Nullable String wanted, int seconds)
            throws Failed, Arguments.WrongUsage {
        String process = process(wanted);
        if (process == null) {
            diagnosis.missing("engine", ProfileProgram.noEngine(null));
            diagnosis.addOwnSettings();
            return;
        }
        try {
            String address;
            VirtualMachine machine = VirtualMachine.attach(process);
            try {
                address = machine.startLocalManagementAgent();
            } finally {
                machine.detach();
            }
            try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
                MBeanServerConnection server = connector.getMBeanServerConnection();
                diagnosis.addEngine(server, process, seconds);
            }
        } catch (IOException | AttachNotSupportedException e) {
            diagnosis.missing("engine", "process " + process + " does not answer: " + e);
            diagnosis.addOwnSettings();
        }
    }

    /** The engine's process; command lines may hold passwords and are never shown. */
    private static @Nullable String process(@Nullable String wanted)
            throws Failed, Arguments.WrongUsage {
        List<String> engines =
                VirtualMachine.list().stream()
                        .filter(each -> ProfileProgram.isEngine(each.displayName()))
                        .map(VirtualMachineDescriptor::id)
                        .toList();
        if (wanted != null) {
            if (!engines.contains(wanted)) {
                throw new Failed(ProfileProgram.noEngine(wanted));
            }
            return wanted;
        }
        if (engines.size() > 1) {
            throw new Arguments.WrongUsage(
                    "several engines run; choose one with --process: "
                            + String.join(", ", engines));
        }
        return engines.isEmpty() ? null : engines.getFirst();
    }
}
