package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;

/** Programs beside a stopped engine that a signal ends, as Ctrl-C and systemd do. */
@Timeout(300)
class EndedProgramIT {

    private static final int ENDED_BY_TERM = 128 + 15;

    @TempDir Path folder;
    private final List<Process> programs = new ArrayList<>();

    /** A program that has its database for as long as it reads from its input. */
    static final class Holder {

        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            Program.silenceLogs();
            Arguments given = new Arguments(List.of(arguments), Set.of(), Set.of());
            try (DatabaseAccess _ =
                    DatabaseAccess.open(given.settings(), DatabaseAccess.Use.CHANGE)) {
                System.out.println("It is open.");
                int _ = System.in.read();
            }
        }
    }

    @AfterEach
    void leaveNothing() throws Exception {
        for (Process program : programs) {
            program.destroyForcibly().waitFor();
        }
        if (Files.exists(serverFile())) {
            long server = Long.parseLong(Files.readAllLines(serverFile()).getFirst().strip());
            ProcessHandle.of(server).ifPresent(ProcessHandle::destroy);
        }
    }

    private Path data() {
        return folder.resolve("data");
    }

    /** Is there while the server runs. */
    private Path serverFile() {
        return data().resolve("postgresql/cluster/postmaster.pid");
    }

    private Process started(Class<?> program, String... more) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(program.getName());
        command.addAll(List.of(more));
        command.add("--data=" + data());
        command.add("--stillwater.database.embedded.binaries-folder=" + TestDatabase.BINARIES);
        Process process =
                new ProcessBuilder(command)
                        .redirectError(folder.resolve("errors").toFile())
                        .start();
        programs.add(process);
        return process;
    }

    private static void end(Process program) throws InterruptedException {
        program.destroy();
        assertThat(program.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(program.exitValue()).isEqualTo(ENDED_BY_TERM);
    }

    private static String query(EmbeddedPostgres server, String sql) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(
                                server.jdbcUrl(), server.user(), server.password());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "";
        }
    }

    @Test
    void itsServerIsStoppedAndItsUnfinishedBackupDeleted() throws Exception {
        Process holder = started(Holder.class);
        try (BufferedReader said = holder.inputReader()) {
            assertThat(said.readLine())
                    .as(Files.readString(folder.resolve("errors")))
                    .contains("It is open.");
            assertThat(serverFile()).exists();
            end(holder);
        }
        assertThat(serverFile()).doesNotExist();

        Path unfinished = Files.writeString(folder.resolve(".backup.part"), "half of it");
        try (EmbeddedPostgres server =
                        EmbeddedPostgres.start(
                                EmbeddedPostgresSettings.in(data().resolve("postgresql"))
                                        .withBinariesFolder(TestDatabase.BINARIES));
                Connection connection =
                        DriverManager.getConnection(
                                server.jdbcUrl(), server.user(), server.password());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE schema_history (version text, success boolean)");
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE schema_history IN ACCESS EXCLUSIVE MODE");
            Process backup = started(BackupProgram.class, "--to=" + folder.resolve("backup"));
            while (query(server, "SELECT count(*) FROM pg_locks WHERE NOT granted").equals("0")) {
                assertThat(backup.isAlive()).isTrue();
                LockSupport.parkNanos(20_000_000); // another process, whose time is the wall's
            }
            end(backup);
            assertThat(unfinished).doesNotExist();
            assertThat(query(server, "SELECT 1"))
                    .as("a server that it did not start")
                    .isEqualTo("1");
        }
    }
}
