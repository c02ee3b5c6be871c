package org.stillwater.fake.xapi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class FakePoolsTest {

    /** The launcher answers before a build; {@code -Dstillwater.docs=write} renews its text. */
    @Test
    void theLauncherAnswersWithTheSameHelp() throws IOException {
        String help =
                FakePools.commandLine()
                        .setUsageHelpAutoWidth(false)
                        .getUsageMessage(CommandLine.Help.Ansi.OFF);
        Path file = Path.of("../launcher/help/fake-pools.txt");
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(file, help);
        }
        assertThat(file).as("-Dstillwater.docs=write renews it").hasContent(help);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "--pools 0 | --pools must be between 1 and 64",
                "--hosts 65 | --hosts must be between 1 and 64",
                "--vms -1 | --vms must be 0 or more",
                "--port 70000 | --port must be between",
                "--control-port 70000 | --control-port must be between",
                "--era 1999 | no age of servers '1999'",
                "--batching some | --batching is real or none",
                "--life wild | --life is none or gentle",
                "--speed -1 | --speed must be 0 or more",
                "--address-base here | 'here' is not an IP address"
            })
    void wrongOptionsAreNamed(String options, String message) {
        StringWriter told = new StringWriter();
        int code =
                FakePools.commandLine()
                        .setErr(new PrintWriter(told, true))
                        .execute(options.split(" "));
        assertThat(code).isEqualTo(2);
        assertThat(told.toString()).contains(message);
    }
}
