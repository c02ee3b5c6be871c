package org.stillwater.benchmarks;

import java.io.PrintWriter;
import org.stillwater.benchmarks.scale.BenchFailure;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./stillwater bench}: measurements, each a verb of its own. */
@Command(
        name = "bench",
        description = "Measures engine and simulator on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "VERB")
public final class Bench implements Runnable {

    /**
     * Exit code of a program that was ended by Ctrl-C: 128 and the signal's number, as shells
     * expect.
     */
    private static final int INTERRUPTED = 128 + 2;

    private Bench() {}

    /** Runs the verb and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine bench = new CommandLine(new Bench());
        CommandLine micro = new CommandLine(new MicroCommand());
        bench.addSubcommand(new StableCommand())
                .addSubcommand(new BulkheadsCommand())
                .addSubcommand(new WriteCommand())
                .addSubcommand(new StartCommand())
                .addSubcommand(new HaCommand())
                .addSubcommand(new SoakCommand())
                .addSubcommand(new ApiCommand())
                .addSubcommand(new ConsoleCommand())
                .addSubcommand(new FuzzCommand())
                .addSubcommand(new RegressionsCommand())
                .addSubcommand(new XapiCommand())
                .addSubcommand(new AllCommand())
                .addSubcommand(new PublishCommand())
                .addSubcommand(micro);
        bench.setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(Bench::explain);
        // JMH's options look like ours; they are its own.
        micro.setUnmatchedOptionsArePositionalParams(true);
        return bench;
    }

    @Override
    public void run() {
        commandLine().usage(System.out);
    }

    /**
     * A measurement that cannot be made is explained, and one that was interrupted needs no word
     * more; anything else is a bug and shows its stack.
     */
    private static int explain(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        PrintWriter err = command.getErr();
        if (failure instanceof InterruptedException) {
            err.println("bench: interrupted");
            return INTERRUPTED;
        }
        if (failure instanceof BenchFailure || failure instanceof IllegalArgumentException) {
            err.println("bench: " + failure.getMessage());
        } else {
            failure.printStackTrace(err);
        }
        return 1;
    }
}
