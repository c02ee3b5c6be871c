package org.stillwater.dal.embedded;

import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.BINARIES_UNUSABLE;
import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.OTHER_MAJOR_VERSION;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Version of server programs. PostgreSQL reads a cluster of its own major version only.
 *
 * @param major as the cluster's file {@code PG_VERSION} has it
 * @param minor the update within it
 */
record ServerVersion(int major, int minor) {

    /**
     * Major version of the programs that this Stillwater brings: known before they are unpacked.
     */
    static final int BUNDLED_MAJOR = 18;

    private static final Pattern VERSION =
            Pattern.compile("postgres \\(PostgreSQL\\) (\\d{1,6})\\.(\\d{1,6}).*", Pattern.DOTALL);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /**
     * Asks the programs.
     *
     * @throws EmbeddedPostgresException if they do not run on this machine
     */
    static ServerVersion of(ServerBinaries binaries) {
        String detail;
        try {
            Command.Result result =
                    Command.run(List.of(binaries.postgres().toString(), "--version"), LIMIT);
            Matcher version = VERSION.matcher(result.output());
            if (result.succeeded() && version.matches()) {
                return new ServerVersion(
                        Integer.parseInt(version.group(1)), Integer.parseInt(version.group(2)));
            }
            detail = result.output();
        } catch (IOException e) {
            detail = String.valueOf(e.getMessage());
        }
        throw new EmbeddedPostgresException(
                BINARIES_UNUSABLE,
                "The PostgreSQL binaries in "
                        + binaries.home()
                        + " do not run here ("
                        + detail
                        + "): they need Linux with glibc and a folder that is not mounted noexec."
                        + " Choose another folder or set spring.datasource.url to a PostgreSQL"
                        + " server.");
    }

    /** Major version of the data in a cluster; null where there is none. */
    static @Nullable Integer ofData(Path cluster) throws IOException {
        Path file = cluster.resolve("PG_VERSION");
        if (!Files.exists(file)) {
            return null;
        }
        String text = Files.readString(file).strip();
        if (!text.matches("\\d{1,6}")) {
            throw new IOException("the file " + file + " names no version");
        }
        return Integer.valueOf(text);
    }

    /**
     * Refuses a cluster that these programs cannot read.
     *
     * @throws EmbeddedPostgresException with the remedy
     */
    void requireReads(Path cluster) throws IOException {
        Integer present = ofData(cluster);
        if (present == null || present == major) {
            return;
        }
        throw new EmbeddedPostgresException(
                OTHER_MAJOR_VERSION,
                present < major
                        ? "The data in %s are of PostgreSQL %d, and this Stillwater runs PostgreSQL %d, which cannot read them: run 'stillwater upgrade' as the engine's user. It copies them and keeps the old ones."
                                .formatted(cluster, present, major)
                        : "The data in %s are of PostgreSQL %d, and this Stillwater runs PostgreSQL %d: a newer Stillwater made them. Start that version again, or restore a backup of this version into an empty data folder."
                                .formatted(cluster, present, major));
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
