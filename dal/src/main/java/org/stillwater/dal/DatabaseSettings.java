package org.stillwater.dal;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to reach PostgreSQL. Immutable; the password is left out of {@link #toString()}.
 *
 * @param jdbcUrl {@code jdbc:postgresql://…}
 * @param user role that works, a member of the monitoring role or the owner of the schema; empty if
 *     the URL names it
 * @param password its password, empty for none or if the URL holds it
 * @param maxConnections connections that the stores use at most; the pool holds one more, for
 *     health checks
 * @param connectTimeout longest wait for a connection, to the server or from the pool
 * @param statementTimeout longest time the server may work on one statement of a store
 * @param networkTimeout longest silence of the server before a connection is given up; more than
 *     statementTimeout
 * @param migration login for migrations, an owner of the schema; null if the working role does
 * @param lock of the database, for the only engine of it
 */
public record DatabaseSettings(
        String jdbcUrl,
        String user,
        String password,
        int maxConnections,
        Duration connectTimeout,
        Duration statementTimeout,
        Duration networkTimeout,
        @Nullable Login migration,
        LockSettings lock) {

    /**
     * How the lock of a database is taken, and how the server finds that its holder's machine is
     * gone. The server knows whole seconds.
     *
     * @param patience how long a start waits for a lock that another holder has
     * @param idle silence of a session after which the server probes its machine
     * @param interval time between two probes
     * @param probes without an answer after which the server ends the session
     */
    public record LockSettings(Duration patience, Duration idle, Duration interval, int probes) {

        /** 5 s; 30 s, then 3 probes every 10 s. */
        public static final LockSettings DEFAULT =
                new LockSettings(
                        Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofSeconds(10), 3);

        public LockSettings {
            if (patience.isNegative()) {
                throw new IllegalArgumentException("patience must not be negative: " + patience);
            }
            requireSeconds(idle, "idle");
            requireSeconds(interval, "interval");
            if (probes < 1) {
                throw new IllegalArgumentException("probes must be at least 1: " + probes);
            }
        }

        /** As options of a connection. */
        String options() {
            return " -c tcp_keepalives_idle=%d -c tcp_keepalives_interval=%d -c tcp_keepalives_count=%d"
                    .formatted(idle.toSeconds(), interval.toSeconds(), probes);
        }
    }

    public DatabaseSettings {
        if (!jdbcUrl.startsWith("jdbc:postgresql:")) {
            throw new IllegalArgumentException("jdbcUrl must start with jdbc:postgresql:");
        }
        if (maxConnections < 1) {
            throw new IllegalArgumentException(
                    "maxConnections must be at least 1: " + maxConnections);
        }
        requireSeconds(connectTimeout, "connectTimeout");
        requireSeconds(statementTimeout, "statementTimeout");
        if (networkTimeout.compareTo(statementTimeout) <= 0) {
            throw new IllegalArgumentException(
                    "networkTimeout must be longer than statementTimeout");
        }
    }

    /** The defaults: 4 connections, 5 s to connect, 30 s for a statement, 40 s of silence. */
    public static DatabaseSettings of(String jdbcUrl, String user, String password) {
        return new DatabaseSettings(
                jdbcUrl,
                user,
                password,
                4,
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                Duration.ofSeconds(40),
                null,
                LockSettings.DEFAULT);
    }

    /** The same with a separate login for migrations. */
    public DatabaseSettings migratedBy(Login owner) {
        return new DatabaseSettings(
                jdbcUrl,
                user,
                password,
                maxConnections,
                connectTimeout,
                statementTimeout,
                networkTimeout,
                owner,
                lock);
    }

    /** The account that works. */
    public Login login() {
        return new Login(user, password);
    }

    /** Without the password, and without the URL's parameters, which may hold one. */
    @Override
    public String toString() {
        int parameters = jdbcUrl.indexOf('?');
        return "DatabaseSettings[jdbcUrl=%s, user=%s, migration=%s, maxConnections=%d, connectTimeout=%s, statementTimeout=%s, networkTimeout=%s]"
                .formatted(
                        parameters < 0 ? jdbcUrl : jdbcUrl.substring(0, parameters),
                        user,
                        migration,
                        maxConnections,
                        connectTimeout,
                        statementTimeout,
                        networkTimeout);
    }

    static void requireSeconds(Duration duration, String name) {
        if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException(name + " must be at least 1 s: " + duration);
        }
    }
}
