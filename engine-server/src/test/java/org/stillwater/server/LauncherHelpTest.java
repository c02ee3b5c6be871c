package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The launcher answers {@code --help} of the engine's programs before anything is built. With
 * {@code -Dstillwater.docs=write} the texts are written instead.
 */
@DisplayName("Help of the launcher")
class LauncherHelpTest {

    @ParameterizedTest
    @CsvSource({
        "backup, programs.BackupProgram",
        "check-config, programs.CheckConfig",
        "check-dependencies, dependencies.CheckDependencies",
        "compare-ovirt, programs.CompareOvirtProgram",
        "diagnose, programs.DiagnoseProgram",
        "health, programs.HealthProgram",
        "import-ovirt, programs.ImportOvirtProgram",
        "move-database, programs.MoveDatabaseProgram",
        "profile, profile.ProfileProgram",
        "restore, programs.RestoreProgram",
        "upgrade, programs.UpgradeProgram"
    })
    @DisplayName("is the help of the program")
    void same(String verb, String program) throws Exception {
        Method run =
                Class.forName("org.stillwater.server." + program)
                        .getDeclaredMethod("run", List.class, PrintStream.class, PrintStream.class);
        run.setAccessible(true);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        assertThat(run.invoke(null, List.of("--help"), out, out)).isEqualTo(0);
        String help = printed.toString(StandardCharsets.UTF_8);
        Path file = Path.of("..", "launcher", "help", verb + ".txt");
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(file, help);
        }
        assertThat(help).startsWith("Usage: stillwater " + verb);
        assertThat(file).as("-Dstillwater.docs=write renews it").hasContent(help);
    }
}
