package org.stillwater.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/**
 * The launcher answers {@code --help} before anything is built, with the text of the program. With
 * {@code -Dstillwater.docs=write} the texts are written instead.
 */
public final class HelpText {

    private HelpText() {}

    /** The launcher's text for a verb is that of its program. */
    public static void assertPrepared(String verb, CommandLine program) {
        assertPrepared(
                verb,
                program.setUsageHelpAutoWidth(false).getUsageMessage(CommandLine.Help.Ansi.OFF));
    }

    /** The launcher's text for a verb is that of its program. */
    public static void assertPrepared(String verb, String help) {
        Path file = Path.of("../launcher/help/" + verb + ".txt");
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            try {
                Files.createDirectories(file.getParent());
                Files.writeString(file, help);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        assertThat(file).as("-Dstillwater.docs=write renews it").hasContent(help);
    }
}
