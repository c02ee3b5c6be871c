package org.stillwater.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.scale.SoakRun;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class BenchTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void stablePrintsItsOptionsWithTheirDefaults() {
        assertThat(run("stable", "--help")).isZero();
        assertThat(out.toString())
                .contains("--vms", "--cycles", "--warmup", "--plain", "--report-size", "--json")
                .contains("--events-per-second", "--engine-heap", "--repeat", "--interval");
    }

    @Test
    void bulkheadsPrintsItsOptionsAndRefusesTooManyEvents() {
        assertThat(run("bulkheads", "--help")).isZero();
        assertThat(out.toString()).contains("--sick-percent", "--rounds", "--phase");
        assertThat(run("bulkheads", "--rounds=0")).isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1);
    }

    @Test
    void regressionsPrintsItsOptionsAndRefusesAnEmptyCorpus() {
        assertThat(run("regressions", "--help")).isZero();
        assertThat(out.toString()).contains("--series", "--seed", "--no-peers", "--json");
        assertThat(run("regressions", "--series=0")).isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1);
        for (String file : List.of("", ".", "no-such-folder/figures.json")) {
            assertThat(run("regressions", "--json=" + file)).as("before the run").isEqualTo(1);
        }
        assertThat(err.toString().lines()).hasSize(4).last().asString().contains("--json");
    }

    @Test
    void consolePrintsItsOptionsAndRefusesAnEmptyWindow() {
        assertThat(run("console", "--help")).isZero();
        assertThat(out.toString())
                .contains("--changes", "--seconds", "--json", "CHROMIUM")
                .containsPattern("(?s)--vms=N.*Default: 100000");
        assertThat(run("console", "--seconds=0")).isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1);
    }

    @Test
    void xapiPrintsItsSectionsAndRefusesAnUnknownOne() {
        assertThat(run("xapi", "--help")).isZero();
        assertThat(out.toString())
                .contains("--only", "--skip", "--pools", "--hosts", "--vms", "--json")
                .contains("decode", "sync", "latency", "batching", "burst", "stable", "death");
        assertThat(run("xapi", "--only=colours")).isEqualTo(2);
        assertThat(err.toString()).contains("colours");
    }

    @Test
    void soakPrintsItsOptionsAndRefusesTooShortATime() {
        assertThat(run("soak", "--help")).isZero();
        assertThat(out.toString()).contains("--days", "--step", "--pause", "--hosts");
        assertThat(run("soak", "--days=1")).isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1);
    }

    @Test
    void soakRefusesMoreRestartsThanHostsRecoverFrom() {
        assertThat(run("soak", "--days=365", "--step=12h", "--pause=300ms", "--restarts=10000"))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("--restarts is at most 1460 with 10 hosts")
                .contains("more --hosts or a longer --pause");
        assertThat(
                        SoakRun.restartsPossible(
                                100,
                                Duration.ofDays(365),
                                Duration.ofHours(12),
                                Duration.ofMillis(300)))
                .isEqualTo(14_600);
        assertThat(
                        SoakRun.restartsPossible(
                                10,
                                Duration.ofDays(3),
                                Duration.ofHours(12),
                                Duration.ofSeconds(5)))
                .as("each host once in a step")
                .isEqualTo(60);
    }

    @Test
    void theLauncherAnswersWithTheSameHelp() {
        CommandLine bench = Bench.commandLine();
        HelpText.assertPrepared("bench", bench);
        bench.getSubcommands()
                .forEach((verb, command) -> {
                    if (!verb.equals("micro")) { // its help is JMH's
                        HelpText.assertPrepared("bench-" + verb, command);
                    }
                });
    }

    @Test
    void anUnknownOptionIsRefused() {
        assertThat(run("stable", "--colour=red")).isEqualTo(2);
        assertThat(err.toString()).contains("--colour");
    }

    @Test
    void aPlanThatCannotBeIsExplainedInOneLine() {
        assertThat(run("stable", "--repeat=0")).isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString()).contains("--repeat");
    }

    /** The exception of a verb after an interrupt of its thread by Ctrl-C. */
    @Command(name = "waiting")
    private static final class Waiting implements Callable<Integer> {

        @Override
        public Integer call() throws InterruptedException {
            throw new InterruptedException("sleep interrupted");
        }
    }

    @Test
    void aMeasurementThatIsInterruptedEndsWithoutAStack() {
        CommandLine bench = Bench.commandLine().addSubcommand(new Waiting());
        assertThat(run(bench, "waiting")).isEqualTo(130);
        assertThat(err.toString().lines()).containsExactly("bench: interrupted");
    }

    @Test
    void sharedOptionsHaveDefaultsOfEachVerb() {
        run("stable", "--help");
        assertThat(out.toString()).containsPattern("(?s)--vms=N.*Default: 6000").contains("1g");
        run("bulkheads", "--help");
        assertThat(out.toString()).containsPattern("(?s)--vms=N.*Default: 20000").contains("2g");
    }

    @Test
    void timesHaveAUnit() {
        DurationConverter converter = new DurationConverter();

        assertThat(converter.convert("15s")).isEqualTo(Duration.ofSeconds(15));
        assertThat(converter.convert("500ms")).isEqualTo(Duration.ofMillis(500));
        assertThat(converter.convert("2m")).isEqualTo(Duration.ofMinutes(2));
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> converter.convert("15"))
                .isInstanceOf(CommandLine.TypeConversionException.class)
                .hasMessageContaining("'15' is no time");
    }

    private int run(String... arguments) {
        return run(Bench.commandLine(), arguments);
    }

    private int run(CommandLine bench, String... arguments) {
        return bench.setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
