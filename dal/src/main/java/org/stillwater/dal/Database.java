package org.stillwater.dal;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.XapiPoolStore;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.secret.SecretStore;
import org.stillwater.core.store.AlertStore;
import org.stillwater.core.store.AuditStore;
import org.stillwater.core.store.BeliefStore;
import org.stillwater.core.store.BenchmarkStore;
import org.stillwater.core.store.ConfigurationStore;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DiskPlaces;
import org.stillwater.core.store.FindingStore;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.Stores;
import org.stillwater.core.store.TagStore;
import org.stillwater.core.store.UserStore;
import org.stillwater.core.store.VmStore;
import org.stillwater.dal.lock.DatabaseInUse;
import org.stillwater.dal.lock.DatabaseLock;

/**
 * The engine's database: migrated, pooled, counted. Thread-safe.
 *
 * <p>Migrations run as the owner of the schema, by a separate login if one is configured; its
 * connections are closed afterwards. All later statements run under the monitoring role, which can
 * write only monitoring's columns, if the server allows the working login to take that role.
 *
 * <p>It is long because each store has a method of its own.
 */
public final class Database implements AutoCloseable {

    private final HikariDataSource pool;
    private final HikariDataSource historyPool;
    private final @Nullable DatabaseLock lock;
    private final CountingDataSource dataSource;
    private final Stores stores;
    private final ConfigurationStore configurations;
    private final OperationStore operations;
    private final DefinitionStore definitions;
    private final PoolStore pools;
    private final XapiPoolStore xapiPools;
    private final TagStore tags;
    private final UserStore users;
    private final SecretStore secrets;
    private final BeliefStore beliefs;
    private final FindingStore findings;
    private final BenchmarkStore benchmarks;
    private final AlertStore alerts;
    private final DiskPlaces diskPlaces;
    private final SeriesPointStore seriesPoints;
    private final UnreadableRows unreadable;

    private Database(
            HikariDataSource pool,
            int concurrent,
            HikariDataSource historyPool,
            int readers,
            SecretBox box,
            @Nullable DatabaseLock lock) {
        this.pool = pool;
        this.historyPool = historyPool;
        this.lock = lock;
        this.dataSource = new CountingDataSource(checked(lock, pool));
        Transactions transactions = new Transactions(dataSource, concurrent);
        this.unreadable = transactions.unreadable();
        this.tags = new JdbcTagStore(transactions);
        this.stores =
                new Stores(
                        new JdbcHostStore(transactions),
                        new JdbcVmStore(transactions),
                        new JdbcDeviceStore(transactions),
                        new JdbcExternalDataStore(transactions),
                        new JdbcAuditStore(transactions),
                        new JdbcJobStore(transactions),
                        new JdbcLunStore(transactions),
                        new JdbcNumaStore(transactions),
                        new JdbcStatisticsStore(transactions),
                        new JdbcClusterStore(transactions),
                        new JdbcHistoryStore(
                                new CountingDataSource(checked(lock, historyPool), dataSource),
                                readers),
                        tags);
        this.configurations = new JdbcConfigurationStore(transactions);
        this.operations = new JdbcOperationStore(transactions);
        FenceAgentRows agents = new FenceAgentRows(transactions, box);
        this.definitions = new JdbcDefinitionStore(transactions, agents);
        JdbcXapiPoolStore ofXapi = new JdbcXapiPoolStore(transactions, box);
        this.xapiPools = ofXapi;
        this.secrets = new SealedRows(transactions, box, agents, ofXapi);
        this.pools = new JdbcPoolStore(transactions);
        this.users = new JdbcUserStore(transactions);
        this.beliefs = new JdbcBeliefStore(transactions);
        this.findings = new JdbcFindingStore(transactions);
        this.alerts = new JdbcAlertStore(transactions);
        this.benchmarks = new JdbcBenchmarkStore(transactions);
        this.diskPlaces = new JdbcDiskPlaces(transactions);
        this.seriesPoints = new JdbcSeriesPointStore(transactions);
    }

    /** Like {@link #open(DatabaseSettings, HistoryPoolSettings)}, with history's defaults. */
    public static Database open(DatabaseSettings settings) throws StoreUnavailable {
        return open(settings, HistoryPoolSettings.DEFAULT);
    }

    /**
     * Migrates the schema and opens the pools.
     *
     * @throws StoreUnavailable if the database cannot be reached or migrated now; no connection
     *     stays open
     * @throws SchemaOutdated if the schema is older and no login may change it; no connection stays
     *     open
     */
    public static Database open(DatabaseSettings settings, HistoryPoolSettings history)
            throws StoreUnavailable {
        return open(settings, history, new NoKey());
    }

    /**
     * Migrates the schema and opens the pools.
     *
     * @param box encrypts and decrypts secrets
     * @throws StoreUnavailable if the database cannot be reached or migrated now; no connection
     *     stays open
     * @throws SchemaOutdated if the schema is older and no login may change it; no connection stays
     *     open
     */
    public static Database open(
            DatabaseSettings settings, HistoryPoolSettings history, SecretBox box)
            throws StoreUnavailable {
        return open(settings, history, box, (DatabaseLock) null);
    }

    /**
     * Like {@link #open}, for the only engine of a database: takes its lock before the schema is
     * migrated, and holds it until the end.
     *
     * @param name of this program, for an engine that finds the lock taken
     * @throws DatabaseInUse if another engine or program has the database; no connection stays open
     * @throws StoreUnavailable if the database cannot be reached or migrated now; no connection
     *     stays open
     * @throws SchemaOutdated if the schema is older and no login may change it; no connection stays
     *     open
     */
    public static Database openAlone(
            DatabaseSettings settings, HistoryPoolSettings history, SecretBox box, String name)
            throws StoreUnavailable {
        DatabaseLock lock = lock(settings, name);
        boolean opened = false;
        try {
            Database database = open(settings, history, box, lock);
            opened = true;
            return database;
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    /**
     * Takes the lock of a database for a program that changes it.
     *
     * @param name of the program, for an engine that finds the lock taken
     * @throws DatabaseInUse if an engine or another program has the database
     * @throws StoreUnavailable if the database cannot be reached
     */
    public static DatabaseLock lock(DatabaseSettings settings, String name)
            throws StoreUnavailable {
        Properties properties =
                Schema.properties(
                        settings,
                        name,
                        settings.connectTimeout(),
                        settings.statementTimeout(),
                        settings.networkTimeout());
        // The connection is idle for as long as the engine runs.
        properties.setProperty(
                "options", properties.getProperty("options") + " -c idle_session_timeout=0");
        try {
            return DatabaseLock.take(
                    new DriverDataSource(settings.jdbcUrl(), null, properties, null, null),
                    settings.lock().patience());
        } catch (SQLException e) {
            throw SqlFailures.unavailable(e);
        }
    }

    private static DataSource checked(@Nullable DatabaseLock lock, DataSource pool) {
        return lock == null ? pool : lock.refusingWhenLost(pool);
    }

    private static Database open(
            DatabaseSettings settings,
            HistoryPoolSettings history,
            SecretBox box,
            @Nullable DatabaseLock lock)
            throws StoreUnavailable {
        Schema.prepare(settings);
        if (lock != null) {
            try {
                lock.mark(); // the table may be new
            } catch (SQLException e) {
                throw SqlFailures.unavailable(e);
            }
        }
        boolean restricted = Schema.mayTakeMonitoringRole(settings);
        HikariDataSource pool =
                pool(
                        settings,
                        "stillwater",
                        settings.maxConnections() + 1,
                        settings.connectTimeout(),
                        settings.statementTimeout(),
                        settings.networkTimeout(),
                        restricted,
                        lock);
        HikariDataSource historyPool =
                pool(
                        settings,
                        "stillwater-history",
                        history.readers() + 1,
                        history.connectTimeout(),
                        history.statementTimeout(),
                        history.networkTimeout(),
                        restricted,
                        lock);
        return new Database(
                pool, settings.maxConnections(), historyPool, history.readers(), box, lock);
    }

    /** For programs without secrets: it refuses secrets and never stores them readable. */
    private static final class NoKey implements SecretBox {

        @Override
        public String seal(String text, String context) {
            throw new Unusable("this program has no key");
        }

        @Override
        public String open(String envelope, String context) {
            throw new Unusable("this program has no key");
        }

        @Override
        public String newestKey() {
            throw new Unusable("this program has no key");
        }

        @Override
        public String keyOf(String envelope) {
            return "unknown";
        }
    }

    /** Brings the schema up to date without opening a pool. */
    static void migrate(DatabaseSettings settings) throws StoreUnavailable {
        Schema.migrate(settings);
    }

    /** A pool of that many connections, which the server lists under the pool's name. */
    private static HikariDataSource pool(
            DatabaseSettings settings,
            String name,
            int size,
            Duration connectTimeout,
            Duration statementTimeout,
            Duration networkTimeout,
            boolean restricted,
            @Nullable DatabaseLock lock) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        Properties properties =
                Schema.properties(settings, name, connectTimeout, statementTimeout, networkTimeout);
        if (lock == null) {
            config.setJdbcUrl(settings.jdbcUrl());
            config.setDataSourceProperties(properties);
        } else {
            config.setDataSource(
                    lock.admitting(
                            new DriverDataSource(
                                    settings.jdbcUrl(), null, properties, null, null)));
        }
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(connectTimeout.toMillis());
        config.setValidationTimeout(Math.min(connectTimeout.toMillis(), 5_000));
        // The database may go away and come back; the pool must not refuse to exist meanwhile.
        config.setInitializationFailTimeout(-1);
        if (restricted) {
            config.setConnectionInitSql("SET ROLE " + Schema.MONITORING_ROLE);
        }
        return new HikariDataSource(config);
    }

    /** Every store. */
    public Stores stores() {
        return stores;
    }

    /** Durable state of VMs. */
    public VmStore vms() {
        return stores.vms();
    }

    /** Audit events. */
    public AuditStore audit() {
        return stores.audit();
    }

    /** Durable history. */
    public HistoryStore history() {
        return stores.history();
    }

    /** Durable state of hosts. */
    public HostStore hosts() {
        return stores.hosts();
    }

    /** How VMs and hosts were defined from time to time. */
    public ConfigurationStore configurations() {
        return configurations;
    }

    /** Durable operations. */
    public OperationStore operations() {
        return operations;
    }

    /** Definitions of VMs in full. */
    public DefinitionStore definitions() {
        return definitions;
    }

    /** Durable pools of VMs. */
    public PoolStore pools() {
        return pools;
    }

    /** Durable XAPI pools that users added. */
    public XapiPoolStore xapiPools() {
        return xapiPools;
    }

    /** Tags of VMs and hosts. */
    public TagStore tags() {
        return tags;
    }

    /** Durable users and tokens. */
    public UserStore users() {
        return users;
    }

    /** Transitions of VMs and hosts. */
    public BeliefStore beliefs() {
        return beliefs;
    }

    /** Alert rules, silences and alerts. */
    public AlertStore alerts() {
        return alerts;
    }

    /** Findings of regressions. */
    public FindingStore findings() {
        return findings;
    }

    /** Runs of the benchmark of disks. */
    public BenchmarkStore benchmarks() {
        return benchmarks;
    }

    /** Storage domains of disks. */
    public DiskPlaces diskPlaces() {
        return diskPlaces;
    }

    /** Points of the series in which regressions are searched. */
    public SeriesPointStore seriesPoints() {
        return seriesPoints;
    }

    /** Which keys stored secrets are encrypted with. */
    public SecretStore secrets() {
        return secrets;
    }

    /**
     * Rows of pending work, hosts, clusters and external data that this program cannot read, or not
     * in full, with the reasons. Those of VMs: {@link VmStore#unreadable}.
     */
    public Map<String, String> unreadableRows() {
        return unreadable.all();
    }

    /** Statements sent to the database so far, by stage. */
    public StatementCounts statements() {
        return dataSource.counts();
    }

    /**
     * The counted pool, for meters of the pool and for tests; connections taken here bypass the
     * stores' queue.
     */
    public CountingDataSource dataSource() {
        return dataSource;
    }

    /**
     * Null when the database answers, else one sentence for the operator, which names another
     * engine that took it. Waits at most twice the connect timeout.
     */
    public @Nullable String problem() {
        try (Connection connection = dataSource.getConnection(SqlStage.HEALTH);
                PreparedStatement statement = connection.prepareStatement("SELECT 1");
                ResultSet row = statement.executeQuery()) {
            return row.next() ? null : "the database gave no answer";
        } catch (SQLException e) {
            String taken = lock == null ? null : lock.check();
            return taken == null ? SqlFailures.reason(e) : taken;
        }
    }

    /**
     * Disk space of the database.
     *
     * @throws StoreUnavailable if the database does not answer
     */
    public DatabaseSizes.Sizes sizes() throws StoreUnavailable {
        try (Connection connection = dataSource.getConnection(SqlStage.HEALTH)) {
            return DatabaseSizes.of(connection);
        } catch (SQLException e) {
            throw SqlFailures.unavailable(e);
        }
    }

    /** Closes every connection. Idempotent. */
    @Override
    public void close() {
        historyPool.close();
        pool.close();
        if (lock != null) {
            lock.close();
        }
    }
}
