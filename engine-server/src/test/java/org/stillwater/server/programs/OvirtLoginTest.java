package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OvirtLoginTest {

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir Path folder;

    private int dryRun(Path password) {
        err.reset();
        return ImportOvirtProgram.run(
                List.of(
                        "--url=https://localhost:1",
                        "--user=admin@internal",
                        "--password-file=" + password,
                        "--data=" + folder,
                        "--dry-run"),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String said() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aPasswordFileWithoutAPasswordIsNamed() throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "\n");
        assertThat(dryRun(password)).isEqualTo(1);
        assertThat(said()).contains("there is no password in " + password);
        assertThat(dryRun(folder.resolve("none"))).isEqualTo(1);
        assertThat(said()).contains("cannot read the password in");
        Files.writeString(password, "a password\n");
        assertThat(dryRun(password)).isEqualTo(1);
        assertThat(said()).contains("nothing accepts connections at localhost:1");
    }
}
