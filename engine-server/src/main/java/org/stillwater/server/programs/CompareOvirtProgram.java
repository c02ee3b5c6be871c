package org.stillwater.server.programs;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.stillwater.server.takeover.Comparison;
import org.stillwater.server.takeover.Comparison.Difference;
import org.stillwater.server.takeover.OvirtHttp;
import org.stillwater.server.takeover.OvirtReader;

/**
 * {@code ./stillwater compare-ovirt}: compares two engines' beliefs about the same hosts and VMs.
 */
public final class CompareOvirtProgram {

    private static final String SETTLE = "--settle";
    private static final Duration SETTLE_DEFAULT = Duration.ofSeconds(30);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int DIFFER = 1;

    private static final String HELP =
            """
            Usage: stillwater compare-ovirt --url URL --user USER --password-file FILE
                       --engine-url URL --engine-user USER --engine-password-file FILE [options]

            Reads the hosts and VMs of an oVirt engine and of this engine, which watches the same hosts as its shadow,
            and lists what they do not agree on: known, name, status, host, cluster, memory, CPUs, high availability.
            What differs is looked at twice, since two engines notice a change at different moments. Changes nothing.

              --url, --user, --password-file, --ca                             the other engine
              --engine-url, --engine-user, --engine-password-file, --engine-ca  this engine
              --settle SECONDS      time between the two looks, 30 by default; 0 looks once
              --help                this text

            Exit code: 0 they agree, 1 they do not, or an engine cannot be read, 2 wrong usage.
            """;

    private CompareOvirtProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Program.silenceLogs();
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Program.run("compare-ovirt", HELP, arguments, out, err, () -> run(arguments, out));
    }

    private static int run(List<String> arguments, PrintStream out)
            throws Arguments.WrongUsage, Failed {
        Arguments given =
                new Arguments(
                        arguments,
                        Set.of(
                                "--url",
                                "--user",
                                "--password-file",
                                "--ca",
                                "--engine-url",
                                "--engine-user",
                                "--engine-password-file",
                                "--engine-ca",
                                SETTLE),
                        Set.of());
        given.noWords();
        Duration settle = settle(given.value(SETTLE));
        try (OvirtHttp there = OvirtLogin.open(given, "");
                OvirtHttp here = OvirtLogin.open(given, "engine-")) {
            Comparison found = Comparison.of(there, here);
            if (!found.differences().isEmpty() && settle.isPositive()) {
                boolean _ = new CountDownLatch(1).await(settle.toMillis(), TimeUnit.MILLISECONDS);
                found = Comparison.of(there, here).lasting(found);
            }
            return report(found, out);
        } catch (OvirtReader.NotRead e) {
            throw new Failed("an engine cannot be read: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed("interrupted", e);
        }
    }

    private static int report(Comparison found, PrintStream out) {
        found.differences().forEach(out::println);
        long passing = found.differences().stream().filter(Difference::passing).count();
        out.println(
                found.differences().isEmpty()
                        ? CheckConfig.counted(found.vms(), "VM") + ": both engines agree."
                        : "%s: %s, %d of them passing."
                                .formatted(
                                        CheckConfig.counted(found.vms(), "VM"),
                                        CheckConfig.counted(
                                                found.differences().size(), "difference"),
                                        passing));
        return found.differences().isEmpty() ? 0 : DIFFER;
    }

    private static Duration settle(@org.jspecify.annotations.Nullable String text)
            throws Arguments.WrongUsage {
        if (text == null) {
            return SETTLE_DEFAULT;
        }
        if (!text.matches("[0-9]{1,4}") || Integer.parseInt(text) > LONGEST.toSeconds()) {
            throw new Arguments.WrongUsage(SETTLE + " is 0 to 3600 seconds");
        }
        return Duration.ofSeconds(Integer.parseInt(text));
    }
}
