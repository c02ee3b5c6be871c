package org.stillwater.dal;

import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.StoreUnavailable;

/**
 * History in PostgreSQL: a batch is one transaction that notes the interval first, so that the same
 * batch again finds it noted, and then brings the rows by {@code COPY}; samples of hosts, which are
 * few beside those of VMs, come with the note. Thread-safe; one caller writes at a time, and
 * readers never keep it from a connection.
 *
 * <p>It is long because samples, hours and days share their columns, and each statement stands
 * beside the code that binds it.
 */
final class JdbcHistoryStore implements HistoryStore {

    /** Rows that the driver holds at a time while a large answer is read. */
    private static final int FETCH = 1_000;

    /**
     * How much of a table one statement works on. The largest hour, 100 000 VMs of which every
     * number changes every minute, has 700 MiB: in one statement that is a sort of minutes, which
     * runs into the time-out; this size takes a second or two.
     */
    private static final long SLICE_BYTES = 16L * 1024 * 1024;

    private static final int MOST_SLICES = 256;

    private final CountingDataSource counted;
    private final Transactions writing;
    private final Transactions reading;

    /**
     * History on its own pool.
     *
     * @param dataSource a pool of {@code readers} + 1 connections
     */
    JdbcHistoryStore(CountingDataSource dataSource, int readers) {
        this.counted = dataSource;
        this.writing = new Transactions(dataSource, 1);
        this.reading = new Transactions(dataSource, readers);
    }

    @Override
    public List<HistoryPoint> read(
            HistoryMetric metric, UUID id, HistoryTier tier, Instant from, Instant to)
            throws StoreUnavailable {
        return reading.runOrUnavailable(
                SqlStage.HISTORY,
                connection ->
                        switch (tier) {
                            case MINUTE -> samples(connection, metric, id, from, to);
                            case HOUR -> rollUps(connection, metric, "hourly", id, from, to);
                            case DAY -> rollUps(connection, metric, "daily", id, from, to);
                        });
    }

    private static List<HistoryPoint> samples(
            Connection connection, HistoryMetric metric, UUID id, Instant from, Instant to)
            throws SQLException {
        List<HistoryPoint> points = new ArrayList<>();
        try (PreparedStatement statement =
                connection.prepareStatement(HistorySql.samples(metric))) {
            statement.setObject(1, id);
            statement.setObject(2, time(from));
            statement.setObject(3, time(to));
            statement.setObject(4, time(to));
            statement.setObject(5, time(from));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    points.add(HistoryPoint.sample(at(row), row.getFloat(2)));
                }
            }
        }
        return points;
    }

    private static List<HistoryPoint> rollUps(
            Connection connection,
            HistoryMetric metric,
            String tier,
            UUID id,
            Instant from,
            Instant to)
            throws SQLException {
        List<HistoryPoint> points = new ArrayList<>();
        try (PreparedStatement statement =
                connection.prepareStatement(HistorySql.rollUps(metric, tier))) {
            statement.setObject(1, id);
            statement.setObject(2, time(from));
            statement.setObject(3, time(to));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    points.add(
                            new HistoryPoint(
                                    at(row),
                                    row.getFloat(2),
                                    row.getFloat(3),
                                    row.getFloat(4),
                                    row.getInt(5)));
                }
            }
        }
        return points;
    }

    @Override
    public Recorded write(Interval interval, Samples vms, Samples hosts) throws StoreUnavailable {
        return writing.runOrUnavailable(
                SqlStage.HISTORY,
                connection -> {
                    Recorded recorded =
                            hosts.size() == 0
                                    ? note(connection, HistoryTier.MINUTE, interval)
                                    : noteWith(connection, HistorySql.HOST, interval, hosts);
                    if (recorded == Recorded.NOW) {
                        copy(connection, HistorySql.VM, interval.at(), vms);
                    }
                    return recorded;
                });
    }

    /** The row of an interval of minutes and these samples, or neither. */
    private static Recorded noteWith(
            Connection connection, HistorySql sql, Interval interval, Samples rows)
            throws SQLException {
        UUID[] ids = new UUID[rows.size()];
        try (IdOrder order = IdOrder.of(rows);
                PreparedStatement statement = connection.prepareStatement(sql.noteWithSamples())) {
            for (int i = 0; i < ids.length; i++) {
                int row = order.row(i);
                ids[i] = new UUID(rows.idUpper(row), rows.idLower(row));
            }
            bindNote(statement, HistoryTier.MINUTE, interval);
            statement.setArray(5, connection.createArrayOf("uuid", ids));
            for (int metric = 0; metric < sql.metrics().size(); metric++) {
                @Nullable Float[] values = new @Nullable Float[ids.length];
                for (int i = 0; i < ids.length; i++) {
                    float value = rows.value(order.row(i), metric);
                    values[i] = Float.isNaN(value) ? null : value;
                }
                statement.setArray(6 + metric, connection.createArrayOf("float4", values));
            }
            return statement.executeUpdate() > 0
                    ? Recorded.NOW
                    : noted(connection, HistoryTier.MINUTE, interval);
        }
    }

    /** The interval's own row, which exists only if its rows do. */
    private static Recorded note(Connection connection, HistoryTier tier, Interval interval)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(HistorySql.NOTE)) {
            bindNote(statement, tier, interval);
            if (statement.executeUpdate() == 1) {
                return Recorded.NOW;
            }
        }
        return noted(connection, tier, interval);
    }

    private static void bindNote(PreparedStatement statement, HistoryTier tier, Interval interval)
            throws SQLException {
        statement.setInt(1, tier.code());
        statement.setObject(2, time(interval.at()));
        statement.setObject(3, time(micros(interval.base())));
        statement.setObject(4, time(micros(interval.run())));
    }

    /** The writer of an interval that is noted already. */
    private static Recorded noted(Connection connection, HistoryTier tier, Interval interval)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(HistorySql.NOTED)) {
            statement.setInt(1, tier.code());
            statement.setObject(2, time(interval.at()));
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                                && at(row).equals(micros(interval.base()))
                                && instant(row, 2).equals(micros(interval.run()))
                        ? Recorded.BEFORE
                        : Recorded.BY_ANOTHER;
            }
        }
    }

    private void copy(Connection connection, HistorySql sql, Instant at, Samples rows)
            throws SQLException {
        int size = rows.size();
        if (size == 0) {
            return;
        }
        int metrics = sql.metrics().size();
        long micros = BinaryCopy.micros(at);
        SqlStatementEvent event = new SqlStatementEvent();
        event.begin();
        try (IdOrder order = IdOrder.of(rows);
                BinaryCopy copy = new BinaryCopy(connection, sql.copySamples())) {
            for (int place = 0; place < order.size(); place++) {
                int row = order.row(place);
                copy.row(2 + metrics);
                copy.uuid(rows.idUpper(row), rows.idLower(row));
                copy.time(micros);
                for (int metric = 0; metric < metrics; metric++) {
                    copy.real(rows.value(row, metric));
                }
            }
            counted.copied(SqlStage.HISTORY, sql.copySamples(), copy.finish(), event);
        }
    }

    @Override
    public Recorded writeHour(Interval hour, RollUps vms, RollUps hosts) throws StoreUnavailable {
        return writing.runOrUnavailable(
                SqlStage.HISTORY,
                connection -> {
                    Recorded recorded = note(connection, HistoryTier.HOUR, hour);
                    switch (recorded) {
                        case NOW -> {
                            copy(connection, HistorySql.VM, hour.at(), vms);
                            copy(connection, HistorySql.HOST, hour.at(), hosts);
                        }
                        case BY_ANOTHER -> rollUpHour(connection, hour.at());
                        case BEFORE -> {
                            // an answer was lost; the hour and its day are as they should be
                        }
                    }
                    if (recorded != Recorded.BEFORE) {
                        rollUpDayAnew(connection, hour.at());
                    }
                    return recorded;
                });
    }

    @Override
    public void rollUpHour(Instant hour) throws StoreUnavailable {
        writing.runOrUnavailable(
                SqlStage.HISTORY,
                connection -> {
                    note(connection, HistoryTier.HOUR, new Interval(hour, hour, Instant.EPOCH));
                    rollUpHour(connection, hour);
                    rollUpDayAnew(connection, hour);
                    return true;
                });
    }

    /** A day that is rolled up follows a change of one of its hours. */
    private static void rollUpDayAnew(Connection connection, Instant hour) throws SQLException {
        Instant day = hour.truncatedTo(ChronoUnit.DAYS);
        if (isNoted(connection, HistoryTier.DAY, day)) {
            rollUpDay(connection, day);
        }
    }

    private void copy(Connection connection, HistorySql sql, Instant at, RollUps rows)
            throws SQLException {
        int size = rows.size();
        if (size == 0) {
            return;
        }
        int metrics = sql.metrics().size();
        long micros = BinaryCopy.micros(at);
        SqlStatementEvent event = new SqlStatementEvent();
        event.begin();
        try (IdOrder order = IdOrder.of(rows);
                BinaryCopy copy = new BinaryCopy(connection, sql.copyHours())) {
            for (int place = 0; place < order.size(); place++) {
                int row = order.row(place);
                copy.row(2 + 4 * metrics);
                copy.uuid(rows.idUpper(row), rows.idLower(row));
                copy.time(micros);
                for (int metric = 0; metric < metrics; metric++) {
                    boolean known = rows.count(row, metric) > 0;
                    copy.real(known ? rows.min(row, metric) : Float.NaN);
                    copy.real(known ? rows.mean(row, metric) : Float.NaN);
                    copy.real(known ? rows.max(row, metric) : Float.NaN);
                }
                for (int metric = 0; metric < metrics; metric++) {
                    copy.smallint(rows.count(row, metric));
                }
            }
            counted.copied(SqlStage.HISTORY, sql.copyHours(), copy.finish(), event);
        }
    }

    private static boolean isNoted(Connection connection, HistoryTier tier, Instant at)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(HistorySql.NOTED)) {
            statement.setInt(1, tier.code());
            statement.setObject(2, time(at));
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    @Override
    public void readPart(Instant from, Instant before, PartSink sink) throws StoreUnavailable {
        writing.runOrUnavailable(
                SqlStage.HISTORY,
                connection -> {
                    readPart(connection, HistorySql.VM, from, before, sink);
                    readPart(connection, HistorySql.HOST, from, before, sink);
                    return true;
                });
    }

    private static void readPart(
            Connection connection, HistorySql sql, Instant from, Instant before, PartSink sink)
            throws SQLException {
        List<IdRange> slices = slices(connection, sql.samplesExtent(), from, before);
        try (PreparedStatement statement = connection.prepareStatement(sql.part())) {
            statement.setFetchSize(FETCH);
            bindHour(statement, from, before);
            for (IdRange slice : slices) {
                bind(statement, 5, slice);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        readParts(row, sql, sink);
                    }
                }
            }
        }
    }

    private static void readParts(ResultSet row, HistorySql sql, PartSink sink)
            throws SQLException {
        UUID id = row.getObject(1, UUID.class);
        for (HistoryMetric metric : sql.metrics()) {
            int column = 2 + 4 * metric.index();
            int count = row.getInt(column + 3);
            if (count > 0) {
                sink.part(
                        metric,
                        id.getMostSignificantBits(),
                        id.getLeastSignificantBits(),
                        row.getFloat(column),
                        row.getDouble(column + 1),
                        row.getFloat(column + 2),
                        count);
            }
        }
    }

    /** Ranges that one statement each processes, by the size of the partition. */
    private static List<IdRange> slices(
            Connection connection, String extent, Instant from, Instant before)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(extent)) {
            for (int parameter = 1; parameter <= 5; parameter += 2) {
                statement.setObject(parameter, time(from));
                statement.setObject(parameter + 1, time(before));
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                UUID first = row.getObject(1, UUID.class);
                UUID last = row.getObject(2, UUID.class);
                if (first == null || last == null) {
                    return List.of();
                }
                long slices = Math.min(MOST_SLICES, row.getLong(3) / SLICE_BYTES + 1);
                return IdRange.slices(first, last, (int) slices);
            }
        }
    }

    private static void bindHour(PreparedStatement statement, Instant from, Instant before)
            throws SQLException {
        statement.setObject(1, time(from));
        statement.setObject(2, time(before));
        statement.setObject(3, time(from));
        statement.setObject(4, time(before));
    }

    private static void bind(PreparedStatement statement, int parameter, IdRange slice)
            throws SQLException {
        statement.setObject(parameter, slice.first());
        statement.setObject(parameter + 1, slice.last());
    }

    @Override
    public RolledUp rollUp(Instant before) throws StoreUnavailable {
        List<Instant> hours = open(HistorySql.OPEN_HOURS, before);
        for (Instant hour : hours) {
            rollUp(HistoryTier.HOUR, hour, JdbcHistoryStore::rollUpHour);
        }
        List<Instant> days = open(HistorySql.OPEN_DAYS, before);
        for (Instant day : days) {
            rollUp(HistoryTier.DAY, day, JdbcHistoryStore::rollUpDay);
        }
        return new RolledUp(hours.size(), days.size());
    }

    private List<Instant> open(String sql, Instant before) throws StoreUnavailable {
        return writing.runOrUnavailable(
                SqlStage.HISTORY,
                connection -> {
                    List<Instant> open = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        statement.setObject(1, time(before));
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                open.add(at(row));
                            }
                        }
                    }
                    return open;
                });
    }

    /** Rolls a time up. */
    @FunctionalInterface
    private interface RollUp {
        void on(Connection connection, Instant at) throws SQLException;
    }

    private void rollUp(HistoryTier tier, Instant at, RollUp rollUp) throws StoreUnavailable {
        writing.runOrUnavailable(
                SqlStage.HISTORY,
                connection -> {
                    Recorded noted = note(connection, tier, new Interval(at, at, Instant.EPOCH));
                    if (noted == Recorded.NOW) {
                        rollUp.on(connection, at);
                    }
                    return noted;
                });
    }

    private static void rollUpHour(Connection connection, Instant hour) throws SQLException {
        Instant next = hour.plus(1, ChronoUnit.HOURS);
        for (HistorySql sql : List.of(HistorySql.VM, HistorySql.HOST)) {
            List<IdRange> slices = slices(connection, sql.samplesExtent(), hour, next);
            try (PreparedStatement statement = connection.prepareStatement(sql.rollUpHour())) {
                bindHour(statement, hour, next);
                statement.setObject(7, time(hour));
                for (IdRange slice : slices) {
                    bind(statement, 5, slice);
                    statement.executeUpdate();
                }
            }
        }
    }

    private static void rollUpDay(Connection connection, Instant day) throws SQLException {
        Instant next = day.plus(1, ChronoUnit.DAYS);
        for (HistorySql sql : List.of(HistorySql.VM, HistorySql.HOST)) {
            List<IdRange> slices = slices(connection, sql.hoursExtent(), day, next);
            try (PreparedStatement statement = connection.prepareStatement(sql.rollUpDay())) {
                statement.setObject(1, time(day));
                statement.setObject(2, time(day));
                statement.setObject(3, time(next));
                for (IdRange slice : slices) {
                    bind(statement, 4, slice);
                    statement.executeUpdate();
                }
            }
        }
    }

    @Override
    public Maintenance maintain(Instant from, Instant until, Retention retention)
            throws StoreUnavailable {
        return Transactions.PartitionDrops.untilFew(
                () -> maintainOnce(from, until, retention),
                Maintenance::dropped,
                (before, then) ->
                        new Maintenance(
                                before.created() + then.created(),
                                before.dropped() + then.dropped(),
                                then.busy()));
    }

    private Maintenance maintainOnce(Instant from, Instant until, Retention retention)
            throws StoreUnavailable {
        return writing.runOrUnavailable(
                SqlStage.HISTORY,
                connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(HistorySql.MAINTAIN)) {
                        statement.setObject(1, time(from));
                        statement.setObject(2, time(until));
                        statement.setString(3, interval(retention.minutes()));
                        statement.setString(4, interval(retention.hours()));
                        statement.setString(5, interval(retention.days()));
                        try (ResultSet row = statement.executeQuery()) {
                            row.next();
                            return new Maintenance(row.getInt(1), row.getInt(2), row.getInt(3));
                        }
                    }
                });
    }

    /** In hours, minutes and seconds: PostgreSQL 14 takes no interval of 2^31 seconds. */
    private static String interval(Duration duration) {
        return duration.toString();
    }

    private static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static Instant at(ResultSet row) throws SQLException {
        return instant(row, 1);
    }

    private static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** As the database keeps it. */
    private static Instant micros(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS);
    }

    /**
     * Some identifiers, both ends included, in the order in which the server sorts them. Immutable.
     *
     * @param first the least
     * @param last the largest
     */
    record IdRange(UUID first, UUID last) {

        /**
         * Ranges of equal width that follow each other without a gap and cover from the first to
         * the last; fewer than requested where there are not as many identifiers.
         *
         * @param count 1 or more
         */
        static List<IdRange> slices(UUID first, UUID last, int count) {
            BigInteger from = number(first);
            BigInteger to = number(last);
            BigInteger width =
                    to.subtract(from).divide(BigInteger.valueOf(count)).add(BigInteger.ONE);
            List<IdRange> slices = new ArrayList<>();
            for (BigInteger at = from; at.compareTo(to) <= 0; at = at.add(width)) {
                BigInteger end = at.add(width).subtract(BigInteger.ONE).min(to);
                slices.add(new IdRange(id(at), id(end)));
            }
            return slices;
        }

        private static BigInteger number(UUID id) {
            return new BigInteger(id.toString().replace("-", ""), 16);
        }

        private static UUID id(BigInteger number) {
            return new UUID(number.shiftRight(Long.SIZE).longValue(), number.longValue());
        }
    }
}
