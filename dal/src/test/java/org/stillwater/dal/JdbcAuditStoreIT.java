package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.audit.AuditSeverity;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.AuditStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.AuditStoreContract;

class JdbcAuditStoreIT extends AuditStoreContract {

    private static final Duration FOUR_WEEKS = Duration.ofDays(28);

    private static TestDatabase server;
    private static Database database;

    private final Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);

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
    protected AuditStore emptyLog() {
        try {
            server.execute("TRUNCATE audit_log");
            for (String partition : partitions()) {
                if (!partition.equals("audit_log_default")) {
                    server.execute("DROP TABLE " + partition);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.audit();
    }

    private static AuditEntry entry(long id, Instant at) {
        return AuditEntry.of(
                id, at, AuditEvent.VM_DOWN, Samples.vm(id), "vm", null, null, Map.of());
    }

    private static String partitionOf(Instant at) {
        LocalDate day = LocalDate.ofInstant(at, ZoneOffset.UTC);
        return "audit_log_%04dw%02d"
                .formatted(
                        day.get(IsoFields.WEEK_BASED_YEAR),
                        day.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
    }

    private AuditStore.Maintenance maintain(Duration keep) throws StoreUnavailable {
        return database.audit().maintain(now, now.plus(FOUR_WEEKS), now.minus(keep));
    }

    @Test
    void oneWeekIsOnePartitionMadeAheadOnce() throws Exception {
        assertThat(maintain(Duration.ofDays(30))).isEqualTo(new AuditStore.Maintenance(5, 0));
        Set<String> expected = new TreeSet<>(Set.of("audit_log_default"));
        for (int week = 0; week <= 4; week++) {
            expected.add(partitionOf(now.plus(Duration.ofDays(7L * week))));
        }
        assertThat(partitions()).isEqualTo(expected);
        assertThat(maintain(Duration.ofDays(30))).isEqualTo(new AuditStore.Maintenance(0, 0));

        database.audit().append(List.of(entry(1, now), entry(2, now.plus(FOUR_WEEKS))));
        assertThat(list("SELECT tableoid::regclass::text FROM audit_log ORDER BY log_time"))
                .containsExactly(partitionOf(now), partitionOf(now.plus(FOUR_WEEKS)));
    }

    @Test
    void entriesOfTheDefaultPartitionMoveToTheirWeek() throws Exception {
        Instant lastWeek = now.minus(Duration.ofDays(7));
        database.audit().append(List.of(entry(1, lastWeek), entry(2, now)));
        assertThat(list("SELECT count(*) FROM audit_log_default")).containsExactly("2");
        assertThat(maintain(Duration.ofDays(30)).created()).isEqualTo(6);
        assertThat(list("SELECT tableoid::regclass::text FROM audit_log ORDER BY log_time"))
                .containsExactly(partitionOf(lastWeek), partitionOf(now));
        assertThat(database.audit().newest(AuditFilter.ANY, null, 10)).hasSize(2);
    }

    @Test
    void aPartitionIsDroppedOnceAllOfItIsTooOld() throws Exception {
        Instant old = now.minus(Duration.ofDays(21));
        database.audit().append(List.of(entry(1, old), entry(2, now)));
        maintain(Duration.ofDays(60));
        assertThat(partitions()).contains(partitionOf(old));
        assertThat(maintain(Duration.ofDays(13))).isEqualTo(new AuditStore.Maintenance(0, 1));
        assertThat(partitions()).doesNotContain(partitionOf(old));
        assertThat(database.audit().newest(AuditFilter.ANY, null, 10))
                .containsExactly(entry(2, now));
    }

    @Test
    void howeverManyWeeksAreTooOldATransactionDropsAFewOnly() throws Exception {
        Instant old = now.minus(Duration.ofDays(7 * 105));
        Instant longAgo = old.minus(Duration.ofDays(1));
        for (Instant from : List.of(old, old.plus(Duration.ofDays(7 * 52)))) {
            database.audit().maintain(from, from.plus(Duration.ofDays(7 * 51)), longAgo);
        }
        int before = partitions().size();
        assertThat(before).isGreaterThan(Transactions.PartitionDrops.MOST);
        assertThat(
                        list(
                                "SELECT dropped FROM maintain_audit_log(now(), now(), now() - '1"
                                        + " day'::interval)"))
                .containsExactly(Integer.toString(Transactions.PartitionDrops.MOST));
        maintain(Duration.ofDays(1));
        assertThat(partitions()).as("five weeks, and what has none").hasSize(6);
    }

    @Test
    void aFastClockDropsNothing() throws Exception {
        Instant lastMonth = now.minus(Duration.ofDays(21));
        Instant before = now.minus(Duration.ofDays(29));
        database.audit().append(List.of(entry(1, lastMonth)));
        maintain(Duration.ofDays(30));
        database.audit().append(List.of(entry(2, before)));
        Instant ahead = now.plus(Duration.ofDays(300));
        assertThat(
                        database.audit()
                                .maintain(ahead, ahead, ahead.minus(Duration.ofDays(30)))
                                .dropped())
                .isZero();
        assertThat(database.audit().newest(AuditFilter.ANY, null, 10))
                .containsExactly(entry(1, lastMonth), entry(2, before));
    }

    @Test
    void everyPartitionHasTheIndexesOfTheLog() throws Exception {
        maintain(Duration.ofDays(30));
        assertThat(
                        list(
                                """
                                SELECT DISTINCT count(*) FROM pg_index AS x
                                  JOIN pg_inherits AS i ON i.inhrelid = x.indrelid
                                 WHERE i.inhparent = 'audit_log'::regclass GROUP BY x.indrelid
                                """))
                .containsExactly("5");
    }

    @Test
    void theMonitoringRoleAppendsAndReadsAndNothingElse() throws Exception {
        maintain(Duration.ofDays(30));
        database.audit().append(List.of(entry(1, now)));
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (String forbidden :
                    List.of(
                            "UPDATE audit_log SET message = 'x'",
                            "DELETE FROM audit_log",
                            "TRUNCATE audit_log",
                            "DROP TABLE " + partitionOf(now),
                            "SELECT * FROM " + partitionOf(now),
                            "INSERT INTO audit_log_default SELECT * FROM audit_log",
                            "ALTER TABLE audit_log DETACH PARTITION " + partitionOf(now))) {
                assertThatExceptionOfType(SQLException.class)
                        .as(forbidden)
                        .isThrownBy(() -> statement.execute(forbidden))
                        .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42501"));
            }
        }
    }

    @Test
    void maintenanceDropsNoYoungEntriesAndMakesFewTables() {
        assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(() -> maintain(Duration.ofHours(23)))
                .withMessageContaining("last day");
        assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(() ->
                        database.audit()
                                .maintain(
                                        now, now.plus(Duration.ofDays(401)), now.minus(FOUR_WEEKS)))
                .withMessageContaining("400 days");
    }

    @Test
    void anEventOfALaterEngineDoesNotKeepThisOneFromReading() throws Exception {
        database.audit().append(List.of(entry(1, now)));
        server.execute(
                "INSERT INTO audit_log (audit_log_id, log_time, log_type, log_type_name, severity,"
                        + " message) VALUES (2, now(), 424242, 'LATER', 0, 'later')");
        assertThat(database.audit().newest(AuditFilter.ANY, null, 10))
                .containsExactly(entry(1, now));
    }

    @Test
    void everyQuestionIsAnsweredByAnIndexOfEachPartition() throws Exception {
        maintain(Duration.ofDays(30));
        server.execute(
                """
                INSERT INTO audit_log (audit_log_id, log_time, log_type, log_type_name, severity, message, vm_id, vds_id)
                SELECT n, now() - n * interval '1 second', CASE WHEN n % 100 = 0 THEN 119 ELSE 61 END, 'x',
                       CASE WHEN n % 1000 = 0 THEN 2 ELSE 0 END, 'x', md5('v' || n % 500)::uuid, md5('h' || n % 50)::uuid
                  FROM generate_series(1, 60000) AS n
                """);
        maintain(Duration.ofDays(30));
        server.execute("ANALYZE audit_log");
        VmId vm = VmId.parse("9dd4e461-268c-8034-f5c8-564e155c67a6");
        Map<String, AuditFilter> questions =
                Map.of(
                        "pkey",
                        AuditFilter.ANY,
                        "vm_id",
                        new AuditFilter(vm, null, AuditSeverity.NORMAL, null, null, null),
                        "vds_id",
                        new AuditFilter(
                                null,
                                new HostId(vm.toUuid()),
                                AuditSeverity.NORMAL,
                                null,
                                null,
                                null),
                        "log_type",
                        new AuditFilter(
                                null,
                                null,
                                AuditSeverity.NORMAL,
                                AuditEvent.VM_DOWN_ERROR,
                                null,
                                null));
        for (Map.Entry<String, AuditFilter> question : questions.entrySet()) {
            String plan = plan(JdbcAuditStore.sql(question.getValue(), null));
            assertThat(plan).as(question.getKey()).contains(question.getKey());
            assertThat(all(plan, "Seq Scan on (audit_log_\\S+)"))
                    .as(question.getKey() + "\n" + plan)
                    .doesNotContain(partitionOf(now.minusSeconds(30_000)));
        }
    }

    /** The plan with every parameter given as the engine would. */
    private static String plan(String sql) throws SQLException {
        String bound =
                sql.replaceFirst("ANY \\(\\?\\)", "ANY (ARRAY[61, 119])")
                        .replaceFirst("log_type = \\?", "log_type = 119")
                        .replaceFirst("vm_id = \\?", "vm_id = md5('v7')::uuid")
                        .replaceFirst("vds_id = \\?", "vds_id = md5('h7')::uuid")
                        .replaceFirst("LIMIT \\?", "LIMIT 100");
        return String.join("\n", list("EXPLAIN " + bound));
    }

    private static Set<String> partitions() throws SQLException {
        return new TreeSet<>(
                list(
                        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent ="
                                + " 'audit_log'::regclass"));
    }

    private static Set<String> all(String text, String pattern) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    private static List<String> list(String query) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }
}
