package org.stillwater.benchmarks.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.HelpText;

/** The launcher has the help of {@code dist}, so that the question builds nothing. */
class DistHelpTest {

    @Test
    void theLauncherHasTheHelp() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        assertThat(Dist.run(List.of("--help"), out, out)).isZero();
        HelpText.assertPrepared("dist", printed.toString(StandardCharsets.UTF_8));
    }
}
