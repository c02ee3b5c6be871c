package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.Database;
import org.stillwater.dal.HistoryPoolSettings;
import org.stillwater.dal.TestDatabase;
import org.stillwater.testkit.LabelledSecretBox;

@Timeout(120)
class ImportOvirtProgramIT {

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @TempDir Path folder;

    private int run(TestDatabase database) throws Exception {
        said.reset();
        PrintStream print = new PrintStream(said, true, StandardCharsets.UTF_8);
        return ImportOvirtProgram.run(
                List.of(
                        "--url=https://localhost:1",
                        "--user=admin@internal",
                        "--password-file="
                                + Files.writeString(folder.resolve("password"), "a password"),
                        "--data=" + folder,
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.worker().user(),
                        "--spring.datasource.password=" + database.worker().password()),
                print,
                print);
    }

    /** A running engine would not notice the import until its next start. */
    @Test
    void anExternalDatabaseThatAnEngineUsesGetsNoImport() throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            try (Database engine =
                    Database.openAlone(
                            database.settings(),
                            HistoryPoolSettings.DEFAULT,
                            new LabelledSecretBox("k1"),
                            "stillwater-engine")) {
                assertThat(engine.problem()).isNull();
                assertThat(run(database)).isEqualTo(1);
                assertThat(said.toString(StandardCharsets.UTF_8))
                        .contains("uses this database (stillwater-engine", "stop it first");
            }
            assertThat(run(database)).isEqualTo(1);
            assertThat(said.toString(StandardCharsets.UTF_8))
                    .contains("nothing accepts connections at localhost:1");
        }
    }
}
