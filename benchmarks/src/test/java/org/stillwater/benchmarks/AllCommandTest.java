package org.stillwater.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.benchmarks.scale.RunOfAll;
import picocli.CommandLine;

class AllCommandTest {

    @TempDir private Path folder;

    private final StringWriter err = new StringWriter();
    private final List<List<String>> ran = new ArrayList<>();

    /** Exit code of the part with this file name; others end well. */
    private String failing = "";

    private int exitCode;
    private long nanos;

    @Test
    void partsRunInOrderAndTheirResultsAreKept() throws IOException {
        assertThat(run("--only=start,write", "--into=" + folder)).isZero();

        assertThat(ran).extracting(List::getFirst).containsExactly("write", "start");
        RunOfAll run = RunOfAll.read(folder);
        assertThat(run.parts())
                .containsExactly(
                        new RunOfAll.Part(
                                "write",
                                "./stillwater bench write --flat-out 60s",
                                61,
                                0,
                                List.of("results of write")),
                        new RunOfAll.Part(
                                "start",
                                "./stillwater bench start",
                                61,
                                0,
                                List.of("results of start")));
    }

    @Test
    void figuresGoBesideTheRun() {
        assertThat(run("--only=c", "--into=" + folder)).isZero();

        assertThat(ran.getFirst())
                .startsWith("stable", "--vms", "6000")
                .endsWith("--json", folder.resolve("c.json").toString());
    }

    @Test
    void aPartThatFailsDoesNotKeepTheOthersFromBeingMeasured() throws IOException {
        failing = "write";
        exitCode = 1;

        assertThat(run("--only=write,start", "--into=" + folder)).isEqualTo(1);

        assertThat(RunOfAll.read(folder).parts())
                .extracting(RunOfAll.Part::exitCode)
                .containsExactly(1, 0);
    }

    @Test
    void ctrlCEndsTheWholeRunAndKeepsFinishedParts() throws IOException {
        failing = "start";
        exitCode = 130;

        assertThat(run("--only=write,start,api", "--into=" + folder)).isEqualTo(130);

        assertThat(ran).hasSize(2);
        assertThat(RunOfAll.read(folder).parts()).hasSize(1);
    }

    @Test
    void aResumedRunKeepsWhatWasMeasuredAndMeasuresTheOthers() throws IOException {
        failing = "api";
        exitCode = 1;
        run("--only=start,api", "--into=" + folder);
        failing = "";
        ran.clear();

        assertThat(run("--resume", "--only=write,start,api", "--into=" + folder)).isZero();

        assertThat(ran).extracting(List::getFirst).containsExactly("write", "api");
        assertThat(RunOfAll.read(folder).parts())
                .extracting(RunOfAll.Part::name, RunOfAll.Part::exitCode)
                .containsExactly(tuple("write", 0), tuple("start", 0), tuple("api", 0));
    }

    @Test
    void aRunOfAnotherCommitIsNotResumed() throws IOException {
        new RunOfAll("0123456789", "another machine", List.of()).write(folder);

        assertThat(run("--resume", "--only=write", "--into=" + folder)).isEqualTo(1);

        assertThat(err.toString()).contains("is of commit 0123456789 on another machine");
        assertThat(ran).isEmpty();
    }

    @Test
    void aMillionIsMeasuredOnlyIfNamed() {
        assertThat(run("--into=" + folder)).isZero();
        assertThat(ran).hasSize(11).noneMatch(part -> part.contains("1000000"));

        ran.clear();
        assertThat(run("--only=million", "--into=" + folder)).isZero();
        assertThat(ran.getFirst()).contains("1000000");
    }

    @Test
    void everyPartIsACommandThatTheBenchTakes() {
        run("--into=" + folder);
        run("--only=million", "--into=" + folder);

        for (List<String> part : ran) {
            CommandLine.ParseResult parsed =
                    Bench.commandLine().parseArgs(part.toArray(new String[0]));
            assertThat(parsed.subcommand().errors()).isEmpty();
        }
    }

    @Test
    void publishingNeedsTheStableFleets() {
        assertThat(run("--publish", "--only=write")).isEqualTo(1);
        assertThat(err.toString()).contains("--publish needs the parts a, b and c");
        assertThat(ran).isEmpty();
    }

    @Test
    void anUnknownPartIsRefusedWithTheKnownOnes() {
        assertThat(run("--only=colours")).isEqualTo(2);
        assertThat(err.toString()).contains("colours", "REGRESSIONS");
        assertThat(run("--only=write", "--skip=write")).isEqualTo(1);
        assertThat(err.toString()).contains("--skip leaves no part");
    }

    private int run(String... arguments) {
        AllCommand all =
                new AllCommand(
                        () -> nanos,
                        (command, results) -> {
                            ran.add(command);
                            nanos += 61_000_000_000L;
                            results.println("\nresults of " + command.getFirst() + "  ");
                            return command.getFirst().equals(failing) ? exitCode : 0;
                        });
        return new CommandLine(all)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, _, _) -> {
                    err.write(String.valueOf(failure.getMessage()));
                    return 1;
                })
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
