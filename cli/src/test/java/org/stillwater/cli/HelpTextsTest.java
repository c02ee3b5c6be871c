package org.stillwater.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * The launcher answers {@code --help} before anything is built, with the text of the program. With
 * {@code -Dstillwater.docs=write} the texts are written instead.
 */
@DisplayName("Help of the launcher")
class HelpTextsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"vms", "hosts", "events", "operations", "explain", "record", "completion"})
    @DisplayName("is the help of the command")
    void same(String verb) throws IOException {
        PrintWriter nothing = new PrintWriter(Writer.nullWriter());
        String help =
                Client.commandLine(
                                new CommandEnvironment(
                                        nothing, nothing, Map.of(), null, null, false))
                        .setUsageHelpAutoWidth(false)
                        .getSubcommands()
                        .get(verb)
                        .getUsageMessage(CommandLine.Help.Ansi.OFF);
        Path file = Path.of("../launcher/help/" + verb + ".txt");
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, help);
        }
        assertThat(file).as("-Dstillwater.docs=write renews it").hasContent(help);
    }
}
