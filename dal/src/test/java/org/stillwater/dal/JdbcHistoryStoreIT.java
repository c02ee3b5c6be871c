package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.HistoryStore.Interval;
import org.stillwater.core.store.HistoryStore.Maintenance;
import org.stillwater.core.store.HistoryStore.Recorded;
import org.stillwater.core.store.HistoryStore.Retention;
import org.stillwater.core.store.HistoryStore.Samples;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.contract.HistoryStoreContract;

class JdbcHistoryStoreIT extends HistoryStoreContract {

    private static final Retention DEFAULT =
            new Retention(Duration.ofHours(24), Duration.ofDays(60), Duration.ofDays(1_826));
    private static final UUID VM = new UUID(1, 2);

    private static TestDatabase server;
    private static Database database;

    @BeforeAll
    static void open() throws StoreUnavailable {
        server = TestDatabase.migrated();
        database = server.open();
    }

    @AfterAll
    static void close() {
        database.close();
        server.close();
    }

    @Override
    protected HistoryStore newHistory() {
        try {
            List<String> partitions =
                    list(
                            "SELECT c.oid::regclass FROM pg_inherits JOIN pg_class AS c ON c.oid ="
                                    + " inhrelid WHERE inhparent::regclass::text ~"
                                    + " '^(vm|host)_(samples|hourly|daily)$'");
            List<String> statements = new ArrayList<>(List.of("TRUNCATE history_interval"));
            if (!partitions.isEmpty()) {
                statements.add("DROP TABLE " + String.join(", ", partitions));
            }
            server.execute(statements.toArray(String[]::new));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.history();
    }

    private static List<String> list(String query) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            List<String> values = new ArrayList<>();
            while (row.next()) {
                values.add(row.getString(1));
            }
            return values;
        }
    }

    private static List<String> partitions(String table) throws SQLException {
        return list(
                "SELECT c.relname FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid WHERE"
                        + " inhparent = '%s'::regclass ORDER BY 1".formatted(table));
    }

    @Test
    void theColumnsAreThoseOfTheMetrics() throws SQLException {
        for (Subject subject : Subject.values()) {
            String name = subject == Subject.VM ? "vm" : "host";
            List<String> metrics =
                    HistoryMetric.of(subject).stream().map(HistoryMetric::column).toList();
            assertThat(columns(name + "_samples")).isEqualTo(metrics);
            assertThat(columns(name + "_samples_dense")).isEqualTo(metrics);
            List<String> rolledUp = new ArrayList<>();
            metrics.forEach(metric ->
                    rolledUp.addAll(List.of(metric + "_min", metric + "_mean", metric + "_max")));
            metrics.forEach(metric -> rolledUp.add(metric + "_count"));
            assertThat(columns(name + "_hourly")).isEqualTo(rolledUp);
            assertThat(columns(name + "_daily")).isEqualTo(rolledUp);
        }
    }

    /** Without identity and time. */
    private static List<String> columns(String table) throws SQLException {
        return list(
                "SELECT attname FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 2 ORDER BY attnum"
                        .formatted(table));
    }

    @Test
    void partitionsAreMadeForATimeToCome() throws Exception {
        newHistory();
        Instant from = Instant.parse("2026-12-31T22:30:00Z");
        Maintenance made =
                database.history()
                        .maintain(
                                from,
                                from.plus(2, ChronoUnit.HOURS),
                                new Retention(
                                        Duration.ofDays(9_999),
                                        Duration.ofDays(9_999),
                                        Duration.ofDays(9_999)));
        assertThat(made).isEqualTo(new Maintenance(14, 0, 0));
        assertThat(partitions("vm_samples"))
                .containsExactly(
                        "vm_samples_20261231h22",
                        "vm_samples_20261231h23",
                        "vm_samples_20270101h00");
        assertThat(partitions("host_hourly"))
                .containsExactly("host_hourly_202612", "host_hourly_202701");
        assertThat(partitions("host_daily")).containsExactly("host_daily_2026", "host_daily_2027");
        assertThat(
                        database.history()
                                .maintain(from, from.plus(2, ChronoUnit.HOURS), DEFAULT)
                                .created())
                .as("made once")
                .isZero();
    }

    @Test
    void oldHistoryGoesWithItsPartition() throws Exception {
        HistoryStore history = newHistory();
        Instant now = Instant.now().truncatedTo(ChronoUnit.HOURS);
        Retention days = new Retention(Duration.ofDays(9), DEFAULT.hours(), DEFAULT.days());
        history.maintain(now.minus(30, ChronoUnit.HOURS), now.plus(2, ChronoUnit.HOURS), days);
        Instant old = now.minus(26, ChronoUnit.HOURS);
        Instant kept = now.minus(23, ChronoUnit.HOURS);
        for (Instant at : List.of(old, kept)) {
            history.write(
                    new Interval(at, at, at),
                    new Rows().all(VM, Subject.VM, 5),
                    new Rows().all(VM, Subject.HOST, 5));
        }
        Maintenance done = history.maintain(now, now.plus(2, ChronoUnit.HOURS), DEFAULT);
        assertThat(done.dropped())
                .as("hours of VMs and of hosts that ended more than a day ago")
                .isBetween(10, 12);
        assertThat(done.busy()).isZero();
        assertThat(
                        history.read(
                                HistoryMetric.VM_CPU_USAGE,
                                VM,
                                HistoryTier.MINUTE,
                                old.minusSeconds(9),
                                now))
                .containsExactly(HistoryPoint.sample(kept, 5));
        assertThat(list("SELECT at FROM history_interval")).hasSize(1);
    }

    /**
     * As after an outage of the database, or a full disk, that took longer than samples are kept.
     */
    @Test
    void anIntervalThatWaitedForLongerThanItIsKeptFindsItsPartition() throws Exception {
        HistoryStore history = newHistory();
        Instant now = Instant.now().truncatedTo(ChronoUnit.HOURS);
        Instant old = now.minus(30, ChronoUnit.HOURS);
        history.maintain(old, old, DEFAULT);
        assertThat(
                        history.write(
                                new Interval(old, old, old),
                                new Rows().all(VM, Subject.VM, 5),
                                new Rows().all(VM, Subject.HOST, 5)))
                .isEqualTo(HistoryStore.Recorded.NOW);
        assertThat(history.maintain(now, now, DEFAULT).dropped()).isEqualTo(2);
    }

    /** As while the disk is too full: the recorder asks for the oldest interval that waits. */
    @Test
    void oldHistoryGoesWhileAnIntervalWaits() throws Exception {
        HistoryStore history = newHistory();
        Instant now = Instant.now().truncatedTo(ChronoUnit.HOURS);
        Retention days = new Retention(Duration.ofDays(9), DEFAULT.hours(), DEFAULT.days());
        Instant old = now.minus(40, ChronoUnit.HOURS);
        history.maintain(old, old, days);
        history.write(
                new Interval(old, old, old),
                new Rows().all(VM, Subject.VM, 5),
                new Rows().all(VM, Subject.HOST, 5));

        Instant waits = now.minus(30, ChronoUnit.HOURS);
        assertThat(history.maintain(waits, waits, DEFAULT).dropped()).isEqualTo(2);
        assertThat(list("SELECT at FROM history_interval")).isEmpty();
    }

    /** As with {@code stillwater.history.store.minutes} longer than {@code …hours}. */
    @Test
    void samplesThatOutliveTheirHoursAndDaysHoldNoRollUpUp() throws Exception {
        HistoryStore history = newHistory();
        Instant today = Instant.now().truncatedTo(ChronoUnit.DAYS);
        Instant old = today.minus(500, ChronoUnit.DAYS);
        history.maintain(old, old, LONG);
        history.write(
                new Interval(old, old, old),
                new Rows().all(VM, Subject.VM, 5),
                new Rows().all(VM, Subject.HOST, 5));
        assertThat(history.rollUp(old.plus(2, ChronoUnit.DAYS)))
                .isEqualTo(new HistoryStore.RolledUp(1, 1));

        Instant yesterday = today.minus(1, ChronoUnit.DAYS);
        Retention outlived = new Retention(LONG.minutes(), Duration.ofDays(1), Duration.ofDays(1));
        assertThat(history.maintain(yesterday, yesterday, outlived).dropped())
                .as("the hours and days of VMs and of hosts")
                .isEqualTo(4);
        history.write(
                new Interval(yesterday, yesterday, yesterday),
                new Rows().all(VM, Subject.VM, 7),
                new Rows().all(VM, Subject.HOST, 7));
        assertThat(history.rollUp(today)).isEqualTo(new HistoryStore.RolledUp(1, 1));
        assertThat(history.read(HistoryMetric.VM_CPU_USAGE, VM, HistoryTier.DAY, old, today))
                .containsExactly(new HistoryPoint(yesterday, 7, 7, 7, 1));
        assertThat(history.rollUp(today)).isEqualTo(new HistoryStore.RolledUp(0, 0));
    }

    /** As after a stop of weeks, or with a much shorter retention. */
    @Test
    void howeverMuchIsTooOldATransactionDropsAFewTablesOnly() throws Exception {
        HistoryStore history = newHistory();
        Instant now = Instant.now().truncatedTo(ChronoUnit.HOURS);
        Retention days = new Retention(Duration.ofDays(9), DEFAULT.hours(), DEFAULT.days());
        Instant old = now.minus(90, ChronoUnit.HOURS);
        history.maintain(old, old.plus(60, ChronoUnit.HOURS), days);
        try (Connection owner = server.connect();
                Statement statement = owner.createStatement()) {
            owner.setAutoCommit(false);
            try (ResultSet row =
                    statement.executeQuery(
                            "SELECT dropped FROM maintain_history(now(), now(), '24 h', '60 days',"
                                    + " '60 days')")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(Transactions.PartitionDrops.MOST);
            }
            owner.rollback();
        }
        assertThat(history.maintain(now, now, DEFAULT).dropped()).isEqualTo(122);
        assertThat(partitions("vm_samples")).hasSize(1);
    }

    /** An engine whose clock is ahead makes partitions there; only the server's clock drops any. */
    @Test
    void theServersClockDecidesAboutRetention() throws Exception {
        HistoryStore history = newHistory();
        Instant now = Instant.now();
        history.maintain(now, now, DEFAULT);
        Instant ahead = now.plus(9, ChronoUnit.DAYS);
        assertThat(history.maintain(ahead, ahead, DEFAULT).dropped()).isZero();
        try {
            server.execute(clock("now() + interval '9 days'"));
            assertThat(history.maintain(ahead, ahead, DEFAULT).dropped())
                    .as("the hour of before, of VMs and of hosts")
                    .isEqualTo(2);
        } finally {
            server.execute(clock("now()"));
        }
    }

    private static String clock(String now) {
        return "CREATE OR REPLACE FUNCTION retention_clock() RETURNS timestamptz LANGUAGE sql"
                + " STABLE"
                + " AS 'SELECT %s'".formatted(now.replace("'", "''"));
    }

    @Test
    void aPartitionThatIsBeingReadStaysForTheNextTime() throws Exception {
        HistoryStore history = newHistory();
        Instant now = Instant.now();
        Retention days = new Retention(Duration.ofDays(9), DEFAULT.hours(), DEFAULT.days());
        Instant old = now.minus(40, ChronoUnit.HOURS);
        history.maintain(old, old, days);
        try (Connection reader = server.connect();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.executeQuery("SELECT count(*) FROM vm_samples").close();
            Maintenance kept = history.maintain(now, now, DEFAULT);
            assertThat(kept.busy()).isEqualTo(1);
            assertThat(kept.dropped()).as("that of hosts").isEqualTo(1);
            reader.rollback();
        }
        assertThat(history.maintain(now, now, DEFAULT)).isEqualTo(new Maintenance(0, 1, 0));
    }

    @Test
    void theEnginesRoleCanNeitherDropNorDelete() throws Exception {
        HistoryStore history = newHistory();
        history.maintain(START, START, LONG);
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (String forbidden :
                    List.of(
                            "DROP TABLE vm_samples",
                            "DROP TABLE vm_samples_20260228h21",
                            "DELETE FROM vm_samples",
                            "UPDATE vm_samples SET cpu_usage = 1",
                            "DELETE FROM vm_hourly",
                            "DELETE FROM history_interval",
                            "UPDATE history_interval SET at = now()",
                            "TRUNCATE vm_daily",
                            "CREATE TABLE mine PARTITION OF vm_samples DEFAULT")) {
                assertThatExceptionOfType(SQLException.class)
                        .as(forbidden)
                        .isThrownBy(() -> statement.execute(forbidden))
                        .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42501"));
            }
        }
    }

    @Test
    void retentionHasAMinimum() throws Exception {
        HistoryStore history = newHistory();
        for (Retention tooShort :
                List.of(
                        new Retention(Duration.ofMinutes(59), DEFAULT.hours(), DEFAULT.days()),
                        new Retention(DEFAULT.minutes(), Duration.ofHours(23), DEFAULT.days()),
                        new Retention(DEFAULT.minutes(), DEFAULT.hours(), Duration.ZERO))) {
            assertThatExceptionOfType(StoreUnavailable.class)
                    .isThrownBy(() -> history.maintain(START, START, tooShort))
                    .withMessageContaining("minutes are kept for an hour at least");
        }
        assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(() -> history.maintain(START, START.plus(9, ChronoUnit.DAYS), DEFAULT))
                .withMessageContaining("at most 8 days");
    }

    @Test
    void aStableIntervalIsOneStatementAndOneRow() throws Exception {
        HistoryStore history = newHistory();
        Instant from = Instant.parse("2026-03-01T00:00:00Z");
        history.maintain(from, from, LONG);
        StatementCounts counts = database.statements();
        long statements = counts.statements(SqlStage.HISTORY);
        long rows = counts.rows(SqlStage.HISTORY);
        long commits = counts.commits(SqlStage.HISTORY);
        Interval interval = new Interval(from, from, from);
        history.write(interval, Samples.NONE, Samples.NONE);
        assertThat(counts.statements(SqlStage.HISTORY) - statements).isEqualTo(1);
        assertThat(counts.rows(SqlStage.HISTORY) - rows).isEqualTo(1);
        assertThat(counts.commits(SqlStage.HISTORY) - commits).isEqualTo(1);
        assertThat(list("SELECT at FROM history_interval")).hasSize(1);
        assertThat(list("SELECT vm_id FROM vm_samples")).isEmpty();
    }

    @Test
    void anIntervalIsTwoStatementsForAnyFleet() throws Exception {
        HistoryStore history = newHistory();
        Instant from = Instant.parse("2026-03-01T00:00:00Z");
        history.maintain(from, from, LONG);
        StatementCounts counts = database.statements();
        long statements = counts.statements(SqlStage.HISTORY);
        Interval interval = new Interval(from, from, from);
        history.write(interval, THREE, THREE);
        assertThat(counts.statements(SqlStage.HISTORY) - statements).isEqualTo(2);
        assertThat(
                        list(
                                "SELECT concat_ws(' ', host_id, at AT TIME ZONE 'UTC', cpu_usage,"
                                        + " cpu_user) FROM host_samples ORDER BY 1"))
                .containsExactly(
                        "00000000-0000-0000-0000-000000000001 2026-03-01 00:00:00 0",
                        "00000000-0000-0000-0000-000000000002 2026-03-01 00:00:00 0",
                        "00000000-0000-0000-0000-000000000003 2026-03-01 00:00:00 0");
        assertThat(history.write(interval, THREE, THREE)).isEqualTo(Recorded.BEFORE);
        assertThat(list("SELECT host_id FROM host_samples")).hasSize(3);
    }

    /** Three subjects with their first metric only. */
    private static final Samples THREE =
            new Samples() {
                @Override
                public int size() {
                    return 3;
                }

                @Override
                public long idUpper(int row) {
                    return 0;
                }

                @Override
                public long idLower(int row) {
                    return 3L - row;
                }

                @Override
                public float value(int row, int metric) {
                    return metric == 0 ? 0 : Float.NaN;
                }
            };

    @Test
    void aBatchIsAllOrNothing() throws Exception {
        HistoryStore history = newHistory();
        history.maintain(START, START, LONG);
        Samples breaking =
                new Samples() {
                    @Override
                    public int size() {
                        return 10_000;
                    }

                    @Override
                    public long idUpper(int row) {
                        return row;
                    }

                    @Override
                    public long idLower(int row) {
                        if (row == 9_999) {
                            throw new IllegalStateException("broken in the middle");
                        }
                        return row;
                    }

                    @Override
                    public float value(int row, int metric) {
                        return metric;
                    }
                };
        Interval interval = new Interval(START, START, START);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> history.write(interval, breaking, Samples.NONE));
        assertThat(list("SELECT at FROM history_interval")).isEmpty();
        assertThat(list("SELECT count(*) FROM vm_samples")).containsExactly("0");
        assertThat(history.write(interval, new Rows().all(VM, Subject.VM, 1), Samples.NONE))
                .as("the connection is as good as new")
                .isEqualTo(HistoryStore.Recorded.NOW);
    }

    @Test
    void aMissingPartitionIsReported() throws Exception {
        HistoryStore history = newHistory();
        Instant nowhere = Instant.parse("2031-01-01T00:00:00Z");
        assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(() ->
                        history.write(
                                new Interval(nowhere, nowhere, nowhere),
                                new Rows().all(VM, Subject.VM, 1),
                                Samples.NONE))
                .withMessageContaining("no partition");
    }

    @Test
    void theDenseViewEqualsTheRead() throws Exception {
        HistoryStore history = newHistory();
        history.maintain(START, START.plus(3, ChronoUnit.HOURS), LONG);
        float[] row = new float[HistoryMetric.of(Subject.VM).size()];
        for (int n = 0; n < 150; n++) {
            Instant at = START.plus(n, ChronoUnit.MINUTES);
            int step = n / 20;
            Arrays.fill(row, step % 3 == 2 ? Float.NaN : step);
            Instant base =
                    n < 60
                            ? START
                            : START.plus(n < 77 ? 60 : n < 120 ? 77 : 120, ChronoUnit.MINUTES);
            history.write(
                    new Interval(at, base, START),
                    n % 20 == 0 || at.equals(base) ? new Rows().add(VM, row) : new Rows(),
                    Samples.NONE);
        }
        List<HistoryPoint> read =
                history.read(
                        HistoryMetric.VM_DISK_WRITE,
                        VM,
                        HistoryTier.MINUTE,
                        START,
                        START.plus(4, ChronoUnit.HOURS));
        assertThat(read).hasSize(110);
        assertThat(
                        list(
                                "SELECT at AT TIME ZONE 'UTC' || ' ' || disk_write FROM vm_samples_dense WHERE vm_id = '%s' ORDER BY at"
                                        .formatted(VM)))
                .isEqualTo(
                        read.stream()
                                .map(point ->
                                        point.at().toString().replace('T', ' ').replace("Z", "")
                                                + " "
                                                + (int) point.mean())
                                .toList());
    }

    /**
     * One hour of five thousand VMs would be sorted for each other hour that is kept, otherwise.
     */
    @Test
    void aMinuteOfAllVmsIsReadFromItsHourOnly() throws Exception {
        fourHoursOfManyVms();
        String minute = "at = timestamptz '2026-03-01 02:34Z'";
        assertThat(readPartitions("SELECT * FROM vm_samples_dense WHERE " + minute))
                .containsExactly("vm_samples_20260301h02");
        assertThat(
                        list(
                                "SELECT count(*) || ' ' || sum(cpu_usage) FROM vm_samples_dense"
                                        + " WHERE "
                                        + minute))
                .as("every VM has the row of 02:30")
                .containsExactly("500 " + (500 * 501 / 2 + 500 * 30));
        String range = "vm_samples_between('2026-03-01 01:58Z', '2026-03-01 02:02Z')";
        assertThat(readPartitions("SELECT * FROM " + range))
                .containsExactlyInAnyOrder("vm_samples_20260301h01", "vm_samples_20260301h02");
        assertThat(list("SELECT count(*)::text FROM " + range)).containsExactly("2000");
        assertThat(
                        list(
                                "(SELECT vm_id, at, cpu_usage FROM "
                                        + range
                                        + " EXCEPT SELECT vm_id, at, cpu_usage FROM"
                                        + " vm_samples_dense WHERE at >= timestamptz '2026-03-01"
                                        + " 01:58Z' AND at < timestamptz '2026-03-01 02:02Z')"))
                .isEmpty();
    }

    private void fourHoursOfManyVms() throws Exception {
        newHistory();
        Instant from = Instant.parse("2026-03-01T00:00:00Z");
        database.history().maintain(from, from.plus(4, ChronoUnit.HOURS), LONG);
        server.execute(
                """
                INSERT INTO history_interval
                SELECT 1, t, date_trunc('hour', t, 'UTC'), 'epoch'
                  FROM generate_series(timestamptz '2026-03-01 00:00Z', '2026-03-01 03:59Z', interval '1 minute') AS t
                """,
                """
                INSERT INTO vm_samples (vm_id, at, cpu_usage)
                SELECT md5('v' || n)::uuid, t, n + extract(minute FROM t)
                  FROM generate_series(timestamptz '2026-03-01 00:00Z', '2026-03-01 03:50Z', interval '10 minutes') AS t,
                       generate_series(1, 500) AS n
                """,
                "ANALYZE vm_samples, history_interval");
    }

    @Test
    void oneVmIsReadOnceAnHourAndNotOnceAMinute() throws Exception {
        fourHoursOfManyVms();
        String sql = "SELECT * FROM vm_samples_dense WHERE vm_id = md5('v7')::uuid";
        assertThat(readsOfPartitions(sql)).isEqualTo(4);
        assertThat(list("SELECT at::text FROM (" + sql + ") AS all_of_it")).hasSize(240);
        assertThat(
                        readsOfPartitions(
                                sql
                                        + " AND at >= '2026-03-01 01:10Z'"
                                        + " AND at < '2026-03-01 02:50Z'"))
                .isLessThanOrEqualTo(4);
    }

    /** How often a statement looks into a partition of samples, all of them together. */
    private static int readsOfPartitions(String sql) throws SQLException {
        int reads = 0;
        for (String line : list("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) " + sql)) {
            Matcher loops = LOOPS.matcher(line);
            if (SCANNED.matcher(line).find() && loops.find()) {
                reads += Integer.parseInt(loops.group(1));
            }
        }
        return reads;
    }

    private static final Pattern LOOPS = Pattern.compile("loops=(\\d+)");

    /** The partitions of samples that a statement really looks into. */
    private static Set<String> readPartitions(String sql) throws SQLException {
        Set<String> partitions = new TreeSet<>();
        for (String line : list("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) " + sql)) {
            Matcher scan = SCANNED.matcher(line);
            if (scan.find() && !line.contains("never executed")) {
                partitions.add(scan.group(1));
            }
        }
        return partitions;
    }

    private static final Pattern SCANNED = Pattern.compile("Scan .*?(vm_samples_\\d{8}h\\d{2})\\b");

    @Test
    void oneVmsHourIsReadByIndexFromItsPartition() throws Exception {
        newHistory();
        Instant from = Instant.parse("2026-03-01T00:00:00Z");
        database.history().maintain(from, from.plus(4, ChronoUnit.HOURS), LONG);
        server.execute(
                """
                INSERT INTO history_interval
                SELECT 1, t, date_trunc('hour', t), 'epoch' FROM generate_series(timestamptz '2026-03-01 00:00Z',
                                                                         '2026-03-01 03:59Z', interval '1 minute') AS t
                """,
                """
                INSERT INTO vm_samples (vm_id, at, cpu_usage)
                SELECT md5('v' || n)::uuid, t, n % 100
                  FROM generate_series(timestamptz '2026-03-01 00:00Z', '2026-03-01 03:50Z', interval '10 minutes') AS t,
                       generate_series(1, 5000) AS n
                """,
                "ANALYZE vm_samples, history_interval");
        String sql =
                HistorySql.samples(HistoryMetric.VM_CPU_USAGE)
                        .replaceFirst("\\?", "md5('v7')::uuid")
                        .replaceFirst("\\?", "'2026-03-01 01:10Z'")
                        .replaceFirst("\\?", "'2026-03-01 02:00Z'")
                        .replaceFirst("\\?", "'2026-03-01 02:00Z'")
                        .replaceFirst("\\?", "'2026-03-01 01:10Z'");
        String plan = String.join("\n", list("EXPLAIN (ANALYZE, FORMAT JSON) " + sql));
        assertThat(plan)
                .contains("vm_samples_20260301h01")
                .doesNotContain(
                        "vm_samples_20260301h00",
                        "vm_samples_20260301h02",
                        "vm_samples_20260301h03")
                .doesNotContainPattern(
                        "\"Node Type\": \"Seq Scan\"[^}]*?\"Relation Name\": \"vm_samples");
        assertThat(list(sql)).hasSize(50);
    }

    @Test
    void historyHasConnectionsOfItsOwn() throws Exception {
        database.sizes(); // an earlier test may have ended the others' connections
        database.history().read(HistoryMetric.VM_CPU_USAGE, VM, HistoryTier.DAY, START, START);
        assertThat(
                        list(
                                "SELECT DISTINCT application_name FROM pg_stat_activity WHERE"
                                        + " datname = current_database() AND application_name LIKE"
                                        + " 'stillwater%' ORDER BY 1"))
                .containsExactly("stillwater", "stillwater-history");
    }

    @Test
    void anAbsentDatabaseIsReportedAndComesBack() throws Exception {
        HistoryStore history = newHistory();
        history.maintain(START, START, LONG);
        Interval interval = new Interval(START, START, START);
        try (Database impatient = server.openImpatient()) {
            server.allowConnections(false);
            try {
                server.dropConnections();
                assertThatExceptionOfType(StoreUnavailable.class)
                        .isThrownBy(() ->
                                impatient.history().write(interval, Samples.NONE, Samples.NONE));
            } finally {
                server.allowConnections(true);
            }
            assertThat(impatient.history().write(interval, Samples.NONE, Samples.NONE))
                    .isEqualTo(HistoryStore.Recorded.NOW);
        }
    }
}
