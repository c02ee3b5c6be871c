package org.stillwater.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import picocli.CommandLine;

class BenchTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void stableTellsItsOptionsWithTheirDefaults() {
        assertThat(run("stable", "--help")).isZero();
        assertThat(out.toString())
                .contains("--vms", "--cycles", "--warmup", "--plain", "--report-size", "--json")
                .contains("--events-per-second", "--engine-heap", "--repeat", "--interval");
    }

    @Test
    void bulkheadsTellsItsOptionsAndRefusesTooManyEvents() {
        assertThat(run("bulkheads", "--help")).isZero();
        assertThat(out.toString()).contains("--sick-percent", "--rounds", "--phase");
        assertThat(run("bulkheads", "--rounds=0")).isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1);
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
        return Bench.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
