package org.stillwater.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
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

    /** A stream of lines to the output of a verb, for a measurement that prints as it continues. */
    static PrintStream stream(@Nullable CommandSpec verb) {
        return new PrintStream(new Lines(verb), true, StandardCharsets.UTF_8);
    }

    /** Prints whole lines, so that none is decoded in parts. */
    private static final class Lines extends OutputStream {

        private final @Nullable CommandSpec verb;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        Lines(@Nullable CommandSpec verb) {
            this.verb = verb;
        }

        @Override
        public void write(int one) {
            line.write(one);
            if (one == '\n') {
                print(verb, line.toString(StandardCharsets.UTF_8));
                line.reset();
            }
        }
    }

    /** The line that names the machine. */
    static String machine() throws IOException {
        return "on " + Report.Machine.here().describe() + "\n";
    }
}
