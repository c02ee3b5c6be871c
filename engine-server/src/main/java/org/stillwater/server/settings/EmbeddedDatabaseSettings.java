package org.stillwater.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The PostgreSQL server that the engine runs for itself when {@code spring.datasource.url} names no
 * other one.
 *
 * @param dataFolder folder of the database; default: {@code postgresql} in the engine's data folder
 * @param binariesFolder folder to which the server's programs are unpacked, once per version;
 *     default: {@code binaries} in the database's folder
 * @param port TCP port on 127.0.0.1; 0 takes a free one at every start
 * @param startTimeout longest wait for the server to accept connections, crash recovery included
 * @param stopTimeout longest wait for an orderly stop before an immediate one
 * @param logLimit size at which the server's log is moved aside; one older log is kept
 * @param sharedBuffers memory that the server uses as its cache
 * @param maxConnections connections that the server admits
 * @param user account of the server when the engine runs as root; made when missing
 */
@ConfigurationProperties("stillwater.database.embedded")
public record EmbeddedDatabaseSettings(
        @Nullable Path dataFolder,
        @Nullable Path binariesFolder,
        @DefaultValue("0") int port,
        @DefaultValue("60s") Duration startTimeout,
        @DefaultValue("20s") Duration stopTimeout,
        @DefaultValue("8MB") DataSize logLimit,
        @DefaultValue("128MB") DataSize sharedBuffers,
        @DefaultValue("50") int maxConnections,
        @DefaultValue("stillwater-postgres") String user) {

    private static final Pattern USER = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");

    public EmbeddedDatabaseSettings {
        Checks.number("database.embedded.port", port, 0, 65_535);
        Checks.duration(
                "database.embedded.start-timeout",
                startTimeout,
                Duration.ofSeconds(1),
                Duration.ofHours(1));
        Checks.duration(
                "database.embedded.stop-timeout",
                stopTimeout,
                Duration.ofSeconds(1),
                Duration.ofMinutes(10));
        Checks.size(
                "database.embedded.log-limit",
                logLimit,
                DataSize.ofKilobytes(64),
                DataSize.ofGigabytes(1));
        Checks.size(
                "database.embedded.shared-buffers",
                sharedBuffers,
                DataSize.ofMegabytes(1),
                DataSize.ofGigabytes(64));
        Checks.number("database.embedded.max-connections", maxConnections, 5, 1000);
        Checks.require(
                USER.matcher(user).matches(),
                "database.embedded.user",
                "a user name of at most 32 lower-case letters, digits, _ and -",
                user);
    }
}
