package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Partitions and retention where the database's zone has two times a year, and clocks step. */
@DisplayName("Partitions of a database with a changing clock")
class ClockChangesIT {

    private static final String KEEP = "'100 years', '100 years', '100 years'";

    private static List<String> list(TestDatabase database, String query) throws SQLException {
        List<String> all = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET timezone = 'UTC'"); // in which the bounds are printed
            try (ResultSet row = statement.executeQuery(query)) {
                while (row.next()) {
                    all.add(row.getString(1));
                }
            }
        }
        return all;
    }

    private static List<String> partitions(TestDatabase database, String parent)
            throws SQLException {
        return list(
                database,
                """
                SELECT c.relname || ' ' || pg_get_expr(c.relpartbound, c.oid)
                  FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
                 WHERE i.inhparent = '%s'::regclass AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
                 ORDER BY 1
                """
                        .formatted(parent));
    }

    private static TestDatabase of(String zone) throws SQLException {
        TestDatabase database = TestDatabase.migrated();
        for (String role : List.of(database.worker().user(), database.owner().user())) {
            database.execute(
                    "ALTER ROLE %s IN DATABASE %s SET timezone = '%s'"
                            .formatted(
                                    role,
                                    list(database, "SELECT current_database()").getFirst(),
                                    zone));
        }
        database.execute(
                "ALTER DATABASE %s SET timezone = '%s'"
                        .formatted(list(database, "SELECT current_database()").getFirst(), zone));
        return database;
    }

    @ParameterizedTest(name = "DST: {0} {1}")
    @CsvSource({
        "Europe/Berlin, 2026-03-28",
        "Europe/Berlin, 2026-10-24",
        "America/New_York, 2026-03-07",
        "America/New_York, 2026-10-31",
        "Australia/Lord_Howe, 2026-04-04"
    })
    @DisplayName("a DST change makes the same hours, days and weeks as UTC, each once")
    void daylightSavingTime(String zone, String day) throws SQLException {
        try (TestDatabase there = of(zone);
                TestDatabase utc = of("UTC")) {
            for (TestDatabase each : List.of(there, utc)) {
                each.execute(
                        "SELECT maintain_history('%sT12:30Z'::timestamptz, '%sT12:30Z'::timestamptz + interval '47 hours', %s)"
                                .formatted(day, day, KEEP),
                        "SELECT maintain_beliefs('%sT12:30Z'::timestamptz, '%sT12:30Z'::timestamptz + interval '4 days', '100 years')"
                                .formatted(day, day),
                        "SELECT maintain_audit_log('%sT12:30Z'::timestamptz, '%sT12:30Z'::timestamptz + interval '15 days', '2000-01-01Z')"
                                .formatted(day, day));
            }
            for (String parent :
                    List.of(
                            "vm_samples",
                            "vm_hourly",
                            "vm_daily",
                            "vm_belief",
                            "host_belief",
                            "audit_log")) {
                assertThat(partitions(there, parent))
                        .as(parent)
                        .isNotEmpty()
                        .isEqualTo(partitions(utc, parent));
            }
            assertThat(partitions(there, "vm_samples")).hasSize(48);
        }
    }

    @Test
    @DisplayName("a leap second belongs to the next hour and its partition")
    void leapSecond() throws SQLException {
        try (TestDatabase database = TestDatabase.migrated()) {
            database.execute(
                    "SELECT maintain_history('2026-12-31T23:30Z', '2027-01-01T00:30Z', %s)"
                            .formatted(KEEP),
                    "INSERT INTO vm_samples (vm_id, at) VALUES (gen_random_uuid(),"
                            + " '2026-12-31T23:59:59.999Z'), (gen_random_uuid(),"
                            + " '2026-12-31T23:59:60Z')");
            assertThat(list(database, "SELECT tableoid::regclass::text FROM vm_samples ORDER BY 1"))
                    .containsExactly("vm_samples_20261231h23", "vm_samples_20270101h00");
        }
    }

    @Test
    @DisplayName("a clock step forth drops nothing, and a step back makes no partition twice")
    void clockSteps() throws SQLException {
        try (TestDatabase database = TestDatabase.migrated()) {
            String keep = "'1 day', '60 days', '5 years'";
            String now = "date_trunc('hour', clock_timestamp())";
            String maintain = "SELECT maintain_history(%s, %s + interval '2 hours', %s)";
            database.execute(maintain.formatted(now, now, keep));
            List<String> before = partitions(database, "vm_samples");
            assertThat(before).hasSize(3);
            String ahead = "(" + now + " + interval '400 days')";
            database.execute(maintain.formatted(ahead, ahead, keep));
            assertThat(partitions(database, "vm_samples")).containsAll(before).hasSize(6);
            for (int hours : IntStream.of(0, -1, -2).toArray()) {
                String back = "(%s + interval '%d hours')".formatted(now, hours);
                database.execute(maintain.formatted(back, back, keep));
            }
            assertThat(partitions(database, "vm_samples")).containsAll(before).hasSize(8);
        }
    }
}
