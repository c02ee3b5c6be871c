package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.server.StillwaterApplication;

/**
 * An operator's way from a first start over a backup to another machine, with the embedded server.
 */
@Timeout(600)
class BackupProgramIT {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir Path folder;

    @FunctionalInterface
    private interface Program {
        int run(List<String> arguments, PrintStream out, PrintStream err);
    }

    private int run(Program program, Path data, Object... arguments) {
        out.reset();
        err.reset();
        List<String> all = new ArrayList<>();
        for (Object each : arguments) {
            all.add(each.toString());
        }
        all.add("--data=" + data);
        all.add("--stillwater.database.embedded.binaries-folder=" + TestDatabase.BINARIES);
        return program.run(
                all,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String said() {
        return out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
    }

    private static EmbeddedPostgres engine(Path data) {
        return EmbeddedPostgres.start(
                EmbeddedPostgresSettings.in(data.resolve("postgresql"))
                        .withBinariesFolder(TestDatabase.BINARIES));
    }

    private static String query(EmbeddedPostgres server, String sql) throws Exception {
        try (Connection connection =
                        DriverManager.getConnection(
                                server.jdbcUrl(), server.user(), server.password());
                Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return "";
            }
            try (ResultSet row = statement.getResultSet()) {
                return row.next() ? row.getString(1) : "";
            }
        }
    }

    @Test
    void aDatabaseMovesToAnotherMachine() throws Exception {
        Path first = folder.resolve("first");
        Path second = folder.resolve("second");
        Path key =
                Files.writeString(
                        folder.resolve("key"), Base64.getEncoder().encodeToString(new byte[32]));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Path backup = folder.resolve("backup");
        Files.createDirectories(first.resolve("secrets"));
        Files.writeString(first.resolve("secrets/keys"), "the key");

        assertThat(run(BackupProgram::run, first, "--to", backup)).isEqualTo(1);
        assertThat(said()).contains("there is no database in");
        assertThat(run(UpgradeProgram::run, first)).as(this::said).isZero();
        assertThat(said()).contains("none yet", "pending   V1__", "scripts ran");
        try (EmbeddedPostgres engine = engine(first)) {
            query(
                    engine,
                    "INSERT INTO host_static (host_id, host_name, address, port)"
                            + " VALUES (gen_random_uuid(), 'kept', 'h', 54321)");
            assertThat(run(UpgradeProgram::run, first, "--dry-run")).as(this::said).isZero();
            assertThat(said()).contains("Nothing to do.");
            assertThat(run(UpgradeProgram::run, first)).isEqualTo(1);
            assertThat(said()).contains("the engine of this data folder runs");
            assertThat(run(BackupProgram::run, first, "--to", backup, "--key", key, "--with-keys"))
                    .as(this::said)
                    .isZero();
            assertThat(said()).contains("history included", "secrets/keys", "and read it back");
            assertThat(run(RestoreProgram::run, first, backup, "--key", key, "--replace"))
                    .isEqualTo(1);
            assertThat(said()).contains("the engine of this data folder runs: stop it first");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(backup)))
                .isEqualTo("rw-------");
        assertThat(run(BackupProgram::run, first, "--to", backup)).isEqualTo(1);
        assertThat(said()).contains("a backup is not overwritten");
        assertThat(run(BackupProgram::run, first, "--to", backup.resolve("none/file")))
                .isEqualTo(1);
        assertThat(said()).contains("there is no folder", "for the backup");
        assertThat(run(BackupProgram::run, first, "verify", backup)).isEqualTo(1);
        assertThat(said()).contains("--key");

        assertThat(run(RestoreProgram::run, second, backup, "--key", key)).as(this::said).isZero();
        assertThat(said()).contains("Restored and read back.");
        assertThat(second.resolve("secrets/keys")).hasContent("the key");
        assertThat(run(RestoreProgram::run, second, backup, "--key", key)).isEqualTo(1);
        assertThat(said()).contains("--replace");
        try (EmbeddedPostgres engine = engine(second)) {
            assertThat(query(engine, "SELECT host_name FROM host_static")).isEqualTo("kept");
            query(
                    engine,
                    """
                    INSERT INTO schema_history (installed_rank, version, description, type, script, checksum, installed_by,
                                                execution_time, success)
                    VALUES (10000, '9999', 'of tomorrow', 'SQL', 'V9999__of_tomorrow.sql', 1, 'x', 1, true)
                    """);
            assertThat(run(UpgradeProgram::run, second, "--dry-run")).isEqualTo(1);
            assertThat(said())
                    .contains("version 9999", "a newer Stillwater", "restore FILE --replace");
            Path newer = folder.resolve("newer");
            assertThat(run(BackupProgram::run, second, "--to", newer)).isEqualTo(1);
            assertThat(said()).contains("version 9999", "back up with the newer Stillwater");
            assertThat(newer).doesNotExist();
        }
        theEngineRefusesIt(second);
        Files.writeString(second.resolve("secrets/keys"), "another key");
        assertThat(run(RestoreProgram::run, second, backup, "--key", key, "--replace"))
                .as(this::said)
                .isZero();
        assertThat(second.resolve("secrets/keys")).hasContent("the key");
        assertThat(run(UpgradeProgram::run, second, "--dry-run")).as(this::said).isZero();
    }

    /** As systemd and containers see it: a process that fails with a reason. */
    private void theEngineRefusesIt(Path data) throws Exception {
        Path log = folder.resolve("engine.log");
        Process engine =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                StillwaterApplication.class.getName(),
                                "--server.port=0",
                                "--stillwater.tls.enabled=false",
                                "--stillwater.data-folder=" + data,
                                "--stillwater.database.embedded.binaries-folder="
                                        + TestDatabase.BINARIES)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            assertThat(engine.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(Files.readString(log))
                    .contains("has version 9999 of the schema", "restore FILE --replace")
                    .doesNotContain("\tat ");
            assertThat(engine.exitValue()).isEqualTo(1);
        } finally {
            engine.destroyForcibly();
        }
    }

    @Test
    void wrongUsageIsRefusedByName() {
        assertThat(run(BackupProgram::run, folder)).isEqualTo(2);
        assertThat(said()).contains("--to is missing");
        assertThat(run(BackupProgram::run, folder, "--to", "x", "--with-keys")).isEqualTo(2);
        assertThat(said()).contains("--with-keys needs --key");
        assertThat(run(BackupProgram::run, folder, "verify")).isEqualTo(2);
        assertThat(run(RestoreProgram::run, folder)).isEqualTo(2);
        assertThat(said()).contains("file is missing");
        assertThat(run(RestoreProgram::run, folder, folder.resolve("none"))).isEqualTo(1);
        assertThat(said()).contains("cannot read");
        assertThat(run(UpgradeProgram::run, folder, "now")).isEqualTo(2);
        assertThat(said()).contains("unknown word now");
    }
}
