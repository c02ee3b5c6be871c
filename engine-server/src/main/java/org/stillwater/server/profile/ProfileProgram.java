package org.stillwater.server.profile;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.jfr.consumer.RecordingFile;
import jdk.management.jfr.RemoteRecordingStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./stillwater profile}: the figures of an engine that runs on this machine as the same
 * user, and a recording of it. It attaches to the process as the JDK's own tools do, and needs no
 * login.
 */
public final class ProfileProgram {

    private static final int FAILED = 1;
    private static final int UNUSABLE = 2;
    private static final int MOST_MINUTES = 60;
    private static final long MOST_BYTES = 256L * 1024 * 1024;

    private static final EventFold.Sampling SAMPLING =
            new EventFold.Sampling(
                    Duration.ofMillis(20), Duration.ofMillis(200), 50, Duration.ofMillis(10));

    private static final String APPLICATION = "org.stillwater.server.StillwaterApplication";

    /** The launcher's folder of the engine, or the jar in the working folder. */
    private static final Pattern ENGINE =
            Pattern.compile(
                    "^(?:[/\\\\].*[/\\\\]app[/\\\\]engine-[^/\\\\ ]*[/\\\\])?app\\.jar(?: |$)");

    private static final String HELP =
            """
            Usage: stillwater profile [options]

            Shows CPU by stage, statements, memory and waits of an engine that runs on this machine as the same user.
            Root reaches the engine of every user, and only root that of the service.

              --minutes N     length, 1 to 60; 1 by default
              --out FILE      writes the recording, too, for JDK Mission Control
              --process PID   the engine's process, if several engines run
              --help          this text

            Exit code: 0 done, 1 no engine was found or it ended, 2 wrong usage.
            """;

    private ProfileProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    private record Options(int minutes, @Nullable Path out, @Nullable String process) {}

    private static final class WrongUsage extends Exception {
        private static final long serialVersionUID = 1L;

        WrongUsage(String message) {
            super(message);
        }
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.contains("--help") || arguments.contains("-h")) {
            out.print(HELP);
            return 0;
        }
        try {
            Options options = options(arguments);
            String process = process(options.process());
            err.printf(
                    "Profiling the engine of process %s for %d min%n", process, options.minutes());
            profile(process, options, out);
            return 0;
        } catch (WrongUsage e) {
            err.println("stillwater: " + e.getMessage() + "; see ./stillwater profile --help");
            return UNUSABLE;
        } catch (IOException | AttachNotSupportedException e) {
            err.println("stillwater: the engine cannot be profiled: " + e.getMessage());
            return FAILED;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return FAILED;
        }
    }

    private static Options options(List<String> arguments) throws WrongUsage {
        int minutes = 1;
        Path out = null;
        String process = null;
        Iterator<String> words = arguments.iterator();
        while (words.hasNext()) {
            String option = words.next();
            int equals = option.indexOf('=');
            String name = equals < 0 ? option : option.substring(0, equals);
            String value =
                    equals >= 0
                            ? option.substring(equals + 1)
                            : words.hasNext() ? words.next() : "";
            if (value.isEmpty()) {
                throw new WrongUsage("unknown option, or one without a value: " + name);
            }
            switch (name) {
                case "--minutes" -> minutes = minutes(value);
                case "--out" -> out = Path.of(value).toAbsolutePath();
                case "--process" -> process = value;
                default -> throw new WrongUsage("unknown option " + name);
            }
        }
        return new Options(minutes, out, process);
    }

    private static int minutes(String value) throws WrongUsage {
        try {
            int minutes = Integer.parseInt(value);
            if (minutes >= 1 && minutes <= MOST_MINUTES) {
                return minutes;
            }
        } catch (NumberFormatException _) {
            // refused below
        }
        throw new WrongUsage(
                "--minutes needs a whole number from 1 to " + MOST_MINUTES + ", not " + value);
    }

    /** The engine's process; command lines may hold passwords and are never shown. */
    private static String process(@Nullable String wanted) throws WrongUsage, IOException {
        List<String> engines =
                VirtualMachine.list().stream()
                        .filter(each -> isEngine(each.displayName()))
                        .map(VirtualMachineDescriptor::id)
                        .toList();
        if (wanted != null) {
            if (!engines.contains(wanted)) {
                throw new IOException(noEngine(wanted));
            }
            return wanted;
        }
        if (engines.isEmpty()) {
            throw new IOException(noEngine(null));
        }
        if (engines.size() > 1) {
            throw new WrongUsage(
                    "several engines run; choose one with --process: "
                            + String.join(", ", engines));
        }
        return engines.getFirst();
    }

    /**
     * Report of a search without a result. It names engines that this user does not reach: those of
     * other users, and those of a service whose unit separates users (PrivateUsers), also of the
     * same user.
     *
     * @param wanted the process that was searched; null for any
     */
    public static String noEngine(@Nullable String wanted) {
        return noEngine(wanted, Path.of("/proc"));
    }

    static String noEngine(@Nullable String wanted, Path processes) {
        List<String> unreached = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(processes, "[1-9]*")) {
            for (Path each : all) {
                String process = String.valueOf(each.getFileName());
                if ((wanted == null || wanted.equals(process)) && runsEngine(each)) {
                    unreached.add(process);
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            // a system without this folder
        }
        String report =
                wanted == null
                        ? "no engine of this user runs on this machine"
                        : "process " + wanted + " is no engine of this user";
        return unreached.isEmpty()
                ? report
                : report
                        + "; an engine that only root reaches, of another user or of a service, is"
                        + " process "
                        + String.join(", ", unreached)
                        + ": run this as root";
    }

    private static boolean runsEngine(Path process) {
        try {
            String line = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            List<String> words = List.of(line.split("\0"));
            int jar = words.indexOf("-jar") + 1;
            return words.contains(APPLICATION)
                    || (jar > 0
                            && jar < words.size()
                            && words.get(jar).startsWith("/")
                            && isEngine(words.get(jar)));
        } catch (IOException _) {
            return false; // it has ended
        }
    }

    /** Whether a command line starts an engine: its jar by the launcher, or its main class. */
    public static boolean isEngine(String command) {
        return command.startsWith(APPLICATION) || ENGINE.matcher(command).find();
    }

    @SuppressWarnings("BanJNDI") // the address comes from a process of the same user
    private static void profile(String process, Options options, PrintStream out)
            throws IOException, AttachNotSupportedException, InterruptedException {
        String address;
        VirtualMachine machine = VirtualMachine.attach(process);
        try {
            address = machine.startLocalManagementAgent();
        } finally {
            machine.detach();
        }
        Profile profile =
                new Profile(
                        new Profile.Limits(
                                Duration.ofSeconds(10),
                                Duration.ofMinutes(MOST_MINUTES + 1),
                                100_000,
                                1_000));
        EventFold fold = new EventFold(profile);
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            Map<String, String> settings = EventFold.settings(SAMPLING);
            try (RemoteRecordingStream stream = new RemoteRecordingStream(server)) {
                stream.setSettings(settings);
                stream.setMaxSize(MOST_BYTES);
                stream.onEvent(event -> {
                    synchronized (profile) {
                        fold.accept(event);
                    }
                });
                stream.startAsync();
                stream.awaitTermination(Duration.ofMinutes(options.minutes()));
                if (options.out() != null) {
                    write(stream, options.out(), settings);
                }
            }
        }
        synchronized (profile) {
            Profile.Window window = profile.window(Duration.ofMinutes(MOST_MINUTES).toSeconds());
            if (window == null) {
                throw new IOException("it sent no event");
            }
            out.print(ProfileText.of(profile, window));
        }
    }

    /** Only the events of this program, also while the engine's flight recorder records others. */
    private static void write(RemoteRecordingStream stream, Path out, Map<String, String> settings)
            throws IOException {
        Set<String> events =
                settings.keySet().stream()
                        .map(key -> key.substring(0, key.indexOf('#')))
                        .collect(Collectors.toUnmodifiableSet());
        Path folder = Files.createTempDirectory("stillwater-profile");
        Path whole = folder.resolve("whole.jfr"); // must not exist yet
        try {
            stream.dump(whole);
            try (RecordingFile file = new RecordingFile(whole)) {
                file.write(out, event -> events.contains(event.getEventType().getName()));
            }
        } finally {
            Files.deleteIfExists(whole);
            Files.deleteIfExists(folder);
        }
    }
}
