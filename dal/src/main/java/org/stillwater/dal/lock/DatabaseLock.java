package org.stillwater.dal.lock;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One engine, or one program that changes data, per database and schema (ADR 95). Thread-safe.
 *
 * <p>Three advisory locks of PostgreSQL, all held by sessions, so that the server releases them
 * with the connection:
 *
 * <ul>
 *   <li><b>owner</b>: exclusive, held by a connection of its own for as long as the engine runs;
 *   <li><b>instance</b>: exclusive, on the same connection and of a random number: it tells whether
 *       the present owner is this one;
 *   <li><b>use</b>: shared, held by every connection of the engine's pools.
 * </ul>
 *
 * <p>A taker first needs <b>use</b> exclusively, then <b>owner</b>, then gives <b>use</b> back. A
 * new connection of a pool first takes <b>use</b>, then looks for the owner. Hence no takeover
 * succeeds while a connection of the former engine can still write, and none of its later
 * connections works after a takeover. A lost connection of the lock is replaced when a pool opens
 * its next connection; until then <b>use</b> protects the engine.
 *
 * <p>No session shows that another engine came and went while this one had none. Each taker
 * therefore writes its random number into {@code database_holder}, and one that takes the lock
 * again reads it first.
 */
public final class DatabaseLock implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DatabaseLock.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The server ends a closed connection a moment later. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    // First numbers of the locks: "Sw", kind. The second one is that of the schema.
    private static final int OWNER = 0x5377_0001;
    private static final int USE = 0x5377_0002;
    private static final int INSTANCE = 0x5377_0003;
    private static final String SCHEMA =
            "(hashtext(coalesce(current_schema()::text, '')) & 2147483647)";

    private static final String TAKE_OWNER =
            "SELECT pg_try_advisory_lock(%d, %s)".formatted(OWNER, SCHEMA);
    private static final String TAKE_USE =
            "SELECT pg_try_advisory_lock(%d, %s)".formatted(USE, SCHEMA);
    private static final String LEAVE_USE =
            "SELECT pg_advisory_unlock(%d, %s)".formatted(USE, SCHEMA);
    private static final String SHARE_USE =
            "SELECT pg_advisory_lock_shared(%d, %s)".formatted(USE, SCHEMA);

    private static final String HAS_TABLE = "SELECT to_regclass('database_holder') IS NOT NULL";

    private static final String LAST_HOLDER =
            """
            SELECT instance, name || ' since ' || to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
              FROM database_holder
            """;

    private final DataSource source;
    private final int instance;
    private final ReentrantLock changing = new ReentrantLock();
    private Connection holding;
    private boolean closed;
    private boolean marked;
    private volatile @Nullable String lost;

    private DatabaseLock(DataSource source, int instance, Connection holding) {
        this.source = source;
        this.instance = instance;
        this.holding = holding;
    }

    /**
     * Takes the lock on a connection of its own.
     *
     * @param source opens that connection, now and after it is lost; its {@code ApplicationName}
     *     names this program to others
     * @param patience how long to wait for another engine or program
     * @throws DatabaseInUse if another engine or program has the database all the time
     * @throws SQLException if the database does not answer
     */
    public static DatabaseLock take(DataSource source, Duration patience) throws SQLException {
        int instance = RANDOM.nextInt(1, Integer.MAX_VALUE);
        Connection connection = source.getConnection();
        boolean taken = false;
        try {
            takeOn(connection, patience);
            markAs(instance, connection);
            DatabaseLock lock = new DatabaseLock(source, instance, connection);
            lock.mark();
            taken = true;
            return lock;
        } finally {
            if (!taken) {
                connection.close();
            }
        }
    }

    /**
     * Takes the lock on a given connection, which holds it until it is closed: for programs that
     * end with their connection.
     *
     * @throws DatabaseInUse if another engine or program has the database, for five seconds
     * @throws SQLException if the database does not answer
     */
    public static void takeOn(Connection connection) throws SQLException {
        takeOn(connection, PATIENCE);
    }

    private static void takeOn(Connection connection, Duration patience) throws SQLException {
        String holder = tryTaking(connection);
        for (long left = patience.dividedBy(BETWEEN_LOOKS); holder != null && left > 0; left--) {
            execute(connection, "SELECT pg_sleep(0.1)");
            holder = tryTaking(connection);
        }
        if (holder != null) {
            throw new DatabaseInUse(holder);
        }
    }

    /** Takes it, or returns the holder. */
    private static @Nullable String tryTaking(Connection connection) throws SQLException {
        if (!isTrue(connection, TAKE_USE)) {
            return described(find(connection, OWNER, 0), find(connection, USE, 0));
        }
        try {
            return isTrue(connection, TAKE_OWNER)
                    ? null
                    : described(find(connection, OWNER, 0), null);
        } finally {
            execute(connection, LEAVE_USE);
        }
    }

    private static String described(@Nullable Holder owner, @Nullable Holder user) {
        Holder named = owner == null ? user : owner;
        return named == null ? "a program that ends now" : named.description();
    }

    private static void markAs(int instance, Connection connection) throws SQLException {
        execute(connection, "SELECT pg_advisory_lock(%d, %d)".formatted(INSTANCE, instance));
    }

    /**
     * Writes that this program has the database, if its schema has a place for that: once more
     * after a migration.
     *
     * @throws SQLException if the database does not answer
     */
    public void mark() throws SQLException {
        changing.lock();
        try {
            if (isTrue(holding, HAS_TABLE)) {
                String mark =
                        """
                        INSERT INTO database_holder (instance, name, since)
                        VALUES (%d, current_setting('application_name'), now())
                            ON CONFLICT (one) DO UPDATE
                           SET instance = excluded.instance, name = excluded.name, since = excluded.since
                        """
                                .formatted(instance);
                withRight("UPDATE", holding, () -> execute(holding, mark));
                marked = true;
            }
        } finally {
            changing.unlock();
        }
    }

    private interface Step {
        void take() throws SQLException;
    }

    /** The rights on tables may be those of the monitoring role, which a login does not inherit. */
    private static void withRight(String right, Connection connection, Step step)
            throws SQLException {
        if (isTrue(
                connection,
                "SELECT has_table_privilege('database_holder', '%s')".formatted(right))) {
            step.take();
            return;
        }
        execute(connection, "SET ROLE stillwater_monitoring");
        try {
            step.take();
        } finally {
            execute(connection, "RESET ROLE");
        }
    }

    /** Null, or the program that took the database after this one; it is gone. */
    private @Nullable String laterHolder(Connection connection) throws SQLException {
        if (!marked) {
            return null;
        }
        if (!isTrue(connection, HAS_TABLE)) {
            return "a restore of an older version";
        }
        String[] found = {"a restore"};
        withRight(
                "SELECT",
                connection,
                () -> {
                    try (Statement statement = connection.createStatement();
                            ResultSet row = statement.executeQuery(LAST_HOLDER)) {
                        if (row.next()) {
                            found[0] = row.getInt(1) == instance ? "" : row.getString(2);
                        }
                    }
                });
        return found[0].isEmpty() ? null : found[0];
    }

    /**
     * Physical connections for the engine's pools: each is refused after another program took the
     * database. The first one after a loss of the lock's connection takes the lock again.
     */
    public DataSource admitting(DataSource physical) {
        return new CheckedConnections(
                physical,
                from -> {
                    requireOwn();
                    Connection connection = from.getConnection();
                    boolean admitted = false;
                    try {
                        admit(connection);
                        admitted = true;
                        return connection;
                    } finally {
                        if (!admitted) {
                            connection.close();
                        }
                    }
                });
    }

    /** Connections of a pool, refused at once and with the reason when the database is lost. */
    public DataSource refusingWhenLost(DataSource pool) {
        return new CheckedConnections(
                pool,
                from -> {
                    requireOwn();
                    return from.getConnection();
                });
    }

    private void requireOwn() throws SQLException {
        String reason = lost;
        if (reason != null) {
            throw new SQLNonTransientConnectionException(reason);
        }
    }

    private void admit(Connection connection) throws SQLException {
        execute(connection, SHARE_USE);
        changing.lock();
        try {
            requireOwn();
            Holder owner = find(connection, OWNER, instance);
            if (owner == null) {
                takeAgain();
            } else if (!owner.isThis()) {
                lose(owner.description());
            }
            requireOwn();
        } finally {
            changing.unlock();
        }
    }

    /**
     * Looks for the owner by a connection of its own, without waiting for a pool's next attempt.
     *
     * @return null, or the sentence that names the program that took the database
     */
    public @Nullable String check() {
        try (Connection connection = source.getConnection()) {
            admit(connection);
        } catch (SQLException e) {
            log.debug("The lock of the database cannot be checked: {}", e.toString());
        }
        return lost;
    }

    /** The caller's connection shares use, so nothing else can take the lock meanwhile. */
    private void takeAgain() throws SQLException {
        if (closed) {
            throw new SQLNonTransientConnectionException("the engine is stopping");
        }
        Connection fresh = source.getConnection();
        boolean taken = false;
        try {
            if (isTrue(fresh, TAKE_OWNER)) {
                String later = laterHolder(fresh);
                if (later == null) {
                    markAs(instance, fresh);
                    taken = true;
                } else {
                    loseTo(
                            "had this database",
                            later,
                            ", because what it knows is old: restart it");
                }
            } else {
                lose(described(find(fresh, OWNER, instance), null));
            }
        } finally {
            if (!taken) {
                fresh.close();
            }
        }
        if (taken) {
            closeQuietly(holding);
            holding = fresh;
            log.info("The connection that locks the database was lost; a new one locks it");
        }
    }

    private void lose(String holder) {
        loseTo("took this database", holder, ": stop one of the two and restart the other");
    }

    private void loseTo(String how, String holder, String remedy) {
        lost =
                "another engine or program %s while this engine had no connection (%s); this engine writes nothing any more%s"
                        .formatted(how, holder, remedy);
        log.error("Database lost: {}", lost);
    }

    /** Null, or the sentence that names the program that took the database. */
    public @Nullable String lost() {
        return lost;
    }

    private record Holder(String description, boolean isThis) {}

    /** Addresses and times of other roles are null for roles without pg_read_all_stats. */
    private static @Nullable Holder find(Connection connection, int lock, int instance)
            throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                """
                                SELECT coalesce(nullif(a.application_name, ''), 'a program')
                                       || coalesce(' from ' || host(a.client_addr), '')
                                       || coalesce(' since ' || to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''),
                                       EXISTS (SELECT FROM pg_locks AS i
                                                WHERE i.pid = l.pid AND i.locktype = 'advisory' AND i.database = l.database
                                                  AND i.classid = %d AND i.objid = %s AND i.objsubid = 2 AND i.granted)
                                  FROM pg_locks AS l
                                  LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
                                 WHERE l.locktype = 'advisory'
                                   AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                                   AND l.classid = %d AND l.objid = %s AND l.objsubid = 2 AND l.granted
                                   AND l.pid <> pg_backend_pid()
                                 ORDER BY l.pid
                                 LIMIT 1
                                """
                                        .formatted(INSTANCE, instance, lock, SCHEMA))) {
            return row.next() ? new Holder(row.getString(1), row.getBoolean(2)) : null;
        }
    }

    private static boolean isTrue(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean _ = statement.execute(sql);
        }
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("A lost connection cannot be closed: {}", e.toString());
        }
    }

    /** Releases the lock; connections that others still have are refused later. Idempotent. */
    @Override
    public void close() {
        changing.lock();
        try {
            closed = true;
            closeQuietly(holding);
        } finally {
            changing.unlock();
        }
    }
}
