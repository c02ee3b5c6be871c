package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.VmWithDevices;
import org.stillwater.core.value.SqlType;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeFields;

/**
 * First rows of VMs: the definitions by one statement that returns which VMs are new, then the
 * interfaces, states, guest interfaces, devices and specifications of the new ones, one {@code
 * COPY} for each table. Each row is complete at once, so that nothing is updated right after its
 * insertion. Thread-safe.
 */
final class NewVmRows {

    private final CountingDataSource counted;

    /**
     * Rows with counted statements.
     *
     * @param counted counts each {@code COPY}
     */
    NewVmRows(CountingDataSource counted) {
        this.counted = counted;
    }

    private static final List<Column<VmWithDevices>> DEFINITIONS =
            List.of(
                    Column.uuid("vm_guid", row -> row.vm().id().toUuid()),
                    Column.text("vm_name", row -> row.vm().definition().name()),
                    Column.of(
                            "origin",
                            SqlType.SMALLINT,
                            row -> row.vm().definition().origin().code()),
                    Column.bool("auto_startup", row -> row.vm().definition().highlyAvailable()),
                    Column.integer("mem_size_mb", row -> row.vm().definition().memoryMebibytes()),
                    Column.integer(
                            "min_allocated_mem",
                            row -> row.vm().definition().guaranteedMemoryMebibytes()),
                    Column.integer("num_of_sockets", row -> row.vm().definition().sockets()),
                    Column.integer("cpu_per_socket", row -> row.vm().definition().coresPerSocket()),
                    Column.integer(
                            "threads_per_cpu", row -> (int) row.vm().definition().threadsPerCore()),
                    Column.uuid("cluster_id", row -> row.vm().definition().cluster().value()));

    private static final String ADD_DEFINITIONS =
            """
            INSERT INTO vm_static %s
            SELECT %s
              FROM %s
                ON CONFLICT (vm_guid) DO NOTHING
            RETURNING vm_guid
            """
                    .formatted(
                            Column.names(DEFINITIONS, "", "(", ")"),
                            Column.expressions(DEFINITIONS, "c"),
                            Column.unnest(DEFINITIONS, "c"));

    private record NicRow(VmId vmId, int index, VmNic nic) {}

    private static final RowCopy<NicRow> NICS =
            new RowCopy<>(
                    "vm_interface",
                    List.of(
                            Column.uuid("id", row -> row.nic().id()),
                            Column.uuid("vm_guid", row -> row.vmId().toUuid()),
                            Column.text("name", row -> row.nic().name()),
                            Column.text("mac_addr", row -> row.nic().mac()),
                            Column.uuid("vnic_profile_id", row -> row.nic().vnicProfile()),
                            Column.integer("speed", row -> row.nic().speedMegabitsPerSecond()),
                            Column.integer("nic_index", NicRow::index)));

    /** All that the three light views of {@code vm_dynamic} show, in one row. */
    private static final RowCopy<VmWithDevices> STATES =
            new RowCopy<>(
                    "vm_dynamic",
                    Stream.of(
                                    List.<Column<VmWithDevices>>of(
                                            Column.uuid("vm_guid", row -> row.vm().id().toUuid()),
                                            Column.text(
                                                    "hash",
                                                    row ->
                                                            row.deviceHash() == null
                                                                    ? ""
                                                                    : row.deviceHash())),
                                    RuntimeColumns.<VmWithDevices>of(
                                            RuntimeFields.all(), row -> row.vm().runtime()),
                                    PlacementColumns.<VmWithDevices>of(
                                            PlacementFields.all(), row -> row.vm().placement()))
                            .flatMap(List::stream)
                            .toList());

    private record GuestNicRow(VmId vmId, int index, GuestNic nic) {}

    private static final RowCopy<GuestNicRow> GUEST_NICS =
            new RowCopy<>(
                    "vm_guest_agent_interfaces",
                    List.of(
                            Column.uuid("vm_guid", row -> row.vmId().toUuid()),
                            Column.integer("nic_index", GuestNicRow::index),
                            Column.text("interface_name", row -> row.nic().name()),
                            Column.text("mac_addr", row -> row.nic().mac()),
                            Column.texts("ipv4_addresses", row -> row.nic().ipv4()),
                            Column.texts("ipv6_addresses", row -> row.nic().ipv6())));

    private static final RowCopy<VmWithDevices> SPECIFICATIONS =
            new RowCopy<>(
                    "vm_specification",
                    List.of(
                            Column.uuid("vm_guid", row -> row.vm().id().toUuid()),
                            Column.json(
                                    "specification",
                                    row -> SpecificationJson.write(row.specification()))));

    private static final RowCopy<JdbcDeviceStore.DeviceRow> DEVICES =
            new RowCopy<>("vm_device", JdbcDeviceStore.ALL);

    /**
     * Adds those VMs that do not exist, with their devices.
     *
     * @param vms sorted by VM
     * @return their number
     */
    int add(Connection connection, List<VmWithDevices> vms) throws SQLException {
        Set<VmId> inserted = addDefinitions(connection, vms);
        List<VmWithDevices> fresh =
                inserted.size() == vms.size()
                        ? vms
                        : vms.stream().filter(row -> inserted.contains(row.vm().id())).toList();
        List<NicRow> nics = new ArrayList<>();
        List<GuestNicRow> guestNics = new ArrayList<>();
        List<JdbcDeviceStore.DeviceRow> devices = new ArrayList<>();
        for (VmWithDevices row : fresh) {
            VmId id = row.vm().id();
            int index = 0;
            for (VmNic nic : row.vm().definition().nics()) {
                nics.add(new NicRow(id, index++, nic));
            }
            index = 0;
            for (GuestNic nic : row.vm().runtime().guestNics().nics()) {
                guestNics.add(new GuestNicRow(id, index++, nic));
            }
            for (VmDevice device : row.devices()) {
                devices.add(new JdbcDeviceStore.DeviceRow(id, device));
            }
        }
        NICS.write(connection, counted, SqlStage.ADD, nics);
        STATES.write(connection, counted, SqlStage.ADD, fresh);
        GUEST_NICS.write(connection, counted, SqlStage.ADD, guestNics);
        DEVICES.write(connection, counted, SqlStage.ADD, devices);
        SPECIFICATIONS.write(
                connection,
                counted,
                SqlStage.ADD,
                fresh.stream().filter(row -> row.specification() != null).toList());
        return fresh.size();
    }

    private static Set<VmId> addDefinitions(Connection connection, List<VmWithDevices> vms)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ADD_DEFINITIONS)) {
            Column.bind(statement, DEFINITIONS, vms);
            Set<VmId> inserted = HashSet.newHashSet(vms.size());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    inserted.add(VmId.of(row.getObject(1, UUID.class)));
                }
            }
            return inserted;
        }
    }
}
