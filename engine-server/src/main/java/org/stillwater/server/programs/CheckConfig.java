package org.stillwater.server.programs;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.stillwater.server.configuration.ConfigurationCheck;
import org.stillwater.server.configuration.Finding;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.configuration.SettingsTable;
import org.stillwater.server.configuration.SettingsTemplate;

/** {@code ./stillwater check-config}: checks the settings before a start. */
public final class CheckConfig {

    private static final int FOUND = 1;
    private static final String RUNNING = "--running";
    private static final String TEMPLATE = "--template";

    private static final String HELP =
            """
            Usage: stillwater check-config [options] [engine options]

            Says what is wrong with the settings before a start: names that there are not, refused values with their
            lines, files that are missing or of no use, data of another version of PostgreSQL, ports that are taken,
            secrets that others can read. Starts nothing.

              --config FILE   a file of settings, as for run
              --data DIR      data folder, as for run
              --running       the engine runs with these settings: its ports may be taken
              --template      prints a file of settings with all defaults, and checks nothing
              --help          this text

            Engine options, such as --stillwater.cycle.interval=30s, and the environment are checked as well.

            Exit code: 0 the engine starts with it (warnings are printed), 1 it does not, 2 wrong usage.
            """;

    private CheckConfig() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Program.silenceLogs();
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Program.run("check-config", HELP, arguments, out, err, () -> run(arguments, out));
    }

    private static int run(List<String> arguments, PrintStream out) throws Arguments.WrongUsage {
        Arguments given = new Arguments(arguments, Set.of(), Set.of(RUNNING, TEMPLATE));
        given.noWords();
        if (given.has(TEMPLATE)) {
            out.print(SettingsTemplate.text(SettingsTable.own()));
            return 0;
        }
        Path file = given.file("--config");
        if (file != null && !Files.isReadable(file)) {
            out.println("error: " + file.toAbsolutePath() + " cannot be read");
            return FOUND;
        }
        try {
            return report(check(given.settings(), !given.has(RUNNING)), out);
        } catch (Failed e) {
            out.println("error: " + e.getMessage());
            return FOUND;
        }
    }

    /** Findings about the settings of a running engine, one a line. */
    static String text(GivenSettings settings) {
        StringBuilder text = new StringBuilder();
        check(settings, false).forEach(each -> text.append(each).append('\n'));
        return text.isEmpty() ? "no findings\n" : text.toString();
    }

    private static List<Finding> check(GivenSettings settings, boolean ports) {
        List<Finding> findings = new ArrayList<>(ConfigurationCheck.of(settings, ports));
        findings.addAll(StartCheck.of(settings));
        return findings;
    }

    private static int report(List<Finding> findings, PrintStream out) {
        findings.forEach(out::println);
        long errors =
                findings.stream().filter(each -> each.severity() == Finding.Severity.ERROR).count();
        out.println(
                errors == 0
                        ? "The configuration is usable: no errors, "
                                + counted(findings.size(), "warning")
                        : "The engine would not start: "
                                + counted(errors, "error")
                                + ", "
                                + counted(findings.size() - errors, "warning"));
        return errors == 0 ? 0 : FOUND;
    }

    /** {@code 1 error}, {@code 2 errors}. */
    static String counted(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
