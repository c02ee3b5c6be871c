package org.stillwater.benchmarks;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.Report;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Prints the results of a measurement, apart from its progress, which goes to standard output
 * directly: {@link AllCommand} keeps the results.
 */
final class Results {

    private Results() {}

    /** Prints a text to the output of a verb. */
    static void print(@Nullable CommandSpec verb, String text) {
        PrintWriter out = Objects.requireNonNull(verb).commandLine().getOut();
        out.print(text);
        out.flush();
    }

    /** The line that names the machine. */
    static String machine() throws IOException {
        return "on " + Report.Machine.here().describe() + "\n";
    }
}
