package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.HistoryStore.Interval;
import org.stillwater.core.store.HistoryStore.Retention;
import org.stillwater.core.store.HistoryStore.RollUps;
import org.stillwater.core.store.HistoryStore.Samples;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;

/**
 * Figures of durable history with 100 000 VMs of which every number changes every minute, the worst
 * there is, on the embedded server, durable as shipped: {@code ./mvnw verify -pl dal -am
 * -Dit.test=HistoryFigures -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false
 * -Dfailsafe.failIfNoSpecifiedTests=false}. No gate, hence no name that the build picks up.
 */
class HistoryFigures {

    private static final int FLEET = 100_000;
    private static final int MINUTES = Integer.getInteger("stillwater.figures.minutes", 6);
    private static final Instant HOUR = Instant.parse("2026-03-01T10:00:00Z");

    private final long[] ids = new Random(1).longs(2 * FLEET).toArray();

    /** All VMs; every number is another one every minute. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Fleet(long[] ids, int minute) implements Samples, RollUps {

        @Override
        public int size() {
            return ids.length / 2;
        }

        @Override
        public long idUpper(int row) {
            return ids[2 * row];
        }

        @Override
        public long idLower(int row) {
            return ids[2 * row + 1];
        }

        @Override
        public float value(int row, int metric) {
            return (row * 31 + metric * 17 + minute * 7) % 100_000 / 8f;
        }

        @Override
        public int count(int row, int metric) {
            return 60;
        }

        @Override
        public float min(int row, int metric) {
            return value(row, metric);
        }

        @Override
        public float mean(int row, int metric) {
            return value(row, metric) + 1;
        }

        @Override
        public float max(int row, int metric) {
            return value(row, metric) + 2;
        }
    }

    @Test
    void figures(@TempDir Path folder) throws Exception {
        EmbeddedPostgresSettings settings =
                EmbeddedPostgresSettings.in(folder.resolve("data"))
                        .withBinariesFolder(Path.of("target/embedded-postgres/binaries"));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings);
                Database database =
                        Database.open(
                                DatabaseSettings.of(
                                        postgres.jdbcUrl(), postgres.user(), postgres.password()));
                Connection connection =
                        DriverManager.getConnection(
                                postgres.jdbcUrl(), postgres.user(), postgres.password())) {
            measure(database.history(), connection);
        }
    }

    private void measure(HistoryStore history, Connection connection) throws Exception {
        System.out.printf(
                "%s, %d cores%n",
                System.getProperty("java.vm.version"), Runtime.getRuntime().availableProcessors());
        Retention all =
                new Retention(
                        Duration.ofDays(9_999), Duration.ofDays(9_999), Duration.ofDays(9_999));
        history.maintain(HOUR, HOUR.plus(3, ChronoUnit.HOURS), all);
        for (int minute = 0; minute < MINUTES; minute++) {
            Instant at = HOUR.plus(minute, ChronoUnit.MINUTES);
            long wal = wal(connection);
            double processor = processorSeconds(connection);
            long begin = System.nanoTime();
            history.write(new Interval(at, HOUR, HOUR), new Fleet(ids, minute), Samples.NONE);
            told("minute %d of %d changed VMs".formatted(minute, FLEET), begin, FLEET);
            System.out.printf(
                    Locale.ROOT,
                    "  %.2f s of the server's processor%n",
                    processorSeconds(connection) - processor);
            System.out.printf(
                    Locale.ROOT,
                    "  WAL %.0f bytes per row%n",
                    (wal(connection) - wal) / (double) FLEET);
        }
        size(connection, "vm_samples_20260301h10", FLEET * (double) MINUTES);

        long begin = System.nanoTime();
        int[] parts = new int[1];
        history.readPart(HOUR, HOUR.plus(1, ChronoUnit.HOURS), (_, _, _, _, _, _, _) -> parts[0]++);
        told("restoring the hour of its samples", begin, FLEET * MINUTES);
        assertThat(parts[0]).isEqualTo(FLEET * 12);

        begin = System.nanoTime();
        Instant next = HOUR.plus(1, ChronoUnit.HOURS);
        history.writeHour(
                new Interval(next, next, HOUR), new Fleet(ids, 1), new Fleet(new long[0], 1));
        told("closing an hour from memory", begin, FLEET);
        size(connection, "vm_hourly_202603", FLEET);

        begin = System.nanoTime();
        history.rollUp(HOUR.plus(1, ChronoUnit.HOURS));
        told("computing an hour from its samples", begin, FLEET * MINUTES);
        begin = System.nanoTime();
        history.rollUp(HOUR.plus(1, ChronoUnit.DAYS));
        told("computing a day of 2 hours", begin, FLEET);
        size(connection, "vm_daily_2026", FLEET);

        UUID vm = new UUID(ids[0], ids[1]);
        for (HistoryTier tier : HistoryTier.values()) {
            begin = System.nanoTime();
            int points =
                    history.read(
                                    HistoryMetric.VM_CPU_USAGE,
                                    vm,
                                    tier,
                                    HOUR.minus(1, ChronoUnit.DAYS),
                                    HOUR.plus(1, ChronoUnit.DAYS))
                            .size();
            told("reading %d points of one VM (%s)".formatted(points, tier), begin, points);
        }
    }

    private static void told(String what, long begin, int rows) {
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(Locale.ROOT, "%s: %.3f s, %.0f rows/s%n", what, seconds, rows / seconds);
    }

    /**
     * Processor time of the server process that writes history, which other work on the machine
     * does not lengthen.
     */
    private static double processorSeconds(Connection connection) throws Exception {
        List<String> processes = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT pid FROM pg_stat_activity WHERE application_name ="
                                        + " 'stillwater-history'")) {
            while (row.next()) {
                processes.add(row.getString(1));
            }
        }
        long ticks = 0;
        for (String process : processes) {
            String[] fields = Files.readString(Path.of("/proc", process, "stat")).split(" ");
            ticks += Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
        }
        return ticks / 100.0;
    }

    private static long wal(Connection connection) throws SQLException {
        return number(connection, "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn");
    }

    private static void size(Connection connection, String table, double rows) throws SQLException {
        System.out.printf(
                Locale.ROOT,
                "%s: %.0f bytes per row, and %.0f of index%n",
                table,
                number(connection, "SELECT pg_table_size('" + table + "')") / rows,
                number(connection, "SELECT pg_indexes_size('" + table + "')") / rows);
    }

    private static long number(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
