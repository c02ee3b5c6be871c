package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.value.SqlType;
import org.stillwater.core.vm.InterfaceStatus;

/**
 * Samples of statistics in PostgreSQL. Thread-safe.
 *
 * <p>It is long because it has the statements of four tables, each beside its columns.
 */
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

    private static final String DUMP = upsert("vm_statistics", "vm_static", 1, COLUMNS, true);

    private static final List<Column<NicSample>> NIC_COLUMNS =
            List.of(
                    Column.uuid("id", NicSample::id),
                    Column.of("rx_rate", SqlType.DOUBLE, NicSample::receiveRatePercent),
                    Column.of("tx_rate", SqlType.DOUBLE, NicSample::sendRatePercent),
                    Column.of("rx_drop", SqlType.BIGINT, NicSample::receiveDropped),
                    Column.of("tx_drop", SqlType.BIGINT, NicSample::sendDropped),
                    Column.of("rx_total", SqlType.BIGINT, NicSample::receivedBytes),
                    Column.of("tx_total", SqlType.BIGINT, NicSample::sentBytes),
                    Column.of("rx_offset", SqlType.BIGINT, NicSample::receivedOffsetBytes),
                    Column.of("tx_offset", SqlType.BIGINT, NicSample::sentOffsetBytes),
                    Column.of("iface_status", SqlType.SMALLINT, nic -> nic.status().code()),
                    Column.of("sample_time", SqlType.DOUBLE, NicSample::sampleTimeSeconds));

    private static final String DUMP_NICS =
            upsert("vm_interface_statistics", "vm_interface", 1, NIC_COLUMNS, false);

    private static final String REMOVE_NICS =
            removal(
                    "vm_interface_statistics",
                    """
                    SELECT t.ctid, t.id
                      FROM vm_interface AS i
                      JOIN vm_interface_statistics AS t ON t.id = i.id
                     WHERE i.vm_guid = o.id
                    """,
                    NIC_COLUMNS.subList(0, 1));

    /** A disk of a VM with a sample to be written. */
    private record Disk(VmId vmId, DiskSample sample) {}

    private static final List<Column<Disk>> DISK_COLUMNS =
            List.of(
                    Column.uuid("vm_guid", disk -> disk.vmId().toUuid()),
                    Column.uuid("image_id", disk -> disk.sample().imageId()),
                    disk("read_rate", SqlType.BIGINT, DiskSample::readBytesPerSecond),
                    disk("write_rate", SqlType.BIGINT, DiskSample::writeBytesPerSecond),
                    disk("read_ops", SqlType.BIGINT, DiskSample::readOperations),
                    disk("write_ops", SqlType.BIGINT, DiskSample::writeOperations),
                    disk("actual_size", SqlType.BIGINT, DiskSample::actualSizeBytes),
                    disk("read_latency_seconds", SqlType.DOUBLE, DiskSample::readLatencySeconds),
                    disk("write_latency_seconds", SqlType.DOUBLE, DiskSample::writeLatencySeconds),
                    disk("flush_latency_seconds", SqlType.DOUBLE, DiskSample::flushLatencySeconds));

    private static final List<Column<Disk>> DISK_KEY = DISK_COLUMNS.subList(0, 2);

    private static final String DUMP_DISKS =
            upsert("disk_image_dynamic", "vm_static", 2, DISK_COLUMNS, false);

    private static final String REMOVE_DISKS =
            removal(
                    "disk_image_dynamic",
                    """
                    SELECT t.ctid, t.vm_guid, t.image_id
                      FROM disk_image_dynamic AS t
                     WHERE t.vm_guid = o.id
                    """,
                    DISK_KEY);

    private static final List<Column<HostSample>> HOST_COLUMNS = hostColumns();

    private static List<Column<HostSample>> hostColumns() {
        List<Column<HostSample>> columns = new ArrayList<>();
        columns.add(Column.uuid("host_id", sample -> sample.hostId().value()));
        columns.add(usage("usage_cpu_percent", HostUsage::cpuPercent));
        columns.add(usage("usage_mem_percent", HostUsage::memoryPercent));
        columns.add(usage("usage_network_percent", HostUsage::networkPercent));
        columns.addAll(HostFieldColumns.of(HostField.Source.STATISTICS, HostSample::statistics));
        return List.copyOf(columns);
    }

    private static final String DUMP_HOSTS =
            upsert("host_statistics", "host_static", 1, HOST_COLUMNS, true);

    /** An interface of a host with a sample to be written. */
    private record Interface(HostId hostId, String name, HostNicUsage usage) {}

    private static final List<Column<Interface>> INTERFACE_COLUMNS =
            List.of(
                    Column.uuid("host_id", row -> row.hostId().value()),
                    Column.text("name", Interface::name),
                    rate("rx_rate", HostNicUsage::receiveRatePercent),
                    rate("tx_rate", HostNicUsage::sendRatePercent),
                    bytes("rx_drop", HostNicUsage::receiveDropped),
                    bytes("tx_drop", HostNicUsage::sendDropped),
                    bytes("rx_total", HostNicUsage::receivedBytes),
                    bytes("tx_total", HostNicUsage::sentBytes),
                    bytes("rx_offset", HostNicUsage::receivedOffsetBytes),
                    bytes("tx_offset", HostNicUsage::sentOffsetBytes),
                    Column.of("iface_status", SqlType.SMALLINT, row -> status(row.usage()).code()),
                    rate("sample_time", HostNicUsage::sampleTimeSeconds));

    private static final List<Column<Interface>> INTERFACE_KEY = INTERFACE_COLUMNS.subList(0, 2);

    private static final String DUMP_INTERFACES =
            upsert("host_interface_statistics", "host_static", 2, INTERFACE_COLUMNS, false);

    private static final String REMOVE_INTERFACES =
            removal(
                    "host_interface_statistics",
                    """
                    SELECT t.ctid, t.host_id, t.name
                      FROM host_interface_statistics AS t
                     WHERE t.host_id = o.id
                    """,
                    INTERFACE_KEY);

    private static Column<HostSample> usage(
            String name, Function<HostUsage, @Nullable Object> value) {
        return Column.of(name, SqlType.SMALLINT, sample -> value.apply(sample.usage()));
    }

    private static Column<Disk> disk(
            String name, SqlType type, Function<DiskSample, @Nullable Object> value) {
        return Column.of(name, type, row -> value.apply(row.sample()));
    }

    private static Column<Interface> rate(
            String name, Function<HostNicUsage, @Nullable Object> value) {
        return Column.of(name, SqlType.DOUBLE, row -> value.apply(row.usage()));
    }

    private static Column<Interface> bytes(
            String name, Function<HostNicUsage, @Nullable Object> value) {
        return Column.of(name, SqlType.BIGINT, row -> value.apply(row.usage()));
    }

    /** Value of the heartbeat's row while views show samples; the views compare with it. */
    private static final String DUMPING = "dumping";

    /**
     * Whether samples are shown, the number of reads of their views, and a digest of a warehouse's
     * own records. Only the views read {@code dwh_reader_mark}, so the server's count of its scans
     * counts readers: of any role, without a right or a row of theirs.
     */
    private static final String SIGNS =
            """
            coalesce(k.var_value = 'dumping', false),
                   CASE WHEN current_setting('track_counts')::boolean
                        THEN pg_stat_get_numscans('dwh_reader_mark'::regclass) END,
                   (SELECT coalesce(md5(string_agg(concat_ws('=', o.var_name, o.var_value, o.var_datetime),
                                                   ',' ORDER BY o.var_name)), '')
                      FROM dwh_history_timekeeping AS o
                     WHERE o.var_name <> 'heartBeat')
            """;

    private static final String HEARTBEAT =
            "UPDATE dwh_history_timekeeping AS k SET var_datetime = now() WHERE k.var_name ="
                    + " 'heartBeat' RETURNING "
                    + SIGNS;

    private static final String LOOK =
            "SELECT " + SIGNS + " FROM dwh_history_timekeeping AS k WHERE k.var_name = 'heartBeat'";

    private static final String SHOW =
            "UPDATE dwh_history_timekeeping SET var_value = ? WHERE var_name = 'heartBeat'";

    /** Samples of one statement at most: few statements for a large fleet, in bounded memory. */
    private static final int SAMPLES_PER_STATEMENT = 50_000;

    /** Every column that a dump writes, as {@code table.column}; the time of writing is none. */
    static Set<String> columns() {
        Set<String> columns = new TreeSet<>();
        COLUMNS.forEach(column -> columns.add("vm_statistics." + column.name()));
        NIC_COLUMNS.forEach(column -> columns.add("vm_interface_statistics." + column.name()));
        DISK_COLUMNS.forEach(column -> columns.add("disk_image_dynamic." + column.name()));
        HOST_COLUMNS.forEach(column -> columns.add("host_statistics." + column.name()));
        INTERFACE_COLUMNS.forEach(
                column -> columns.add("host_interface_statistics." + column.name()));
        return columns;
    }

    /** The statements that remove rows that samples lack, by table; their plans are tested. */
    static Map<String, String> removals() {
        return Map.of(
                "vm_interface_statistics",
                REMOVE_NICS,
                "disk_image_dynamic",
                REMOVE_DISKS,
                "host_interface_statistics",
                REMOVE_INTERFACES);
    }

    private static InterfaceStatus status(HostNicUsage nic) {
        if (nic.up() == null) {
            return InterfaceStatus.NONE;
        }
        return nic.up() ? InterfaceStatus.UP : InterfaceStatus.DOWN;
    }

    /**
     * Writes rows that differ. The join leaves out rows deleted meanwhile; the last condition
     * leaves out equal ones.
     *
     * @param owner table of the rows' owners, by the first column
     * @param keys how many of the columns, from the first, are the key
     * @param dated whether the time of the write is kept
     */
    private static <T> String upsert(
            String table, String owner, int keys, List<Column<T>> columns, boolean dated) {
        List<Column<T>> key = columns.subList(0, keys);
        List<Column<T>> values = columns.subList(keys, columns.size());
        return """
        INSERT INTO %s AS t (%s%s)
        SELECT %s%s
          FROM %s
          JOIN %s USING (%s)
         ORDER BY %s
            ON CONFLICT (%s) DO UPDATE
           SET %s%s
         WHERE (%s) IS DISTINCT FROM (%s)
        """
                .formatted(
                        table,
                        Column.names(columns, "", "", ""),
                        dated ? ", _update_date" : "",
                        Column.names(columns, "c.", "", ""),
                        dated ? ", now()" : "",
                        Column.unnest(columns, "c"),
                        owner,
                        columns.getFirst().name(),
                        Column.names(key, "c.", "", ""),
                        Column.names(key, "", "", ""),
                        values.stream()
                                .map(column -> column.name() + " = excluded." + column.name())
                                .collect(Collectors.joining(", ")),
                        dated ? ", _update_date = excluded._update_date" : "",
                        Column.names(values, "t.", "", ""),
                        Column.names(values, "excluded.", "", ""));
    }

    /**
     * Removes the rows of some owners except the named ones. It reads the rows of each owner by
     * index ({@code OFFSET 0} prevents the planner from joining whole tables instead), and then
     * compares them with the named rows ({@code MATERIALIZED}: otherwise it may read all named rows
     * again for each owner). So its cost depends on the given owners and not on the size of the
     * fleet. Only the dump writes these tables, so a row does not move between the read and its
     * removal.
     *
     * @param rows address and key of the rows of the owner {@code o.id}
     * @param key columns that name a row
     */
    private static <T> String removal(String table, String rows, List<Column<T>> key) {
        return """
        DELETE FROM %s
         WHERE ctid = ANY (ARRAY(
                 WITH held AS MATERIALIZED (
                      SELECT r.*
                        FROM unnest(?) AS o (id)
                       CROSS JOIN LATERAL (
                             %s OFFSET 0) AS r)
               SELECT r.ctid
                 FROM held AS r
                WHERE NOT EXISTS (SELECT FROM %s WHERE (%s) = (%s))))
        """
                .formatted(
                        table,
                        rows,
                        Column.unnest(key, "c"),
                        Column.names(key, "c.", "", ""),
                        Column.names(key, "r.", "", ""));
    }

    private final Transactions transactions;

    JdbcStatisticsStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public WriteOutcome dump(List<Sample> vms, List<HostSample> hosts) {
        WriteOutcome outcome =
                transactions.write(
                        SqlStage.DWH,
                        vms,
                        SAMPLES_PER_STATEMENT,
                        Sample::vmId,
                        JdbcStatisticsStore::write);
        return hosts.isEmpty() ? outcome : joined(outcome, dump(hosts));
    }

    @Override
    public ReaderSigns heartbeat() throws StoreUnavailable {
        return signs(HEARTBEAT);
    }

    @Override
    public ReaderSigns readerSigns() throws StoreUnavailable {
        return signs(LOOK);
    }

    private ReaderSigns signs(String sql) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DWH,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(sql);
                            ResultSet row = statement.executeQuery()) {
                        if (!row.next()) {
                            throw new SQLException("the row heartBeat is missing");
                        }
                        return new ReaderSigns(
                                row.getBoolean(1), row.getObject(2, Long.class), row.getString(3));
                    }
                });
    }

    @Override
    public WriteOutcome show(boolean shown) {
        return transactions.write(
                SqlStage.DWH,
                List.of("heartBeat"),
                Function.identity(),
                (connection, _) -> {
                    try (PreparedStatement statement = connection.prepareStatement(SHOW)) {
                        statement.setString(1, shown ? DUMPING : null);
                        return statement.executeUpdate();
                    }
                });
    }

    private static int write(Connection connection, List<Sample> vms) throws SQLException {
        List<NicSample> nics = new ArrayList<>();
        List<Disk> disks = new ArrayList<>();
        for (Sample vm : vms) {
            nics.addAll(vm.nics());
            vm.disks().forEach(disk -> disks.add(new Disk(vm.vmId(), disk)));
        }
        UUID[] owners =
                vms.stream()
                        .filter(Sample::partsChanged)
                        .map(vm -> vm.vmId().toUuid())
                        .toArray(UUID[]::new);
        return write(connection, DUMP, COLUMNS, vms)
                + write(connection, DUMP_NICS, NIC_COLUMNS, nics)
                + removeOthers(connection, REMOVE_NICS, owners, NIC_COLUMNS.subList(0, 1), nics)
                + write(connection, DUMP_DISKS, DISK_COLUMNS, disks)
                + removeOthers(connection, REMOVE_DISKS, owners, DISK_KEY, disks);
    }

    private WriteOutcome dump(List<HostSample> samples) {
        return transactions.write(
                SqlStage.DWH,
                samples,
                HostSample::hostId,
                (connection, rows) -> {
                    List<Interface> interfaces = new ArrayList<>();
                    for (HostSample sample : rows) {
                        sample.usage()
                                .nics()
                                .forEach((name, nic) ->
                                        interfaces.add(
                                                new Interface(
                                                        sample.hostId(),
                                                        Column.storable(name),
                                                        nic)));
                    }
                    return write(connection, DUMP_HOSTS, HOST_COLUMNS, rows)
                            + write(connection, DUMP_INTERFACES, INTERFACE_COLUMNS, interfaces)
                            + removeOthers(
                                    connection,
                                    REMOVE_INTERFACES,
                                    rows.stream()
                                            .filter(HostSample::nicsChanged)
                                            .map(sample -> sample.hostId().value())
                                            .toArray(UUID[]::new),
                                    INTERFACE_KEY,
                                    interfaces);
                });
    }

    /**
     * Unsaved rows count: the next dump contains them again, and writes those that still differ.
     */
    private static WriteOutcome joined(WriteOutcome vms, WriteOutcome hosts) {
        if (vms instanceof WriteOutcome.Written first
                && hosts instanceof WriteOutcome.Written second) {
            List<WriteOutcome.Rejected> rejected = new ArrayList<>(first.rejected());
            rejected.addAll(second.rejected());
            return new WriteOutcome.Written(first.rows() + second.rows(), rejected);
        }
        return vms instanceof WriteOutcome.Written ? hosts : vms;
    }

    private static <T> int write(
            Connection connection, String sql, List<Column<T>> columns, List<T> rows)
            throws SQLException {
        if (rows.isEmpty()) {
            return 0;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Column.bind(statement, columns, rows);
            return statement.executeUpdate();
        }
    }

    /**
     * Removes the rows of these owners that the samples do not name; has no effect without owners.
     */
    private static <T> int removeOthers(
            Connection connection, String sql, UUID[] owners, List<Column<T>> key, List<T> named)
            throws SQLException {
        if (owners.length == 0) {
            return 0;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("uuid", owners));
            Column.bind(statement, key, named, 1);
            return statement.executeUpdate();
        }
    }
}
