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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.FileSystemUtils;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.SchemaVersions;
import org.stillwater.dal.TestDatabase;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.dal.embedded.FormerServer;

/** Data of an earlier PostgreSQL, whose programs the earlier engine unpacked, in one command. */
@Tag("full") // programs of another PostgreSQL once
@Timeout(900)
class MajorUpgradeProgramIT {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private Path folder;
    private Path binaries;

    @BeforeEach
    void makeFolder() throws Exception {
        folder = Files.createTempDirectory("stillwater-it-");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        binaries = folder.resolve("postgresql/binaries");
    }

    @AfterEach
    void deleteFolder() throws Exception {
        FileSystemUtils.deleteRecursively(folder);
    }

    @FunctionalInterface
    private interface Program {
        int run(List<String> arguments, PrintStream out, PrintStream err);
    }

    private int run(Program program, String... arguments) {
        out.reset();
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--data=" + folder);
        PrintStream both = new PrintStream(out, true, StandardCharsets.UTF_8);
        return program.run(all, both, both);
    }

    private String said() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private static Connection owner(EmbeddedPostgres server) throws Exception {
        return DriverManager.getConnection(
                server.jdbcUrl(), server.owner().user(), server.owner().password());
    }

    private static String query(EmbeddedPostgres server, String sql) throws Exception {
        try (Connection connection = owner(server);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "";
        }
    }

    private void makeData(EmbeddedPostgresSettings settings, Path former) throws Exception {
        try (EmbeddedPostgres server = FormerServer.start(settings, former)) {
            SchemaVersions.migrate(
                    DatabaseSettings.of(
                                    server.jdbcUrl(),
                                    server.engine().user(),
                                    server.engine().password())
                            .migratedBy(server.owner()));
            try (Connection connection = owner(server);
                    Statement statement = connection.createStatement()) {
                statement.execute(
                        """
                        INSERT INTO host_static (host_id, host_name, address, port)
                        SELECT gen_random_uuid(), 'host-' || number, 'h', 54321 FROM generate_series(1, 500) AS number
                        """);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"17.7.0"})
    void theDataOfAnEarlierMajorVersionAreCopied(String version) throws Exception {
        String major = version.substring(0, version.indexOf('.'));
        Path former = FormerServer.unpack(version, binaries);
        EmbeddedPostgresSettings settings =
                EmbeddedPostgresSettings.in(folder.resolve("postgresql"));
        makeData(settings, former);
        Path cluster = folder.resolve("postgresql/cluster");
        assertThat(cluster.resolve("PG_VERSION")).content().isEqualTo(major + "\n");

        // Every program that would start the server names the command.
        assertThat(run(BackupProgram::run, "--to", folder.resolve("backup").toString()))
                .isEqualTo(1);
        assertThat(said())
                .contains("are of PostgreSQL " + major, "run 'stillwater upgrade'")
                .doesNotContain("FATAL");
        assertThat(run(UpgradeProgram::run, "--dry-run")).as(this::said).isZero();
        assertThat(said())
                .contains("are of PostgreSQL " + major, "No script would run after the copy.");
        assertThat(cluster.resolve("PG_VERSION")).content().isEqualTo(major + "\n");
        try (EmbeddedPostgres running = FormerServer.start(settings, former)) {
            assertThat(running.pid()).isPositive();
            assertThat(run(UpgradeProgram::run, "--dry-run")).as(this::said).isZero();
            assertThat(run(UpgradeProgram::run)).isEqualTo(1);
            assertThat(said()).contains("the engine of this data folder runs: stop it first");
        }

        assertThat(run(UpgradeProgram::run)).as(this::said).isZero();
        assertThat(said())
                .contains("server    PostgreSQL " + major + ".", " to 18.", "compared all")
                .contains("cluster-" + major + ": delete", "The engine can start.");
        assertThat(cluster.resolve("PG_VERSION")).content().isEqualTo("18\n");
        assertThat(folder.resolve("postgresql/cluster-" + major + "/PG_VERSION"))
                .content()
                .isEqualTo(major + "\n");
        try (EmbeddedPostgres server = EmbeddedPostgres.start(settings)) {
            assertThat(query(server, "SHOW server_version")).startsWith("18.");
            assertThat(query(server, "SELECT count(DISTINCT host_name) FROM host_static"))
                    .isEqualTo("500");
        }
        assertThat(run(UpgradeProgram::run)).as(this::said).isZero();
        assertThat(said()).contains("Nothing to do.");
        assertThat(run(UpgradeProgram::run, "--postgresql", former.toString())).isEqualTo(1);
        assertThat(said()).contains("--postgresql is for data of another major version");
    }

    @ParameterizedTest
    @ValueSource(strings = {"17.7.0"})
    void programsThatWereCleanedAwayCanBeNamed(String version) throws Exception {
        Path elsewhere = Files.createDirectory(folder.resolve("installed"));
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path former = FormerServer.unpack(version, elsewhere);
        EmbeddedPostgresSettings settings =
                EmbeddedPostgresSettings.in(folder.resolve("postgresql"));
        makeData(settings, former);

        assertThat(run(UpgradeProgram::run)).isEqualTo(1);
        assertThat(said()).contains("are not in " + binaries, "--postgresql DIR");
        String own = TestDatabase.BINARIES.toString();
        assertThat(run(UpgradeProgram::run, "--postgresql", own)).isEqualTo(1);
        assertThat(said()).contains("do not run here");
        assertThat(run(UpgradeProgram::run, "--postgresql", former.toString()))
                .as(this::said)
                .isZero();
        try (EmbeddedPostgres server = EmbeddedPostgres.start(settings)) {
            assertThat(query(server, "SELECT count(*) FROM host_static")).isEqualTo("500");
        }
    }
}
