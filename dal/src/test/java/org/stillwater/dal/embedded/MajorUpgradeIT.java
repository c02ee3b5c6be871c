package org.stillwater.dal.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.dal.TestDatabase;
import org.stillwater.dal.embedded.EmbeddedPostgresException.Reason;

/**
 * The mechanics of an upgrade, between two clusters of one version; the long tier has two versions.
 */
class MajorUpgradeIT {

    private static Path ready;

    private Path folder;
    private Path data;

    /** Data of an engine, made once. */
    @BeforeAll
    static void makeData() throws Exception {
        ready = Files.createTempDirectory("stillwater-it-ready-");
        Files.setPosixFilePermissions(ready, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (EmbeddedPostgres server = EmbeddedPostgres.start(settings(ready.resolve("data")))) {
            mark(server, "old");
        }
    }

    @AfterAll
    static void deleteData() {
        Trees.deleteQuietly(ready);
    }

    @BeforeEach
    void makeFolder() throws Exception {
        folder = Files.createTempDirectory("stillwater-it-");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        data = folder.resolve("data");
    }

    @AfterEach
    void leaveNothing() {
        Trees.deleteQuietly(folder);
        assertThat(folder).doesNotExist();
    }

    private EmbeddedPostgresSettings settings() {
        return settings(data);
    }

    private static EmbeddedPostgresSettings settings(Path folder) {
        return EmbeddedPostgresSettings.in(folder)
                .withBinariesFolder(TestDatabase.BINARIES)
                .notDurable();
    }

    private static MajorUpgrade.Need sameVersion() {
        ServerVersion own = ServerVersion.of(ServerBinaries.unpack(TestDatabase.BINARIES));
        return new MajorUpgrade.Need(own.major(), own.toString());
    }

    private static void mark(EmbeddedPostgres server, String text) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE mark AS SELECT '" + text + "' AS text");
        }
    }

    private static String marked(EmbeddedPostgres server) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT text FROM mark")) {
            row.next();
            return row.getString(1);
        }
    }

    private static Connection connect(EmbeddedPostgres server) throws SQLException {
        return DriverManager.getConnection(
                server.jdbcUrl(), server.owner().user(), server.owner().password());
    }

    private void copyData() throws Exception {
        String from = ready.resolve("data").toString();
        assertThat(new ProcessBuilder("cp", "-a", from, data.toString()).start().waitFor())
                .isZero();
    }

    private EmbeddedPostgresException refusedStart() {
        return catchThrowableOfType(
                EmbeddedPostgresException.class, () -> EmbeddedPostgres.start(settings()).close());
    }

    private Stream<String> names() throws Exception {
        try (Stream<Path> all = Files.list(data)) {
            return all.map(each -> each.getFileName().toString()).toList().stream();
        }
    }

    @Test
    void dataOfAnOlderVersionAreRefusedWithTheCommandThatCopiesThem() throws Exception {
        copyData();
        Files.writeString(data.resolve("cluster/PG_VERSION"), "9\n");
        EmbeddedPostgresException refused = refusedStart();
        assertThat(refused.reason()).isEqualTo(Reason.OTHER_MAJOR_VERSION);
        assertThat(refused)
                .hasMessageContaining("are of PostgreSQL 9, and this Stillwater runs PostgreSQL ")
                .hasMessageContaining("run 'stillwater upgrade' as the engine's user");
        assertThat(MajorUpgrade.need(settings()))
                .isEqualTo(new MajorUpgrade.Need(9, sameVersion().wanted()));

        EmbeddedPostgresException without =
                catchThrowableOfType(
                        EmbeddedPostgresException.class,
                        () ->
                                MajorUpgrade.begin(
                                        settings(), new MajorUpgrade.Need(9, "18.6"), null));
        assertThat(without)
                .hasMessageContaining(
                        "The programs of PostgreSQL 9, which read these data, are not")
                .hasMessageContaining("--postgresql DIR");
        EmbeddedPostgresException wrong =
                catchThrowableOfType(
                        EmbeddedPostgresException.class,
                        () ->
                                MajorUpgrade.begin(
                                        settings(),
                                        new MajorUpgrade.Need(9, "18.6"),
                                        ServerBinaries.unpack(TestDatabase.BINARIES).home()));
        assertThat(wrong).hasMessageContaining("and the data are of 9.");
        assertThat(names())
                .doesNotContain("engine.lock", "upgrade", "upgraded")
                .contains("cluster");
    }

    @Test
    void theVersionOfDataIsCheckedWithoutTheServersPrograms() throws Exception {
        assertThat(ServerVersion.of(ServerBinaries.unpack(TestDatabase.BINARIES)).major())
                .as("ServerVersion.BUNDLED_MAJOR follows the version of the embedded server")
                .isEqualTo(ServerVersion.BUNDLED_MAJOR);
        Path folder = Files.createDirectories(data.resolveSibling("unread"));
        MajorUpgrade.requireReadable(folder);
        Path version = Files.createDirectories(folder.resolve("cluster")).resolve("PG_VERSION");
        Files.writeString(version, ServerVersion.BUNDLED_MAJOR + "\n");
        MajorUpgrade.requireReadable(folder);
        Files.writeString(version, "17\n");
        assertThat(
                        catchThrowableOfType(
                                EmbeddedPostgresException.class,
                                () -> MajorUpgrade.requireReadable(folder)))
                .hasMessageContaining("are of PostgreSQL 17, and this Stillwater runs PostgreSQL ");
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all).containsExactly(folder.resolve("cluster"));
        }
    }

    @Test
    void dataOfANewerVersionAreRefusedWithTheWayBack() throws Exception {
        copyData();
        Files.writeString(data.resolve("cluster/PG_VERSION"), "999\n");
        assertThat(refusedStart())
                .hasMessageContaining("a newer Stillwater made them. Start that version again");
        assertThat(
                        catchThrowableOfType(
                                        EmbeddedPostgresException.class,
                                        () -> MajorUpgrade.need(settings()))
                                .reason())
                .isEqualTo(Reason.OTHER_MAJOR_VERSION);
    }

    @Test
    void dataOfThisVersionAndNoDataNeedNone() throws Exception {
        assertThat(MajorUpgrade.need(settings())).isNull();
        copyData();
        assertThat(MajorUpgrade.need(settings())).isNull();
    }

    @Test
    void theNewClusterTakesThePlaceOfTheOldOneWhichIsKept() throws Exception {
        copyData();
        MajorUpgrade.Need need = sameVersion();
        String password = Files.readString(data.resolve("owner-password"));
        try (MajorUpgrade upgrade = MajorUpgrade.begin(settings(), need, null)) {
            assertThat(marked(upgrade.from())).isEqualTo("old");
            assertThat(upgrade.freeBytes()).isPositive();
            mark(upgrade.to(), "new");
            assertThat(refusedStart().reason()).isEqualTo(Reason.DATA_FOLDER_IN_USE);
            upgrade.finish();
            assertThat(upgrade.kept()).isDirectory().hasFileName("cluster-" + need.present());
        }
        try (EmbeddedPostgres server = EmbeddedPostgres.start(settings())) {
            assertThat(marked(server)).isEqualTo("new");
        }
        assertThat(Files.readString(data.resolve("owner-password"))).isEqualTo(password);
        assertThat(names()).doesNotContain("upgrade", "upgraded");
        // The old data are still of use, and a second upgrade does not overwrite them.
        EmbeddedPostgresException again =
                catchThrowableOfType(
                        EmbeddedPostgresException.class,
                        () -> MajorUpgrade.begin(settings(), need, null));
        assertThat(again).hasMessageContaining("of an earlier upgrade is there: move it away");
        Trees.deleteQuietly(data.resolve("cluster"));
        Files.move(data.resolve("cluster-" + need.present()), data.resolve("cluster"));
        try (EmbeddedPostgres server = EmbeddedPostgres.start(settings())) {
            assertThat(marked(server)).isEqualTo("old");
        }
    }

    @Test
    void anUpgradeThatDoesNotFinishLeavesTheOldDataInUse() throws Exception {
        copyData();
        try (MajorUpgrade upgrade = MajorUpgrade.begin(settings(), sameVersion(), null)) {
            mark(upgrade.to(), "half");
        }
        assertThat(names()).doesNotContain("upgrade", "upgraded", "engine.lock");
        try (EmbeddedPostgres server = EmbeddedPostgres.start(settings())) {
            assertThat(marked(server)).isEqualTo("old");
        }
    }

    @Test
    void aStartCompletesAnUpgradeThatEndedBetweenItsRenames() throws Exception {
        copyData();
        Path filled = Files.createDirectory(data.resolve("upgraded"));
        Files.move(data.resolve("cluster"), filled.resolve("cluster"));
        Files.createDirectory(data.resolve("cluster-9"));
        try (EmbeddedPostgres server = EmbeddedPostgres.start(settings())) {
            assertThat(marked(server)).isEqualTo("old");
        }
        assertThat(filled).doesNotExist();
    }
}
