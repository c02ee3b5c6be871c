package org.stillwater.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line's entry: {@code ./stillwater
 * vms|hosts|events|operations|explain|record|completion}.
 */
@Command(
        name = "stillwater",
        description = "Reads and commands a Stillwater engine, here or elsewhere.",
        synopsisSubcommandLabel = "COMMAND",
        sortOptions = false,
        usageHelpAutoWidth = true,
        scope = CommandLine.ScopeType.INHERIT,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the engine refused it, or an operation failed",
            "2:the command line is wrong",
            "3:no engine answered, or the connection was lost",
            "4:the engine asks for a login, or the user may not do this",
            "130, 143:it was stopped by Ctrl-C or SIGTERM"
        })
public final class Client implements Callable<Integer> {

    private static final List<String> VERBS =
            List.of("vms", "hosts", "events", "operations", "explain", "record", "completion");

    private final CommandEnvironment surroundings;

    @Spec private @Nullable CommandSpec spec;

    @SuppressWarnings("UnusedVariable") // picocli prints the help itself
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = CommandLine.ScopeType.INHERIT,
            description = "Shows this text.")
    private boolean help;

    Client(CommandEnvironment surroundings) {
        this.surroundings = surroundings;
    }

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        AnswerOutput answer = new AnswerOutput(new FileOutputStream(FileDescriptor.out));
        PrintWriter out = new PrintWriter(answer, false, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int code =
                run(
                        new CommandEnvironment(
                                out,
                                err,
                                System.getenv(),
                                System.getProperty("stillwater.cli.url"),
                                System.getProperty("stillwater.cli.ca"),
                                Boolean.getBoolean("stillwater.cli.interactive")),
                        arguments);
        out.flush();
        System.exit(answer.exitCode(code, err));
    }

    /**
     * Runs one command in this process.
     *
     * @param out takes the answer
     * @param err receives errors and progress
     * @param environment variables that name the engine and the login
     * @return its exit code
     */
    public static int run(
            PrintWriter out,
            PrintWriter err,
            Map<String, String> environment,
            String... arguments) {
        return run(new CommandEnvironment(out, err, environment, null, null, false), arguments);
    }

    /** Runs one command; returns its exit code. */
    static int run(CommandEnvironment here, String... arguments) {
        CommandLine line = commandLine(here, arguments.length == 0 ? "" : arguments[0]);
        int code = line.execute(arguments);
        here.out().flush();
        here.err().flush();
        return code;
    }

    /** With all commands, for texts about them. */
    static CommandLine commandLine(CommandEnvironment here) {
        return commandLine(here, "");
    }

    /**
     * With one command, because to read the annotations of all takes longer than all else; with all
     * of them if there is no such command.
     */
    private static CommandLine commandLine(CommandEnvironment here, String verb) {
        CommandLine line = new CommandLine(new Client(here));
        boolean alone = VERBS.contains(verb);
        for (String each : VERBS) {
            if (!alone || each.equals(verb)) {
                line.addSubcommand(each, command(each));
            }
        }
        line.setOut(here.out());
        line.setErr(here.err());
        line.setExpandAtFiles(false);
        line.setAllowOptionsAsOptionParameters(true); // --order -cpu
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler(Client::wrong);
        line.setExecutionExceptionHandler((trouble, _, _) -> ended(here, trouble));
        return line;
    }

    private static Object command(String verb) {
        return switch (verb) {
            case "vms" -> new VmsCommand();
            case "hosts" -> new HostsCommand();
            case "events" -> new EventsCommand();
            case "operations" -> new OperationsCommand();
            case "explain" -> new ExplainCommand();
            case "record" -> new RecordCommand();
            default -> new CompletionCommand();
        };
    }

    private static int ended(CommandEnvironment here, Exception trouble) {
        here.out().flush();
        if (trouble instanceof Trouble known) {
            here.err().println("stillwater: " + Texts.visible(known.sentence()));
            return known.exitCode();
        }
        here.err()
                .println(
                        "stillwater: this is a defect of the command line: "
                                + Texts.visible(trouble.toString()));
        trouble.printStackTrace(here.err());
        return Exit.REFUSED;
    }

    private static int wrong(ParameterException wrong, String[] arguments) {
        CommandLine line = wrong.getCommandLine();
        PrintWriter err = line.getErr();
        err.println("stillwater: " + Texts.visible(String.valueOf(wrong.getMessage())));
        for (String argument : arguments) {
            if (argument.startsWith("--password=")
                    || argument.equals("--password")
                    || argument.startsWith("--token=")
                    || argument.equals("--token")) {
                err.println(
                        "Other users of this machine see the options of a program: write the secret"
                                + " into a file, and give --password-file or --token-file.");
                return Exit.USAGE;
            }
        }
        String near =
                wrong instanceof UnmatchedArgumentException unmatched
                        ? Suggestion.of(unmatched)
                        : "";
        err.println(
                near.isEmpty()
                        ? "See ./" + line.getCommandSpec().qualifiedName() + " --help."
                        : near);
        return Exit.USAGE;
    }

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("not a command");
        }
        return usage(spec);
    }

    CommandEnvironment surroundings() {
        return surroundings;
    }

    /** Prints objects in full. */
    static int show(CommandEnvironment here, List<Json> objects, Rows.Form form) {
        switch (form) {
            case TABLE -> {
                for (int i = 0; i < objects.size(); i++) {
                    if (i > 0) {
                        here.out().println();
                    }
                    Rows.details(here.out(), objects.get(i));
                }
            }
            case JSON -> objects.forEach(each -> here.out().println(each.written()));
            case CSV ->
                    throw new Trouble(Exit.USAGE, "show prints a table or json; list prints csv");
        }
        return 0;
    }

    /** Runs a command without a subcommand: it prints the available ones. */
    static int usage(CommandSpec command) {
        command.commandLine().usage(command.commandLine().getErr());
        return Exit.USAGE;
    }
}
