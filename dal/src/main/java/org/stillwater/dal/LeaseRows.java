package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;

/** Rows of VMs' leases on storage. They refer to no other row. Thread-safe. */
final class LeaseRows {

    private static final String LOAD =
            """
            SELECT vm_guid, storage_domain_id, path, lease_offset, run_generation, deleting
              FROM vm_lease
             ORDER BY vm_guid, storage_domain_id
            """;

    private static final String SAVE =
            """
            INSERT INTO vm_lease (vm_guid, storage_domain_id, path, lease_offset, run_generation, deleting)
            VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (vm_guid, storage_domain_id) DO UPDATE
               SET path = excluded.path, lease_offset = excluded.lease_offset,
                   run_generation = excluded.run_generation, deleting = excluded.deleting
            """;

    private static final String REMOVE =
            "DELETE FROM vm_lease WHERE vm_guid = ? AND storage_domain_id = ?";

    private final Transactions transactions;

    LeaseRows(Transactions transactions) {
        this.transactions = transactions;
    }

    List<VmLease> load() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    List<VmLease> found = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            found.add(lease(row));
                        }
                    }
                    return found;
                });
    }

    private static VmLease lease(ResultSet row) throws SQLException {
        String path = row.getString("path");
        return new VmLease(
                VmId.of(row.getObject("vm_guid", UUID.class)),
                row.getObject("storage_domain_id", UUID.class),
                path == null ? null : new VmLease.Place(path, row.getLong("lease_offset")),
                row.getObject("run_generation", Long.class),
                row.getBoolean("deleting"));
    }

    void save(VmLease lease) throws StoreUnavailable {
        VmLease.Place place = lease.place();
        String path = place == null ? null : Column.storable(place.path());
        Long offset = place == null ? null : place.offsetBytes();
        int _ =
                update(
                        SAVE,
                        lease.vm().toUuid(),
                        lease.domain(),
                        path,
                        offset,
                        lease.run(),
                        lease.deleting());
    }

    void remove(VmId vm, UUID domain) throws StoreUnavailable {
        int _ = update(REMOVE, vm.toUuid(), domain);
    }

    private int update(String sql, @Nullable Object... values) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS, connection -> Sql.update(connection, sql, values));
    }
}
