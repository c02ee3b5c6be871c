package org.stillwater.dal.embedded;

import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.BINARIES_UNUSABLE;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Server programs of an earlier major version, which alone read its data: those that an earlier
 * Stillwater unpacked, or an installed PostgreSQL. Stateless.
 */
final class FormerPrograms {

    private FormerPrograms() {}

    /**
     * Finds them.
     *
     * @param folder where Stillwater unpacks programs, once per version
     * @param major version of the data
     * @param home of an installed PostgreSQL; null searches the folder
     * @throws EmbeddedPostgresException if there are none, with the remedy
     */
    static ServerBinaries find(Path folder, int major, @Nullable Path home) throws IOException {
        if (home != null) {
            ServerBinaries given = new ServerBinaries(home.toAbsolutePath().normalize());
            ServerVersion version = ServerVersion.of(given);
            if (version.major() != major) {
                throw new EmbeddedPostgresException(
                        BINARIES_UNUSABLE,
                        "The programs in %s are of PostgreSQL %s, and the data are of %d."
                                .formatted(given.home(), version, major));
            }
            return given;
        }
        @Nullable ServerBinaries newest = null;
        int minor = -1;
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> unpacked =
                    Files.newDirectoryStream(folder, "postgresql-*")) {
                for (Path each : unpacked) {
                    ServerBinaries candidate = new ServerBinaries(each);
                    ServerVersion version = versionOf(candidate);
                    if (version != null && version.major() == major && version.minor() > minor) {
                        newest = candidate;
                        minor = version.minor();
                    }
                }
            }
        }
        if (newest == null) {
            throw new EmbeddedPostgresException(
                    BINARIES_UNUSABLE,
                    "The programs of PostgreSQL %d, which read these data, are not in %s any more: name an installed PostgreSQL %d with --postgresql DIR, the folder that has its bin. Or start the earlier Stillwater, back up, move the database's folder away, and restore the backup with this version."
                            .formatted(major, folder, major));
        }
        return newest;
    }

    /** Null for programs that do not run: they were cleaned away in parts, or are of no use. */
    private static @Nullable ServerVersion versionOf(ServerBinaries candidate) {
        try {
            return ServerVersion.of(candidate);
        } catch (EmbeddedPostgresException _) {
            return null;
        }
    }
}
