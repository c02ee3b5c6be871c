package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StatisticsStore.ReaderSigns;
import org.stillwater.core.store.StoreUnavailable;

/** Finding the readers of samples: PostgreSQL counts each reading, by any role and in any way. */
class WarehouseReadersIT {

    private static final String WAREHOUSE = "stillwater_dwh";
    private static final List<String> SAMPLES =
            List.of(
                    "dwh_vm_history_view",
                    "dwh_host_history_view",
                    "dwh_vm_interface_history_view",
                    "dwh_host_interface_history_view",
                    "dwh_vm_disks_history_view");

    private static TestDatabase server;
    private static WarehouseFleet fleet;

    private StatisticsStore store;

    @BeforeAll
    static void open() throws Exception {
        server = TestDatabase.migrated();
        fleet = new WarehouseFleet(server);
    }

    @AfterAll
    static void close() {
        fleet.close();
        server.close();
    }

    @BeforeEach
    void begin() {
        store = fleet.engine().stores().statistics();
        store.show(true);
    }

    private static int rows(String role, String sql) throws SQLException {
        try (Connection connection = server.connectAs(role);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            int rows = 0;
            while (row.next()) {
                rows++;
            }
            return rows;
        }
    }

    private long reads() throws StoreUnavailable {
        return Objects.requireNonNull(store.readerSigns().reads());
    }

    /** A session reports its reads when it ends, or within a second. */
    private void awaitReads(long least) throws StoreUnavailable {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (reads() < least) {
            assertThat(System.nanoTime()).as("reads: %d", reads()).isLessThan(deadline);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyViewOfSamplesCountsItsReadersAndOnlyShownOnesHaveRows(boolean shown)
            throws Exception {
        store.show(shown);
        for (String view : SAMPLES) {
            long before = reads();
            assertThat(rows(WAREHOUSE, "SELECT * FROM " + view) > 0)
                    .as("rows of %s", view)
                    .isEqualTo(shown);
            awaitReads(before + 1);
            before = reads();
            rows(WAREHOUSE, "SELECT 1 FROM " + view + " LIMIT 1");
            awaitReads(before + 1);
        }
    }

    @Test
    void aRoleThatMayReadOneViewAndNothingElseIsFound() throws Exception {
        String role = "reader_" + Long.toUnsignedString(System.nanoTime(), 36);
        server.execute(
                "CREATE ROLE " + role, "GRANT SELECT ON dwh_vm_disks_history_view TO " + role);
        try {
            long before = reads();
            assertThat(rows(role, "SELECT * FROM dwh_vm_disks_history_view")).isPositive();
            awaitReads(before + 1);
        } finally {
            server.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
        }
    }

    @Test
    void aPlanThatIsKeptCountsEachTime() throws Exception {
        long before = reads();
        try (Connection connection = server.connectAs(WAREHOUSE);
                Statement settings = connection.createStatement()) {
            settings.execute("SET plan_cache_mode = force_generic_plan");
            try (PreparedStatement statement =
                    connection.prepareStatement(
                            "SELECT * FROM dwh_vm_history_view WHERE vm_status > ?")) {
                for (int i = 0; i < 10; i++) {
                    statement.setInt(1, -1);
                    try (ResultSet row = statement.executeQuery()) {
                        assertThat(row.next()).isTrue();
                    }
                }
            }
        }
        awaitReads(before + 10);
    }

    @Test
    void aParallelPlanCounts() throws Exception {
        long before = reads();
        try (Connection connection = server.connectAs(WAREHOUSE);
                Statement statement = connection.createStatement()) {
            statement.execute("SET parallel_setup_cost = 0");
            statement.execute("SET parallel_tuple_cost = 0");
            statement.execute("SET min_parallel_table_scan_size = 0");
            try (ResultSet row =
                    statement.executeQuery("SELECT count(*) FROM dwh_vm_history_view")) {
                row.next();
                assertThat(row.getInt(1)).isPositive();
            }
        }
        awaitReads(before + 1);
    }

    @Test
    void aCountThatIsResetStartsAnew() throws Exception {
        rows(WAREHOUSE, "SELECT * FROM dwh_vm_history_view");
        awaitReads(1);
        long before = reads();
        server.execute("SELECT pg_stat_reset()");
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (reads() >= before) {
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
        rows(WAREHOUSE, "SELECT * FROM dwh_vm_history_view");
        awaitReads(1);
    }

    @Test
    void nothingElseIsARead() throws Exception {
        awaitQuiet();
        ReaderSigns before = store.readerSigns();
        rows(WAREHOUSE, "SELECT * FROM dwh_vm_configuration_history_view");
        rows(WAREHOUSE, "EXPLAIN SELECT * FROM dwh_vm_history_view");
        server.execute("ANALYZE dwh_reader_mark");
        store.heartbeat();
        store.dump(List.of(), List.of());
        awaitQuiet();
        assertThat(store.heartbeat()).isEqualTo(before);
    }

    /** Until the sessions of other tests have ended: their reads are counted then. */
    private static void awaitQuiet() throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            int sessions;
            do {
                assertThat(System.nanoTime()).isLessThan(deadline);
                try (ResultSet row =
                        statement.executeQuery(
                                "SELECT count(*) FROM pg_stat_activity WHERE datname ="
                                        + " current_database() AND pid <> pg_backend_pid() AND"
                                        + " application_name NOT LIKE 'stillwater%'")) {
                    row.next();
                    sessions = row.getInt(1);
                }
            } while (sessions > 0);
        }
    }

    @Test
    void rowsOfAWarehouseAreASignToo() throws Exception {
        String before = store.readerSigns().progress();
        try (Connection connection = server.connectAs(WAREHOUSE);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "UPDATE dwh_history_timekeeping SET var_datetime = clock_timestamp() WHERE"
                            + " var_name = 'lastSync'");
        }
        assertThat(store.readerSigns().progress()).isNotEqualTo(before);
    }

    @Test
    void aServerThatDoesNotCountIsRecognized() throws Exception {
        alterDatabase("SET track_counts = off");
        try (Database other = server.open()) {
            assertThat(other.stores().statistics().readerSigns().reads()).isNull();
        } finally {
            alterDatabase("RESET track_counts");
        }
    }

    private static void alterDatabase(String change) throws SQLException {
        server.execute(
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I "
                        + change
                        + "', current_database()); END $$");
    }

    @Test
    void hiddenSamplesCostNothing() throws Exception {
        store.show(false);
        try (Connection connection = server.connectAs(WAREHOUSE);
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT *"
                                        + " FROM dwh_vm_history_view")) {
            StringBuilder plan = new StringBuilder();
            while (row.next()) {
                plan.append(row.getString(1)).append('\n');
            }
            assertThat(plan.toString())
                    .containsPattern("Scan on vm_dynamic[^\n]*never executed")
                    .contains("One-Time Filter");
        }
    }
}
