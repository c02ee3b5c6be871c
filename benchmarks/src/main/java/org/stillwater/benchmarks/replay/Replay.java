package org.stillwater.benchmarks.replay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.vdsm.client.recording.RecordingReader;
import org.stillwater.vdsm.client.recording.RecordingReader.NoRecording;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./stillwater replay}: decisions of this build about a recording. */
@Command(
        name = "replay",
        description = {
            "Runs a recording of hosts through the analysis of this build, on a virtual clock, and",
            "prints its decisions: transitions with the rule that decided, audit events, orders to",
            "hosts, and at the end the state of each host and VM. The same recording has the same",
            "decisions.",
            "Exit code 0: done, or no difference; 1: decisions differ; 2: wrong usage, or no"
                    + " recording."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class Replay implements Callable<Integer> {

    private static final int USAGE = 2;

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A recording of ./stillwater record.")
    private Path file;

    @Option(
            names = "--against",
            paramLabel = "FILE2",
            description = {
                "Prints only the decisions that differ from those of FILE2, which is another",
                "recording or the saved output of a replay: + has FILE, - has FILE2. Times do not"
                        + " count."
            })
    private @Nullable Path against;

    @SuppressWarnings("NullAway.Init") // picocli sets the members before anything is called
    private Replay() {}

    /** Runs a replay and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Replay());
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        List<ReplayedDecision> decisions;
        List<ReplayedDecision> others;
        try {
            decisions = decisions(file, false);
            others = against == null ? List.of() : decisions(against, true);
        } catch (NoSuchFileException e) {
            return refuse("there is no file " + e.getMessage());
        } catch (IOException | NoRecording e) {
            return refuse(String.valueOf(e.getMessage()));
        }
        List<String> lines =
                against == null
                        ? decisions.stream().map(ReplayedDecision::line).toList()
                        : DecisionDifferences.between(others, decisions);
        lines.forEach(out::println);
        out.flush();
        return against == null || lines.isEmpty() ? 0 : 1;
    }

    private int refuse(String why) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("replay: " + why);
        err.flush();
        return USAGE;
    }

    /**
     * The decisions of a recording, or those that were saved.
     *
     * @param saved whether a file that is no recording may be the output of a replay
     */
    static List<ReplayedDecision> decisions(Path file, boolean saved)
            throws IOException, NoRecording {
        try (BufferedReader text = Files.newBufferedReader(file)) {
            text.mark(64);
            char[] head = new char[24];
            int read = Math.max(0, text.read(head));
            text.reset();
            if (saved && !RecordingReader.isHead(new String(head, 0, read))) {
                return text.lines().map(ReplayedDecision::parse).filter(Objects::nonNull).toList();
            }
            return RecordingReplay.of(RecordingReader.read(text));
        }
    }
}
