package org.stillwater.dal.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.dal.Login;
import org.stillwater.dal.TestDatabase;
import org.stillwater.dal.embedded.EmbeddedPostgresException.Reason;
import org.stillwater.dal.embedded.ServerAccount.Way;
import org.stillwater.testkit.FreePorts;
import org.stillwater.testkit.Tier;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class EmbeddedPostgresIT {

    /** Where any user can reach them; the folder of the build may lie below a closed one. */
    private static Path binaries;

    private static Path ready;

    private static final int AN_ORDINARY_USER = 54_321;

    private static final String BKI = "share/postgresql/postgres.bki";

    private static final int BKI_BYTES = 500_000;

    private Path folder;
    private final List<Process> programs = new ArrayList<>();

    @BeforeAll
    static void unpackBinaries() throws Exception {
        binaries = Files.createTempDirectory("stillwater-it-binaries-");
        Files.setPosixFilePermissions(binaries, PosixFilePermissions.fromString("rwxr-xr-x"));
        copyUnpacked();
        ready = binaries.resolve("ready");
        EmbeddedPostgres.start(EmbeddedPostgresSettings.in(ready).withBinariesFolder(binaries))
                .close();
    }

    /** Programs unpacked by other tests; a folder with the final name is whole. */
    private static void copyUnpacked() throws Exception {
        Path unpacked = ServerBinaries.home(ServerBinaries.archive(), TestDatabase.BINARIES);
        if (Files.isDirectory(unpacked)) {
            copy(unpacked.toString(), binaries.toString());
        }
    }

    @AfterAll
    static void deleteBinaries() {
        Trees.deleteQuietly(binaries);
    }

    /**
     * A data folder that was used before; what it costs to make one is not what most tests are
     * about.
     */
    private void copyReadyFolder() throws Exception {
        copy(ready.toString(), folder.resolve("data").toString());
    }

    private static void copy(String from, String to) throws Exception {
        Process copy = new ProcessBuilder("cp", "-a", from, to).inheritIO().start();
        assertThat(copy.waitFor()).isZero();
    }

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createTempDirectory("stillwater-it-");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void leaveNothing() throws Exception {
        for (Process program : programs) {
            program.destroyForcibly().waitFor();
        }
        PostmasterPid left = PostmasterPid.read(folder.resolve("data/cluster"));
        boolean leftRunning =
                left != null
                        && new ServerProcess(left.pid()).serves(folder.resolve("data/cluster"));
        if (leftRunning) {
            new ServerProcess(left.pid()).stop(Duration.ofSeconds(10));
        }
        Trees.deleteQuietly(folder);
        assertThat(folder).doesNotExist();
    }

    @Test
    void theEngineLogsInAsAnOwnerWithoutSuperuser() throws Exception {
        copyReadyFolder();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(value(postgres, "SELECT session_user")).isEqualTo("stillwater_owner");
            assertThat(value(postgres, "SHOW is_superuser")).isEqualTo("off");
            assertThat(
                            value(
                                    postgres,
                                    "SELECT string_agg(rolname, ', ') FROM pg_roles WHERE"
                                            + " (rolsuper OR rolcreaterole OR rolcreatedb) AND"
                                            + " pg_has_role(session_user, oid, 'MEMBER')"))
                    .isNull();
            assertThat(value(postgres, "SELECT pg_has_role('stillwater_monitoring', 'SET')::text"))
                    .isEqualTo("true");
        }
    }

    @Test
    void theWorkingRoleIsAMemberOfTheMonitoringRoleAndOwnsNothing() throws Exception {
        copyReadyFolder();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            Login engine = postgres.engine();
            assertThat(engine.password()).isNotEqualTo(postgres.owner().password());
            try (Connection connection =
                            DriverManager.getConnection(
                                    postgres.jdbcUrl(), engine.user(), engine.password());
                    Statement statement = connection.createStatement()) {
                try (ResultSet row =
                        statement.executeQuery(
                                """
                                SELECT string_agg(rolname, ' ' ORDER BY rolname), bool_or(rolsuper)
                                  FROM pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')
                                """)) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString(1))
                            .isEqualTo("stillwater_engine stillwater_monitoring");
                    assertThat(row.getBoolean(2)).isFalse();
                }
                SQLException refused =
                        catchThrowableOfType(
                                SQLException.class,
                                () -> statement.execute("CREATE TABLE public.mine (v integer)"));
                assertThat(refused.getSQLState()).isEqualTo("42501");
            }
        }
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(
                                        folder.resolve("data/engine-password"))))
                .isEqualTo("rw-------");
    }

    @Test
    void objectsOfTheSuperuserAreHandedOver() throws Exception {
        copyReadyFolder();
        String url;
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            url = postgres.jdbcUrl();
            try (Connection superuser =
                            DriverManager.getConnection(url, "stillwater", superuserPassword());
                    Statement statement = superuser.createStatement()) {
                statement.execute(
                        """
                        ALTER DATABASE stillwater OWNER TO stillwater;
                        REVOKE stillwater_monitoring FROM stillwater_owner, stillwater_engine;
                        DROP ROLE stillwater_owner, stillwater_engine, stillwater_monitoring, stillwater_reader, stillwater_dwh;
                        CREATE TABLE kept (id serial PRIMARY KEY, v text);
                        INSERT INTO kept (v) VALUES ('kept');
                        CREATE TABLE parted (v int) PARTITION BY RANGE (v);
                        CREATE TABLE part PARTITION OF parted DEFAULT;
                        CREATE VIEW seen AS SELECT v FROM kept;
                        CREATE SEQUENCE counted;
                        CREATE FUNCTION one(text) RETURNS integer LANGUAGE sql AS 'SELECT 1';
                        """);
            }
        }
        Files.delete(folder.resolve("data/owner-password"));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(postgres.user()).isEqualTo("stillwater_owner");
            assertThat(value(postgres, "SELECT v FROM seen")).isEqualTo("kept");
            execute(
                    postgres,
                    "ALTER TABLE kept ADD COLUMN more text",
                    "INSERT INTO kept (v, more) VALUES ('new', 'new')",
                    "DROP TABLE part",
                    "DROP VIEW seen",
                    "DROP SEQUENCE counted",
                    "CREATE OR REPLACE FUNCTION one(text) RETURNS integer LANGUAGE sql AS 'SELECT"
                            + " 2'",
                    "CREATE TABLE fresh (v text)");
        }
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(value(postgres, "SELECT count(*)::text FROM kept")).isEqualTo("2");
        }
    }

    private String superuserPassword() throws IOException {
        return Files.readString(folder.resolve("data/password")).strip();
    }

    @Test
    void committedRowsSurviveARestart() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(postgres.adopted()).isFalse();
            execute(postgres, "CREATE TABLE kept (v text)", "INSERT INTO kept VALUES ('Ünïcödé')");
        }
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(value(postgres, "SELECT v FROM kept")).isEqualTo("Ünïcödé");
        }
    }

    @Test
    void itIsDurableLocalAndProtectedByAPassword() throws Exception {
        copyReadyFolder();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(value(postgres, "SHOW fsync")).isEqualTo("on");
            assertThat(value(postgres, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(value(postgres, "SHOW full_page_writes")).isEqualTo("on");
            assertThat(value(postgres, "SHOW data_checksums")).isEqualTo("on");
            assertThat(value(postgres, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(value(postgres, "SHOW server_encoding")).isEqualTo("UTF8");
            SQLException refused =
                    catchThrowableOfType(
                            SQLException.class,
                            () ->
                                    DriverManager.getConnection(
                                                    postgres.jdbcUrl(), postgres.user(), "guess")
                                            .close());
            assertThat(refused.getSQLState()).isEqualTo("28P01");
        }
        Path password = folder.resolve("data/password");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(password)))
                .isEqualTo("rw-------");
    }

    @Test
    void closingLeavesNoProcessAndNoLock() throws Exception {
        copyReadyFolder();
        EmbeddedPostgres postgres = EmbeddedPostgres.start(settings());
        ServerProcess server = new ServerProcess(postgres.pid());
        assertThat(server.alive()).isTrue();
        postgres.close();
        postgres.close();
        assertThat(server.alive()).isFalse();
        assertThat(folder.resolve("data/engine.lock")).doesNotExist();
        assertThat(PostmasterPid.file(folder.resolve("data/cluster"))).doesNotExist();
    }

    @Test
    void aSecondEngineOnTheSameFolderIsRefusedWithAClearMessage() throws Exception {
        copyReadyFolder();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            EmbeddedPostgresException here =
                    catchThrowableOfType(
                            EmbeddedPostgresException.class,
                            () -> EmbeddedPostgres.start(settings()).close());
            assertThat(here.reason()).isEqualTo(Reason.DATA_FOLDER_IN_USE);

            String elsewhere = firstLine(program(List.of()));
            assertThat(elsewhere)
                    .startsWith("DATA_FOLDER_IN_USE")
                    .contains(folder.resolve("data").toString())
                    .contains("process " + ProcessHandle.current().pid());
            assertThat(value(postgres, "SELECT 'alive'")).isEqualTo("alive");
        }
    }

    @Test
    void theServerOfAKilledEngineIsTakenOver() throws Exception {
        copyReadyFolder();
        Process engine = program(List.of());
        String[] first = firstLine(engine).split(" ");
        engine.destroyForcibly().waitFor();
        assertThat(new ServerProcess(Long.parseLong(first[0])).alive()).isTrue();

        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(postgres.adopted()).isTrue();
            assertThat(postgres.pid()).isEqualTo(Long.parseLong(first[0]));
            assertThat(postgres.port()).isEqualTo(Integer.parseInt(first[1]));
            assertThat(value(postgres, "SELECT 'alive'")).isEqualTo("alive");
        }
        assertThat(new ServerProcess(Long.parseLong(first[0])).alive()).isFalse();
    }

    @Test
    void theNewServerOfAKilledUpgradeIsStoppedByTheNextUpgrade() throws Exception {
        copyReadyFolder();
        Path working = folder.resolve("data/upgrade");
        copy(ready.toString(), working.toString());
        Process upgrade = programOn(working, List.of());
        long left = Long.parseLong(firstLine(upgrade).split(" ")[0]);
        upgrade.destroyForcibly().waitFor();
        assertThat(new ServerProcess(left).alive()).isTrue();

        ServerVersion own = ServerVersion.of(ServerBinaries.unpack(binaries));
        MajorUpgrade.Need need = new MajorUpgrade.Need(own.major(), own.toString());
        try (MajorUpgrade next = MajorUpgrade.begin(settings(), need, null)) {
            assertThat(new ServerProcess(left).alive()).isFalse();
            assertThat(next.to().pid()).isNotEqualTo(left);
        }
        assertThat(working).doesNotExist();
    }

    @Test
    void programsOfAnEarlierVersionBelowAClosedFolderServeToo() throws Exception {
        copyReadyFolder();
        EmbeddedPostgresSettings closed = closed();
        ServerVersion own = ServerVersion.of(ServerBinaries.unpack(binaries));
        MajorUpgrade.Need need = new MajorUpgrade.Need(own.major(), own.toString());
        try (EmbeddedPostgres postgres = MajorUpgrade.startFormer(closed, need, null)) {
            assertThat(value(postgres, "SELECT 'alive'")).isEqualTo("alive");
        }
        // A program that reaches closed folders by a capability runs a copy in an open one.
        Path open = folder.resolve("open");
        Files.createDirectory(open);
        ServerBinaries unpacked = ServerBinaries.unpack(binaries);
        Trees.copy(unpacked.home(), open.resolve("copy"));
        assertThat(ServerVersion.of(new ServerBinaries(open.resolve("copy")))).isEqualTo(own);
        ServerBinaries installed = new ServerBinaries(open);
        assertThat(installed.copiedWhereAllCanRead()).isEqualTo(installed);
        assertThat(ServerVersion.of(unpacked.copiedWhereAllCanRead())).isEqualTo(own);
    }

    @Test
    void anOrphanWithOtherSettingsIsStoppedAndReplaced() throws Exception {
        copyReadyFolder();
        Process engine = program(List.of());
        long first = Long.parseLong(firstLine(engine).split(" ")[0]);
        engine.destroyForcibly().waitFor();

        int port = FreePorts.next();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings().withPort(port))) {
            assertThat(postgres.adopted()).isFalse();
            assertThat(postgres.port()).isEqualTo(port);
            assertThat(new ServerProcess(first).alive()).isFalse();
        }
    }

    @Test
    void afterAPowerFailureTheServerRecoversDespiteItsStalePidFile() throws Exception {
        copyReadyFolder();
        Process engine = program(List.of());
        long server = Long.parseLong(firstLine(engine).split(" ")[0]);
        engine.destroyForcibly().waitFor();
        ProcessHandle.of(server).orElseThrow().destroyForcibly();
        assertThat(ServerProcess.awaitNoOrphans("stillwater-", Duration.ofSeconds(10))).isTrue();
        assertThat(PostmasterPid.file(folder.resolve("data/cluster"))).exists();

        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(postgres.adopted()).isFalse();
            assertThat(value(postgres, "SELECT 'alive'")).isEqualTo("alive");
        }
    }

    @Test
    void aPidFileThatNamesAnotherProgramIsStale() throws Exception {
        copyReadyFolder();
        Path pidFile = PostmasterPid.file(folder.resolve("data/cluster"));
        Files.writeString(
                pidFile,
                "%d\n%s\n1700000000\n5432\n\n127.0.0.1\n\nready   \n"
                        .formatted(ProcessHandle.current().pid(), folder.resolve("data/cluster")));

        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(postgres.adopted()).isFalse();
            assertThat(value(postgres, "SELECT 'alive'")).isEqualTo("alive");
        }
    }

    @Test
    void anInterruptedInitialisationIsNotMistakenForACluster() throws Exception {
        Files.createDirectories(folder.resolve("data/.cluster-123/base"));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(value(postgres, "SELECT 'alive'")).isEqualTo("alive");
        }
    }

    @Test
    void aServerThatDiesIsStartedAgainOnItsPort() throws Exception {
        copyReadyFolder();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            int port = postgres.port();
            long died = postgres.pid();
            ProcessHandle.of(died).orElseThrow().destroyForcibly();
            assertThat(eventuallyAnswers(postgres)).isTrue();
            assertThat(postgres.port()).isEqualTo(port);
            assertThat(postgres.pid()).isNotEqualTo(died);
        }
    }

    @Test
    void aTakenPortIsAClearErrorAndLeavesNothingLocked() throws Exception {
        copyReadyFolder();
        try (ServerSocket taken =
                new ServerSocket(
                        0, 1, java.net.InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            EmbeddedPostgresException refused =
                    catchThrowableOfType(
                            EmbeddedPostgresException.class,
                            () ->
                                    EmbeddedPostgres.start(
                                                    settings().withPort(taken.getLocalPort()))
                                            .close());
            assertThat(refused.reason()).isEqualTo(Reason.START_FAILED);
            assertThat(refused).hasMessageContaining("port " + taken.getLocalPort());
        }
        EmbeddedPostgres.start(settings()).close();
    }

    @Test
    void damagedBinariesAreUnpackedAgain() throws Exception {
        Path own = folder.resolve("binaries");
        URL archive = archive();
        ServerBinaries first = ServerBinaries.unpack(archive, own);
        Files.writeString(first.home().resolve(BKI), "truncated");
        ServerBinaries again = ServerBinaries.unpack(archive, own);
        assertThat(again).isEqualTo(first);
        assertThat(Files.size(again.home().resolve(BKI))).isEqualTo(BKI_BYTES);
        assertThat(own.toFile().list()).hasSize(1);
    }

    @Test
    void severalProgramsMayUnpackAtOnce() throws Exception {
        Path own = folder.resolve("binaries");
        URL archive = archive();
        List<ServerBinaries> unpacked =
                Stream.of(1, 2).parallel().map(_ -> ServerBinaries.unpack(archive, own)).toList();
        assertThat(unpacked).allMatch(unpacked.getFirst()::equals);
        assertThat(own.toFile().list()).hasSize(1);
    }

    /** A small archive of the same kind: the servers' takes seconds. */
    private URL archive() throws IOException {
        Path file = folder.resolve("small.txz");
        byte[] content = new byte[BKI_BYTES];
        new Random(1).nextBytes(content);
        try (TarArchiveOutputStream tar =
                new TarArchiveOutputStream(
                        new XZOutputStream(Files.newOutputStream(file), new LZMA2Options()))) {
            for (String name : List.of("bin/postgres", BKI)) {
                TarArchiveEntry entry = new TarArchiveEntry(name);
                entry.setSize(content.length);
                tar.putArchiveEntry(entry);
                tar.write(content);
                tar.closeArchiveEntry();
            }
        }
        return file.toUri().toURL();
    }

    /** Each makes a folder of its own, so the ordinary suite takes one. */
    static Stream<Way> waysToMakeAFolder() {
        return Tier.sample(ways().toList(), 5).stream();
    }

    static Stream<Way> ways() {
        boolean root = ProcessHandle.current().info().user().orElse("").equals("root");
        return root ? EnumSet.complementOf(EnumSet.of(Way.SELF)).stream() : Stream.of(Way.SELF);
    }

    @ParameterizedTest
    @MethodSource("waysToMakeAFolder")
    void everyWayOfNotBeingRootServes(Way way) throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings(), EnumSet.of(way))) {
            execute(postgres, "CREATE TABLE kept (v text)", "INSERT INTO kept VALUES ('kept')");
        }
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings(), EnumSet.of(way))) {
            assertThat(value(postgres, "SELECT v FROM kept")).isEqualTo("kept");
        }
    }

    @Test
    void aFolderMadeInOneWayServesInEveryOther() throws Exception {
        copyReadyFolder();
        List<Way> round = new ArrayList<>(ways().toList());
        round.addAll(List.copyOf(round).reversed());
        for (Way way : Tier.sample(round, 3)) {
            EmbeddedPostgres.start(settings(), EnumSet.of(way)).close();
        }
    }

    /**
     * A clone below /root: by default in a machine, and in a container that forbids user
     * namespaces.
     */
    @Test
    void aFolderThatOnlyRootCanReachServesToo() throws Exception {
        EmbeddedPostgresSettings closed = closed();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(closed)) {
            assertThat(value(postgres, "SELECT 'alive'")).isEqualTo("alive");
        }
        Set<Way> noNamespaces =
                ways().collect(Collectors.toCollection(() -> EnumSet.noneOf(Way.class)));
        noNamespaces.remove(Way.USER_NAMESPACE);
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(closed, noNamespaces)) {
            assertThat(value(postgres, "SELECT 'alive'")).isEqualTo("alive");
        }
    }

    @Test
    void anOrdinaryUserRunsItAsItself() throws Exception {
        if (!ways().toList().contains(Way.SELF)) {
            Trees.chown(
                    Files.createDirectory(folder.resolve("data")),
                    AN_ORDINARY_USER,
                    AN_ORDINARY_USER);
            List<String> asUser =
                    List.of(
                            "setpriv",
                            "--reuid=" + AN_ORDINARY_USER,
                            "--regid=" + AN_ORDINARY_USER,
                            "--clear-groups");
            Process engine = program(asUser);
            String[] line = firstLine(engine).split(" ");
            assertThat(line).as(String.join(" ", line)).hasSize(3);
            assertThat(Trees.uid(folder.resolve("data/cluster"))).isEqualTo(AN_ORDINARY_USER);
            assertThat(Trees.uid(Path.of("/proc/" + line[0]))).isEqualTo(AN_ORDINARY_USER);
            engine.destroyForcibly().waitFor();

            String[] again = firstLine(program(asUser)).split(" ");
            assertThat(again).containsExactly(line[0], line[1], "true");
        }
        // An ordinary user's own test run takes this path in every other test.
    }

    @Test
    void rootMayUseAnOrdinaryUsersFolderAndGiveItBack() throws Exception {
        if (!ways().toList().contains(Way.SELF)) {
            Path data = Files.createDirectory(folder.resolve("data"));
            Trees.chown(data, AN_ORDINARY_USER, AN_ORDINARY_USER);
            EmbeddedPostgres.start(settings()).close();
            assertThat(Trees.uid(data.resolve("cluster"))).isEqualTo(AN_ORDINARY_USER);
            assertThat(Trees.uid(data.resolve("password"))).isEqualTo(AN_ORDINARY_USER);
        }
    }

    @Test
    void rootThatMayGiveNothingAwayServesFromAUserNamespace() throws Exception {
        if (!ways().toList().contains(Way.USER_NAMESPACE)) {
            return; // an ordinary user gives nothing away
        }
        Path data = Files.createDirectory(folder.resolve("data"));
        Process engine = program(List.of("setpriv", "--bounding-set=-chown"));
        String[] line = firstLine(engine).split(" ");
        assertThat(line).as(String.join(" ", line)).hasSize(3);
        assertThat(Trees.uid(data.resolve("cluster"))).isZero();
        assertThat(Files.readString(Path.of("/proc/" + line[0] + "/uid_map"))).isBlank();
    }

    @Test
    void rootsServerRunsAsItsOwnAccount() throws Exception {
        if (ways().toList().contains(Way.SELF)) {
            return; // an ordinary user runs it as itself, in every other test
        }
        copyReadyFolder();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            int uid = Trees.uid(Path.of("/proc/" + postgres.pid()));
            assertThat(uid).isNotEqualTo(0).isNotEqualTo(ServerUser.NOBODY);
            assertThat(Trees.uid(folder.resolve("data/cluster"))).isEqualTo(uid);
            assertThat(Trees.uid(folder.resolve("data/password"))).isEqualTo(uid);
        }
        // Below a closed folder, too.
        EmbeddedPostgresSettings closed = closed();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(closed)) {
            assertThat(Trees.uid(Path.of("/proc/" + postgres.pid())))
                    .isNotEqualTo(0)
                    .isNotEqualTo(ServerUser.NOBODY);
        }
    }

    @Test
    void filesOfTheAccountNobodyAreHandedOverAfterAStop() throws Exception {
        if (ways().toList().contains(Way.SELF)) {
            return; // only root gives files away
        }
        copyReadyFolder();
        Path data = folder.resolve("data");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            execute(postgres, "CREATE TABLE kept (v text)", "INSERT INTO kept VALUES ('kept')");
        }
        Trees.chown(data, ServerUser.NOBODY, ServerUser.NOBODY);
        // The server of an engine of that version, which was killed.
        Process old =
                new ProcessBuilder(
                                "setpriv",
                                "--reuid=65534",
                                "--regid=65534",
                                "--clear-groups",
                                ServerBinaries.unpack(binaries).pgCtl().toString(),
                                "start",
                                "--wait",
                                "--pgdata=" + data.resolve("cluster"),
                                "--log=" + data.resolve("log/postgresql.log"),
                                "--options=-c listen_addresses=127.0.0.1 -c port="
                                        + FreePorts.next()
                                        + " -c unix_socket_directories=")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertThat(old.waitFor()).isZero();
        long before = PostmasterPid.read(data.resolve("cluster")).pid();
        assertThat(Trees.uid(Path.of("/proc/" + before))).isEqualTo(ServerUser.NOBODY);

        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings())) {
            assertThat(postgres.adopted()).isFalse();
            assertThat(new ServerProcess(before).alive()).isFalse();
            assertThat(value(postgres, "SELECT v FROM kept")).isEqualTo("kept");
            int uid = Trees.uid(Path.of("/proc/" + postgres.pid()));
            assertThat(uid).isNotEqualTo(0).isNotEqualTo(ServerUser.NOBODY);
        }
        try (Stream<Path> all = Files.walk(data)) {
            for (Path path : all.toList()) {
                assertThat(Trees.uid(path)).as(path.toString()).isNotEqualTo(ServerUser.NOBODY);
            }
        }
    }

    @Test
    void aFolderMayHaveBlanksAndQuotesInItsName() throws Exception {
        EmbeddedPostgresSettings awkward =
                EmbeddedPostgresSettings.in(folder.resolve("my data's & co;x"))
                        .withBinariesFolder(binaries);
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(awkward)) {
            assertThat(value(postgres, "SELECT 'alive'")).isEqualTo("alive");
        }
    }

    @Test
    void aProgramThatEndsWhileItStartsLeavesNothingRunning() throws Exception {
        copyReadyFolder();
        Process engine = program(List.of(), OrphanMaker.END_WHILE_STARTING);
        assertThat(engine.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(folder.resolve("data/cluster")).exists();
        assertThat(PostmasterPid.file(folder.resolve("data/cluster"))).doesNotExist();
        assertThat(folder.resolve("data/engine.lock")).doesNotExist();
    }

    @Test
    void theServersLogIsBounded() throws Exception {
        copyReadyFolder();
        Path log = folder.resolve("data/log/postgresql.log");
        Files.write(log, new byte[9 * 1024 * 1024]);
        EmbeddedPostgres.start(settings()).close();
        assertThat(Files.size(log)).isLessThan(64 * 1024);
        assertThat(Files.size(log.resolveSibling("postgresql.log.1"))).isEqualTo(9 * 1024 * 1024);
    }

    /** A folder that only root can reach, with the programs below it, as in operation. */
    private EmbeddedPostgresSettings closed() throws Exception {
        EmbeddedPostgresSettings closed = EmbeddedPostgresSettings.in(folder.resolve("data"));
        Path below = Files.createDirectories(closed.binariesFolder());
        copy(ServerBinaries.unpack(binaries).home().toString(), below.toString());
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        return closed;
    }

    private EmbeddedPostgresSettings settings() {
        return EmbeddedPostgresSettings.in(folder.resolve("data")).withBinariesFolder(binaries);
    }

    /**
     * Another program on the same folder; its class path is copied to where any user can read it.
     */
    private Process program(List<String> prefix, String... more) throws Exception {
        return programOn(folder.resolve("data"), prefix, more);
    }

    private Process programOn(Path data, List<String> prefix, String... more) throws Exception {
        Path classes = folder.resolve("classes");
        if (!Files.exists(classes)) {
            copyClassPath(classes);
        }
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
        command.add(classes + ":" + classes + "/*");
        command.add(OrphanMaker.class.getName());
        command.add(data.toString());
        command.add(binaries.toString());
        command.addAll(List.of(more));
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        programs.add(process);
        return process;
    }

    private static void copyClassPath(Path classes) throws Exception {
        Files.createDirectory(classes);
        List<URL> needed = new ArrayList<>();
        for (Class<?> one :
                List.of(
                        OrphanMaker.class,
                        EmbeddedPostgres.class,
                        org.postgresql.Driver.class,
                        org.tukaani.xz.XZInputStream.class,
                        org.apache.commons.compress.archivers.tar.TarArchiveInputStream.class,
                        org.apache.commons.io.IOUtils.class,
                        org.apache.commons.lang3.StringUtils.class,
                        org.slf4j.Logger.class,
                        org.jspecify.annotations.NullMarked.class)) {
            needed.add(one.getProtectionDomain().getCodeSource().getLocation());
        }
        needed.add(scripts());
        needed.add(((JarURLConnection) ServerBinaries.archive().openConnection()).getJarFileURL());
        for (URL url : needed) {
            Path source = Path.of(url.toURI());
            if (Files.isDirectory(source)) {
                copyFolder(source, classes);
            } else {
                Files.copy(source, classes.resolve(source.getFileName()));
            }
        }
    }

    /** Where the scripts of the schema are: a folder in the build, else a jar. */
    private static URL scripts() throws Exception {
        URL script = EmbeddedPostgres.class.getResource("/db/role/roles.sql");
        return script.openConnection() instanceof JarURLConnection jar
                ? jar.getJarFileURL()
                : Path.of(script.toURI()).resolve("../../..").normalize().toUri().toURL();
    }

    private static void copyFolder(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = target.resolve(source.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static String firstLine(Process process) throws Exception {
        BufferedReader reader = process.inputReader(UTF_8);
        var line =
                java.util.concurrent.CompletableFuture.supplyAsync(
                        () -> reader.lines().findFirst().orElse(""),
                        task -> Thread.ofVirtual().start(task));
        return line.get(90, TimeUnit.SECONDS);
    }

    private static boolean eventuallyAnswers(EmbeddedPostgres postgres) throws Exception {
        long died = postgres.pid();
        var restarted = new java.util.concurrent.CountDownLatch(1);
        Thread poller =
                Thread.ofVirtual()
                        .start(() -> {
                            while (!Thread.currentThread().isInterrupted()) {
                                try {
                                    value(postgres, "SELECT 'alive'");
                                    if (postgres.pid() != died) {
                                        restarted.countDown();
                                        return;
                                    }
                                } catch (SQLException _) {
                                    Thread.onSpinWait();
                                }
                            }
                        });
        try {
            return restarted.await(60, TimeUnit.SECONDS);
        } finally {
            poller.interrupt();
            poller.join();
        }
    }

    private static void execute(EmbeddedPostgres postgres, String... statements)
            throws SQLException {
        try (Connection connection = connect(postgres);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static String value(EmbeddedPostgres postgres, String query) throws SQLException {
        try (Connection connection = connect(postgres);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    private static Connection connect(EmbeddedPostgres postgres) throws SQLException {
        return DriverManager.getConnection(
                postgres.jdbcUrl(), postgres.user(), postgres.password());
    }
}
