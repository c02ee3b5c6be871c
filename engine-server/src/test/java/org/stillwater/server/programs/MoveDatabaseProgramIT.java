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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.Login;
import org.stillwater.dal.TestDatabase;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;

/** An operator's way from the embedded PostgreSQL to another one. */
@Timeout(600)
class MoveDatabaseProgramIT {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir Path folder;

    @FunctionalInterface
    private interface Program {
        int run(List<String> arguments, PrintStream out, PrintStream err);
    }

    private int run(Program program, String... arguments) {
        out.reset();
        err.reset();
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--data=" + folder.resolve("data"));
        all.add("--stillwater.database.embedded.binaries-folder=" + TestDatabase.BINARIES);
        return program.run(
                all,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String said() {
        return out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
    }

    private EmbeddedPostgres engine() {
        return EmbeddedPostgres.start(
                EmbeddedPostgresSettings.in(folder.resolve("data/postgresql"))
                        .withBinariesFolder(TestDatabase.BINARIES));
    }

    private static String query(Connection connection, String sql) throws Exception {
        try (connection;
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "";
        }
    }

    private static Connection owner(EmbeddedPostgres server) throws Exception {
        return DriverManager.getConnection(
                server.jdbcUrl(), server.owner().user(), server.owner().password());
    }

    /** A file of settings as the template has it, with the logins and without the address. */
    private Path config(Login worker, Login owner) throws Exception {
        Path secrets = Files.createDirectories(folder.resolve("secrets"));
        Files.writeString(secrets.resolve("spring.datasource.password"), worker.password());
        Files.writeString(
                secrets.resolve("stillwater.database.migration.password"), owner.password());
        Path file =
                Files.writeString(
                        folder.resolve("stillwater.yaml"),
                        """
                        # a comment that stays
                        spring.config.import: "optional:configtree:%s/"
                        #spring.datasource.url:
                        spring.datasource.username: %s
                        stillwater.database.migration.username: %s
                        """
                                .formatted(secrets, worker.user(), owner.user()));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        return file;
    }

    @Test
    void theEmbeddedDatabaseMovesInOneCommand() throws Exception {
        try (TestDatabase target = TestDatabase.empty()) {
            Path config = config(target.worker(), target.owner());
            String before = Files.readString(config);
            String[] move = {"--to", target.jdbcUrl(), "--config", config.toString()};
            String[] dry = {"--to", target.jdbcUrl(), "--config", config.toString(), "--dry-run"};
            String[] write = {
                "--to", target.jdbcUrl(), "--config", config.toString(), "--write-settings"
            };

            assertThat(run(MoveDatabaseProgram::run, move)).isEqualTo(1);
            assertThat(said()).contains("there is no database in");
            assertThat(run(UpgradeProgram::run)).as(this::said).isZero();
            try (EmbeddedPostgres engine = engine()) {
                try (Connection connection = owner(engine);
                        Statement statement = connection.createStatement()) {
                    statement.execute(
                            "INSERT INTO host_static (host_id, host_name, address, port)"
                                    + " VALUES (gen_random_uuid(), 'kept', 'h', 54321)");
                }
                assertThat(run(MoveDatabaseProgram::run, dry)).as(this::said).isZero();
                assertThat(said()).contains("to        " + target.jdbcUrl(), "Nothing was changed");
                assertThat(run(MoveDatabaseProgram::run, move)).isEqualTo(1);
                assertThat(said()).contains("the engine of this data folder runs: stop it first");
            }
            assertThat(query(target.connect(), "SELECT to_regclass('host_static')")).isNull();

            assertThat(run(MoveDatabaseProgram::run, write)).as(this::said).isZero();
            assertThat(said())
                    .contains("compared all", "Changed " + config + ": spring.datasource.url.");
            assertThat(Files.readString(config))
                    .isEqualTo(
                            before.replace(
                                    "#spring.datasource.url:",
                                    "spring.datasource.url: \"" + target.jdbcUrl() + "\""));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(config)))
                    .isEqualTo("rw-r-----");
            try (var beside = Files.list(folder)) {
                assertThat(beside.map(each -> each.getFileName().toString()))
                        .containsExactlyInAnyOrder("data", "secrets", "stillwater.yaml");
            }
            assertThat(query(target.connect(), "SELECT host_name FROM host_static"))
                    .isEqualTo("kept");
            try (EmbeddedPostgres engine = engine()) {
                assertThat(query(owner(engine), "SELECT host_name FROM host_static"))
                        .isEqualTo("kept");
            }
            // The engine's programs, and so the engine, find the moved data by the changed file.
            assertThat(run(UpgradeProgram::run, "--dry-run", "--config", config.toString()))
                    .as(this::said)
                    .isZero();
            assertThat(said()).contains("Nothing to do.");
            assertThat(run(MoveDatabaseProgram::run, "--config", config.toString())).isEqualTo(1);
            assertThat(said()).contains("the target holds a Stillwater already");
        }
    }

    @Test
    void withoutAFileTheLinesArePrinted() throws Exception {
        try (TestDatabase target = TestDatabase.empty()) {
            assertThat(run(UpgradeProgram::run)).as(this::said).isZero();
            String[] move = {
                "--to",
                target.jdbcUrl(),
                "--spring.datasource.username=" + target.user(),
                "--spring.datasource.password=" + target.password()
            };
            assertThat(run(MoveDatabaseProgram::run, move)).as(this::said).isZero();
            assertThat(said())
                    .contains(
                            "Put this into the engine's settings",
                            "  spring.datasource.url: \"" + target.jdbcUrl() + "\"",
                            "  spring.datasource.username: \"" + target.user() + "\"")
                    .doesNotContain(target.password());
        }
    }

    @Test
    void wrongUsageAndUnusableTargetsAreRefusedByName() throws Exception {
        assertThat(run(MoveDatabaseProgram::run, "--help")).isZero();
        assertThat(said()).contains("--dry-run", "The engine must be stopped");
        assertThat(run(MoveDatabaseProgram::run)).isEqualTo(2);
        assertThat(said()).contains("--to is missing");
        assertThat(run(MoveDatabaseProgram::run, "--to", "postgresql://h/d")).isEqualTo(2);
        assertThat(said()).contains("must start with jdbc:postgresql:");
        assertThat(run(MoveDatabaseProgram::run, "--to", "jdbc:postgresql://h/d?password=x"))
                .isEqualTo(2);
        assertThat(said()).contains("can read a password on a command line");
        String to = "jdbc:postgresql://127.0.0.1:1/none";
        assertThat(run(MoveDatabaseProgram::run, "--to", to, "--write-settings")).isEqualTo(2);
        assertThat(said()).contains("needs --config FILE");
        assertThat(run(MoveDatabaseProgram::run, "--to", to, "--spring.datasource.url=" + to + "x"))
                .isEqualTo(1);
        assertThat(said()).contains("the settings name an external database already");
        assertThat(run(UpgradeProgram::run)).as(this::said).isZero();
        assertThat(run(MoveDatabaseProgram::run, "--to", to)).isEqualTo(1);
        assertThat(said()).contains("the target cannot be used as stillwater");
        assertThat(
                        run(
                                MoveDatabaseProgram::run,
                                "--to",
                                to,
                                "--write-settings",
                                "--config",
                                folder.resolve("none.yaml").toString()))
                .isEqualTo(1);
        assertThat(said()).contains("none.yaml");
    }
}
