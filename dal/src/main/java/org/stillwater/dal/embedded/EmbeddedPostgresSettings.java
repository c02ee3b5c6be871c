package org.stillwater.dal.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * How the embedded server is run. Immutable.
 *
 * @param dataFolder everything that must survive a restart: the cluster, its password, its log
 * @param binariesFolder where the server binaries are unpacked to, once per version; may be shared
 *     by many data folders
 * @param database name of the database that {@link EmbeddedPostgres#jdbcUrl()} points to; created
 *     when missing
 * @param port TCP port on 127.0.0.1; 0 picks a free one at every start
 * @param durable true: fsync, synchronous commit and full page writes are on; false only for
 *     throw-away test data
 * @param startTimeout longest wait for the server to accept connections (crash recovery included)
 * @param stopTimeout longest wait for an orderly stop before an immediate one
 * @param logLimitBytes size at which the server's log is moved aside; one older log is kept
 * @param sharedBuffersBytes PostgreSQL's {@code shared_buffers}
 * @param maxConnections PostgreSQL's {@code max_connections}
 * @param serverUser account of the server when this program runs as root; made when missing
 */
public record EmbeddedPostgresSettings(
        Path dataFolder,
        Path binariesFolder,
        String database,
        int port,
        boolean durable,
        Duration startTimeout,
        Duration stopTimeout,
        long logLimitBytes,
        long sharedBuffersBytes,
        int maxConnections,
        String serverUser) {

    /** The account of root's server, unless another one is configured. */
    public static final String SERVER_USER = "stillwater-postgres";

    private static final Pattern PLAIN_NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");
    private static final Pattern UNSAFE_IN_DOUBLE_QUOTES = Pattern.compile("[\"$`\\\\\\n\\r]");
    private static final long MIB = 1024 * 1024;
    private static final long SMALLEST_LOG_BYTES = 64 * 1024;
    private static final int LARGEST_PORT = 65_535;

    public EmbeddedPostgresSettings {
        dataFolder = dataFolder.toAbsolutePath().normalize();
        binariesFolder = binariesFolder.toAbsolutePath().normalize();
        requirePlain(dataFolder);
        requirePlain(binariesFolder);
        Objects.requireNonNull(database, "database");
        if (!PLAIN_NAME.matcher(database).matches()) {
            throw new IllegalArgumentException(
                    "database must match " + PLAIN_NAME + ": " + database);
        }
        if (port < 0 || port > LARGEST_PORT) {
            throw new IllegalArgumentException("port must be 0 to 65535: " + port);
        }
        requirePositive(startTimeout, "startTimeout");
        requirePositive(stopTimeout, "stopTimeout");
        if (logLimitBytes < SMALLEST_LOG_BYTES) {
            throw new IllegalArgumentException(
                    "logLimitBytes must be at least 65536: " + logLimitBytes);
        }
        if (sharedBuffersBytes < MIB) {
            throw new IllegalArgumentException(
                    "sharedBuffersBytes must be at least 1 MiB: " + sharedBuffersBytes);
        }
        if (maxConnections < 5) {
            throw new IllegalArgumentException(
                    "maxConnections must be at least 5: " + maxConnections);
        }
        if (!ServerUser.isName(serverUser)) {
            throw new IllegalArgumentException("serverUser must be a user name: " + serverUser);
        }
    }

    /** With the usual account for a server of root's. */
    public EmbeddedPostgresSettings(
            Path dataFolder,
            Path binariesFolder,
            String database,
            int port,
            boolean durable,
            Duration startTimeout,
            Duration stopTimeout,
            long logLimitBytes,
            long sharedBuffersBytes,
            int maxConnections) {
        this(
                dataFolder,
                binariesFolder,
                database,
                port,
                durable,
                startTimeout,
                stopTimeout,
                logLimitBytes,
                sharedBuffersBytes,
                maxConnections,
                SERVER_USER);
    }

    /** The same with another account for a server of root's. */
    public EmbeddedPostgresSettings withServerUser(String user) {
        return new EmbeddedPostgresSettings(
                dataFolder,
                binariesFolder,
                database,
                port,
                durable,
                startTimeout,
                stopTimeout,
                logLimitBytes,
                sharedBuffersBytes,
                maxConnections,
                user);
    }

    /** The defaults: durable, a free port, binaries inside the data folder. */
    public static EmbeddedPostgresSettings in(Path dataFolder) {
        return new EmbeddedPostgresSettings(
                dataFolder,
                dataFolder.resolve("binaries"),
                "stillwater",
                0,
                true,
                Duration.ofSeconds(60),
                Duration.ofSeconds(20),
                8 * MIB,
                128 * MIB,
                50);
    }

    /** The same in another folder, by the same binaries. */
    EmbeddedPostgresSettings withDataFolder(Path folder) {
        return new EmbeddedPostgresSettings(
                folder,
                binariesFolder,
                database,
                port,
                durable,
                startTimeout,
                stopTimeout,
                logLimitBytes,
                sharedBuffersBytes,
                maxConnections,
                serverUser);
    }

    /** The same with another folder for the unpacked binaries. */
    public EmbeddedPostgresSettings withBinariesFolder(Path folder) {
        return new EmbeddedPostgresSettings(
                dataFolder,
                folder,
                database,
                port,
                durable,
                startTimeout,
                stopTimeout,
                logLimitBytes,
                sharedBuffersBytes,
                maxConnections,
                serverUser);
    }

    /** The same on another port; 0 picks a free one. */
    public EmbeddedPostgresSettings withPort(int newPort) {
        return new EmbeddedPostgresSettings(
                dataFolder,
                binariesFolder,
                database,
                newPort,
                durable,
                startTimeout,
                stopTimeout,
                logLimitBytes,
                sharedBuffersBytes,
                maxConnections,
                serverUser);
    }

    /** The same without durability: for disposable test data. */
    public EmbeddedPostgresSettings notDurable() {
        return new EmbeddedPostgresSettings(
                dataFolder,
                binariesFolder,
                database,
                port,
                false,
                startTimeout,
                stopTimeout,
                logLimitBytes,
                sharedBuffersBytes,
                maxConnections,
                serverUser);
    }

    /** PostgreSQL's own tools pass their folders through a shell, in double quotes. */
    private static void requirePlain(Path folder) {
        if (UNSAFE_IN_DOUBLE_QUOTES.matcher(folder.toString()).find()) {
            throw new IllegalArgumentException(
                    "PostgreSQL cannot use a folder with \", $, `, \\ or a line break in its name: "
                            + folder);
        }
    }

    private static void requirePositive(Duration duration, String name) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + " must be positive: " + duration);
        }
    }
}
