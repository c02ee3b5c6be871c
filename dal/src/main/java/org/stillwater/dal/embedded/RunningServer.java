package org.stillwater.dal.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.stillwater.dal.Login;

/**
 * The server of a data folder while an engine runs it, for programs beside that engine: they use it
 * and never start or stop it. Immutable.
 *
 * @param jdbcUrl address of the engine's database
 * @param owner owns the database
 * @param engine works in it
 */
public record RunningServer(String jdbcUrl, Login owner, Login engine) {

    /**
     * Finds it.
     *
     * @param dataFolder the database's folder
     * @param database name of the database
     * @return null if no server runs there
     * @throws IOException if it runs and this user cannot read its passwords
     */
    public static @Nullable RunningServer find(Path dataFolder, String database)
            throws IOException {
        Path folder = dataFolder.toAbsolutePath().normalize();
        Path cluster = folder.resolve("cluster");
        PostmasterPid found = PostmasterPid.read(cluster);
        if (found == null || !found.ready() || !new ServerProcess(found.pid()).serves(cluster)) {
            return null;
        }
        return new RunningServer(
                "jdbc:postgresql://127.0.0.1:" + found.port() + "/" + database,
                new Login(EmbeddedPostgres.OWNER, password(folder.resolve("owner-password"))),
                new Login(EmbeddedPostgres.ENGINE, password(folder.resolve("engine-password"))));
    }

    private static String password(Path file) throws IOException {
        return Files.readString(file).strip();
    }

    /** Without passwords. */
    @Override
    public String toString() {
        return "RunningServer[" + jdbcUrl + "]";
    }
}
