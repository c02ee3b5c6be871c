package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Connections to the database, embedded or external.
 *
 * @param maxConnections connections that the stores use at most; the pool holds one more, for
 *     health checks
 * @param connectTimeout longest wait for a connection
 * @param statementTimeout longest time that the server may work on one statement
 * @param networkTimeout longest silence of the server before a connection is closed; more than
 *     statement-timeout
 * @param probeInterval time for which the result of a health check of the database is reused
 * @param lockPatience how long a start waits for an external database that another engine or
 *     program holds
 * @param keepAliveIdle silence of a connection after which PostgreSQL probes the engine's machine,
 *     in whole seconds
 * @param keepAliveInterval time between two probes, in whole seconds
 * @param keepAliveProbes probes without an answer after which PostgreSQL ends the connection and
 *     releases the lock of the database
 */
@ConfigurationProperties("stillwater.database")
public record DatabaseSettings(
        @DefaultValue("4") int maxConnections,
        @DefaultValue("5s") Duration connectTimeout,
        @DefaultValue("30s") Duration statementTimeout,
        @DefaultValue("40s") Duration networkTimeout,
        @DefaultValue("5s") Duration probeInterval,
        @DefaultValue("5s") Duration lockPatience,
        @DefaultValue("30s") Duration keepAliveIdle,
        @DefaultValue("10s") Duration keepAliveInterval,
        @DefaultValue("3") int keepAliveProbes) {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    public DatabaseSettings {
        Checks.number("database.max-connections", maxConnections, 1, 100);
        Checks.duration("database.connect-timeout", connectTimeout, SECOND, HOUR);
        Checks.duration("database.statement-timeout", statementTimeout, SECOND, HOUR);
        Checks.duration(
                "database.network-timeout",
                networkTimeout,
                statementTimeout.plus(SECOND),
                HOUR.multipliedBy(2));
        Checks.duration("database.probe-interval", probeInterval, Duration.ofMillis(10), HOUR);
        Checks.duration("database.lock-patience", lockPatience, Duration.ZERO, HOUR);
        Checks.duration("database.keep-alive-idle", keepAliveIdle, SECOND, HOUR);
        Checks.duration("database.keep-alive-interval", keepAliveInterval, SECOND, HOUR);
        Checks.number("database.keep-alive-probes", keepAliveProbes, 1, 100);
    }
}
