package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.DiskImage;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DeviceStore;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.VmWithDevices;
import org.stillwater.core.store.WriteOutcome;

/**
 * Devices in PostgreSQL: a batch of any number of VMs and devices is one transaction of a few array
 * statements. Thread-safe; the rows counted in outcomes are devices and hashes.
 */
final class JdbcDeviceStore implements DeviceStore {

    private final Transactions transactions;
    private final NewVmRows newVms;

    JdbcDeviceStore(Transactions transactions) {
        this.transactions = transactions;
        this.newVms = new NewVmRows(transactions.counted());
    }

    /** A device of a VM. */
    record DeviceRow(VmId vmId, VmDevice device) {}

    private static final Column<DeviceRow> VM = Column.uuid("vm_id", row -> row.vmId().toUuid());
    private static final Column<DeviceRow> ID = Column.uuid("device_id", row -> row.device().id());

    /** Columns of an existing device that monitoring writes. */
    private static final List<Column<DeviceRow>> MONITORED =
            List.of(
                    Column.text("address", row -> row.device().address()),
                    Column.text("alias", row -> row.device().alias()),
                    Column.bool("is_plugged", row -> row.device().plugged()),
                    Column.text("logical_name", row -> row.device().logicalName()),
                    Column.text("host_device", row -> row.device().hostDevice()),
                    Column.uuid(
                            "image_id",
                            row -> {
                                DiskImage volume = row.device().volume();
                                return volume == null ? null : volume.image();
                            }),
                    Column.uuid(
                            "storage_domain_id",
                            row -> {
                                DiskImage volume = row.device().volume();
                                return volume == null ? null : volume.domain();
                            }));

    private static final List<Column<DeviceRow>> KEY_AND_MONITORED =
            joined(List.of(VM, ID), MONITORED);

    /** All columns of a new device. */
    static final List<Column<DeviceRow>> ALL =
            joined(
                    KEY_AND_MONITORED,
                    List.of(
                            Column.text("type", row -> row.device().type()),
                            Column.text("device", row -> row.device().device()),
                            Column.bool("is_managed", row -> row.device().managed()),
                            Column.bool("is_readonly", row -> row.device().readOnly()),
                            Column.text("spec_params", row -> row.device().specParams()),
                            Column.text(
                                    "custom_properties", row -> row.device().customProperties()),
                            Column.uuid("snapshot_id", row -> row.device().snapshotId())));

    private static <T> List<T> joined(List<T> first, List<T> second) {
        List<T> all = new ArrayList<>(first);
        all.addAll(second);
        return List.copyOf(all);
    }

    private static final String UPDATE =
            """
            UPDATE vm_device AS d
               SET %s = ROW %s, changed_at = now()
              FROM %s
             WHERE d.vm_id = c.vm_id
               AND d.device_id = c.device_id
               AND %s IS DISTINCT FROM %s
            """
                    .formatted(
                            Column.names(MONITORED, "", "(", ")"),
                            Column.names(MONITORED, "c.", "(", ")"),
                            Column.unnest(KEY_AND_MONITORED, "c"),
                            Column.names(MONITORED, "d.", "(", ")"),
                            Column.names(MONITORED, "c.", "(", ")"));

    private static final String REMOVE =
            """
            DELETE FROM vm_device AS d
             USING unnest(?::uuid[], ?::uuid[]) AS c(vm_id, device_id)
             WHERE d.vm_id = c.vm_id
               AND d.device_id = c.device_id
            """;

    /** A VM that was removed meanwhile has no devices to keep. */
    private static final String ADD =
            """
            INSERT INTO vm_device AS d %s
            SELECT %s
              FROM %s
             WHERE EXISTS (SELECT FROM vm_static AS s WHERE s.vm_guid = c.vm_id)
                ON CONFLICT (vm_id, device_id) DO UPDATE
               SET %s = ROW %s, changed_at = now()
             WHERE %s IS DISTINCT FROM %s
            """
                    .formatted(
                            Column.names(ALL, "", "(", ")"),
                            Column.expressions(ALL, "c"),
                            Column.unnest(ALL, "c"),
                            Column.names(MONITORED, "", "(", ")"),
                            Column.names(MONITORED, "excluded.", "(", ")"),
                            Column.names(MONITORED, "d.", "(", ")"),
                            Column.names(MONITORED, "excluded.", "(", ")"));

    private record NicRow(VmId vmId, int index, VmNic nic) {}

    private static final List<Column<NicRow>> NICS =
            List.of(
                    Column.uuid("id", row -> row.nic().id()),
                    Column.uuid("vm_guid", row -> row.vmId().toUuid()),
                    Column.text("name", row -> row.nic().name()),
                    Column.text("mac_addr", row -> row.nic().mac()),
                    Column.uuid("vnic_profile_id", row -> row.nic().vnicProfile()),
                    Column.integer("speed", row -> row.nic().speedMegabitsPerSecond()),
                    Column.integer("nic_index", NicRow::index));

    private static final String REMOVE_NICS =
            """
            DELETE FROM vm_interface
             WHERE vm_guid = ANY (?::uuid[])
               AND id <> ALL (?::uuid[])
            """;

    private static final String PUT_NICS =
            """
            INSERT INTO vm_interface AS d %s
            SELECT %s
              FROM %s
             WHERE EXISTS (SELECT FROM vm_static AS s WHERE s.vm_guid = c.vm_guid)
                ON CONFLICT (id) DO UPDATE
               SET (name, mac_addr, speed, nic_index)
                   = ROW (excluded.name, excluded.mac_addr, excluded.speed, excluded.nic_index)
             WHERE d.vm_guid = excluded.vm_guid
            """
                    .formatted(
                            Column.names(NICS, "", "(", ")"),
                            Column.expressions(NICS, "c"),
                            Column.unnest(NICS, "c"));

    private static final List<Column<DeviceUpdate>> SPECIFICATION =
            List.of(
                    Column.uuid("vm_guid", row -> row.vmId().toUuid()),
                    Column.json(
                            "specification", row -> SpecificationJson.write(row.specification())));

    /** What a user made is not overwritten. */
    private static final String FOLLOW =
            """
            INSERT INTO vm_specification AS d %s
            SELECT %s
              FROM %s
             WHERE EXISTS (SELECT FROM vm_static AS s WHERE s.vm_guid = c.vm_guid)
                ON CONFLICT (vm_guid) DO UPDATE
               SET specification = excluded.specification
             WHERE (d.specification IS NULL OR (d.specification #>> '{found,followed}')::boolean)
               AND d.specification IS DISTINCT FROM excluded.specification
            """
                    .formatted(
                            Column.names(SPECIFICATION, "", "(", ")"),
                            Column.expressions(SPECIFICATION, "c"),
                            Column.unnest(SPECIFICATION, "c"));

    private static final ColumnUpdate<DeviceUpdate> HASH =
            new ColumnUpdate<>(
                    "vm_device_hash_light",
                    Column.uuid("vm_guid", row -> row.vmId().toUuid()),
                    List.of(Column.text("hash", DeviceUpdate::hash)));

    private static final String NEXT_GENERATION =
            "UPDATE vm_static SET db_generation = db_generation + 1 WHERE vm_guid = ANY"
                    + " (?::uuid[])";

    @Override
    public WriteOutcome add(List<VmWithDevices> vms) {
        return transactions.write(SqlStage.ADD, vms, row -> row.vm().id(), newVms::add);
    }

    @Override
    public WriteOutcome save(List<DeviceUpdate> updates) {
        return transactions.write(
                SqlStage.DEVICES, updates, DeviceUpdate::vmId, JdbcDeviceStore::save);
    }

    private static int save(Connection connection, List<DeviceUpdate> vms) throws SQLException {
        int touched =
                write(connection, UPDATE, KEY_AND_MONITORED, rows(vms, DeviceUpdate::updates));
        touched += remove(connection, vms);
        touched += write(connection, ADD, ALL, rows(vms, DeviceUpdate::additions));
        followNics(connection, vms);
        int _ =
                write(
                        connection,
                        FOLLOW,
                        SPECIFICATION,
                        vms.stream().filter(vm -> vm.specification() != null).toList());
        List<DeviceUpdate> hashes = vms.stream().filter(vm -> vm.hash() != null).toList();
        if (!hashes.isEmpty()) {
            touched += HASH.write(connection, hashes);
        }
        UUID[] changed =
                vms.stream()
                        .filter(DeviceUpdate::changesDevices)
                        .map(vm -> vm.vmId().toUuid())
                        .toArray(UUID[]::new);
        if (changed.length > 0) {
            execute(connection, NEXT_GENERATION, changed);
        }
        return touched;
    }

    private static List<DeviceRow> rows(
            List<DeviceUpdate> vms, Function<DeviceUpdate, List<VmDevice>> devices) {
        List<DeviceRow> rows = new ArrayList<>();
        for (DeviceUpdate vm : vms) {
            devices.apply(vm).forEach(device -> rows.add(new DeviceRow(vm.vmId(), device)));
        }
        return rows;
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

    private static int remove(Connection connection, List<DeviceUpdate> vms) throws SQLException {
        List<UUID> owners = new ArrayList<>();
        List<UUID> devices = new ArrayList<>();
        for (DeviceUpdate vm : vms) {
            vm.removals()
                    .forEach(device -> {
                        owners.add(vm.vmId().toUuid());
                        devices.add(device);
                    });
        }
        return devices.isEmpty()
                ? 0
                : execute(
                        connection,
                        REMOVE,
                        owners.toArray(UUID[]::new),
                        devices.toArray(UUID[]::new));
    }

    private static void followNics(Connection connection, List<DeviceUpdate> vms)
            throws SQLException {
        List<UUID> owners = new ArrayList<>();
        List<NicRow> rows = new ArrayList<>();
        for (DeviceUpdate vm : vms) {
            List<VmNic> nics = vm.nics();
            if (nics != null) {
                owners.add(vm.vmId().toUuid());
                for (int index = 0; index < nics.size(); index++) {
                    rows.add(new NicRow(vm.vmId(), index, nics.get(index)));
                }
            }
        }
        if (!owners.isEmpty()) {
            UUID[] kept = rows.stream().map(row -> row.nic().id()).toArray(UUID[]::new);
            execute(connection, REMOVE_NICS, owners.toArray(UUID[]::new), kept);
            write(connection, PUT_NICS, NICS, rows);
        }
    }

    private static int execute(Connection connection, String sql, UUID[]... arrays)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arrays.length; i++) {
                statement.setArray(i + 1, connection.createArrayOf("uuid", arrays[i]));
            }
            return statement.executeUpdate();
        }
    }

    private static final String LOAD =
            """
            SELECT vm_id, device_id, type, device, address, alias, is_managed, is_plugged, is_readonly, logical_name,
                   host_device, spec_params, custom_properties, snapshot_id, image_id, storage_domain_id
              FROM vm_device
             WHERE vm_id = ANY (?::uuid[])
             ORDER BY vm_id, device_id
            """;

    @Override
    public Map<VmId, List<VmDevice>> load(List<VmId> vms) throws StoreUnavailable {
        if (vms.isEmpty()) {
            return Map.of();
        }
        return transactions.runOrUnavailable(
                SqlStage.DEVICES,
                connection -> {
                    Map<VmId, List<VmDevice>> loaded = new HashMap<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD)) {
                        UUID[] ids = vms.stream().map(VmId::toUuid).toArray(UUID[]::new);
                        statement.setArray(1, connection.createArrayOf("uuid", ids));
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                loaded.computeIfAbsent(vmId(row), _ -> new ArrayList<>())
                                        .add(device(row));
                            }
                        }
                    }
                    return loaded;
                });
    }

    private static final String LOAD_HASHES =
            """
            SELECT h.vm_guid, h.hash
              FROM vm_device_hash_light AS h
              JOIN vm_static AS s USING (vm_guid)
              LEFT JOIN vm_specification AS p USING (vm_guid)
             WHERE h.hash <> '' AND (p.specification IS NOT NULL OR s.origin NOT IN (%s))
            """
                    .formatted(
                            Arrays.stream(VmOrigin.values())
                                    .filter(VmOrigin::isFound)
                                    .map(origin -> Integer.toString(origin.code()))
                                    .collect(Collectors.joining(", ")));

    @Override
    public void loadHashes(BiConsumer<VmId, String> receiver) throws StoreUnavailable {
        transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    try (BinaryCopy.Rows row =
                            new BinaryCopy.Rows(
                                    connection,
                                    LOAD_HASHES,
                                    transactions.counted(),
                                    SqlStage.LOAD)) {
                        while (row.next()) {
                            receiver.accept(row.vm(), row.word());
                        }
                    }
                    return true;
                });
    }

    private static VmId vmId(ResultSet row) throws SQLException {
        return VmId.of(row.getObject(1, UUID.class));
    }

    private static VmDevice device(ResultSet row) throws SQLException {
        @Nullable String logicalName = row.getString("logical_name");
        @Nullable UUID snapshot = row.getObject("snapshot_id", UUID.class);
        @Nullable UUID image = row.getObject("image_id", UUID.class);
        @Nullable UUID domain = row.getObject("storage_domain_id", UUID.class);
        return new VmDevice(
                row.getObject("device_id", UUID.class),
                row.getString("type"),
                row.getString("device"),
                row.getString("address"),
                row.getString("alias"),
                row.getBoolean("is_managed"),
                row.getBoolean("is_plugged"),
                row.getBoolean("is_readonly"),
                logicalName,
                row.getString("host_device"),
                row.getString("spec_params"),
                row.getString("custom_properties"),
                snapshot,
                image == null || domain == null ? null : new DiskImage(image, domain));
    }
}
