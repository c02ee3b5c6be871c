package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.util.List;
import java.util.stream.Collectors;
import org.stillwater.core.model.SqlType;
import org.stillwater.core.port.StatisticsStore;
import org.stillwater.core.port.WriteOutcome;

/** Samples of VM statistics in PostgreSQL. Thread-safe. */
final class JdbcStatisticsStore implements StatisticsStore {

    private static final Column<Sample> KEY =
            Column.uuid("vm_guid", sample -> sample.vmId().toUuid());

    private static final List<Column<Sample>> COLUMNS =
            List.of(
                    KEY,
                    Column.of("cpu_user", SqlType.DOUBLE, Sample::cpuUserPercent),
                    Column.of("cpu_sys", SqlType.DOUBLE, Sample::cpuSystemPercent),
                    Column.of("elapsed_time", SqlType.BIGINT, Sample::elapsedSeconds),
                    Column.of("usage_cpu_percent", SqlType.SMALLINT, Sample::usageCpuPercent),
                    Column.of("usage_mem_percent", SqlType.SMALLINT, Sample::usageMemoryPercent),
                    Column.of(
                            "usage_network_percent", SqlType.SMALLINT, Sample::usageNetworkPercent),
                    Column.text("disks_usage", Sample::disksUsage),
                    Column.of(
                            "guest_mem_buffered", SqlType.BIGINT, Sample::memoryBufferedKibibytes),
                    Column.of("guest_mem_cached", SqlType.BIGINT, Sample::memoryCachedKibibytes));

    private static final List<Column<Sample>> VALUES = COLUMNS.subList(1, COLUMNS.size());

    /** The join leaves out what was deleted meanwhile; the last condition, what is equal. */
    private static final String DUMP =
            """
            INSERT INTO vm_statistics AS t (%s, _update_date)
            SELECT %s, now()
              FROM %s
              JOIN vm_static USING (vm_guid)
             ORDER BY vm_guid
                ON CONFLICT (vm_guid) DO UPDATE
               SET %s, _update_date = excluded._update_date
             WHERE (%s) IS DISTINCT FROM (%s)
            """
                    .formatted(
                            Column.names(COLUMNS, "", "", ""),
                            Column.names(COLUMNS, "c.", "", ""),
                            Column.unnest(COLUMNS, "c"),
                            VALUES.stream()
                                    .map(column -> column.name() + " = excluded." + column.name())
                                    .collect(Collectors.joining(", ")),
                            Column.names(VALUES, "t.", "", ""),
                            Column.names(VALUES, "excluded.", "", ""));

    private final Transactions transactions;

    JdbcStatisticsStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public WriteOutcome dump(List<Sample> samples) {
        return transactions.write(
                SqlStage.DWH,
                samples,
                Sample::vmId,
                (connection, rows) -> {
                    try (PreparedStatement statement = connection.prepareStatement(DUMP)) {
                        Column.bind(statement, COLUMNS, rows);
                        return statement.executeUpdate();
                    }
                });
    }
}
