package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.util.List;
import org.stillwater.core.store.LunStore;
import org.stillwater.core.store.WriteOutcome;

/**
 * LUN sizes in PostgreSQL. Thread-safe.
 *
 * <p>Only the database has the plugged LUNs of a VM, so query and write are one statement: there is
 * no cache to keep current, and no read when no VM powers up.
 */
final class JdbcLunStore implements LunStore {

    private static final List<Column<LunSize>> COLUMNS =
            List.of(
                    Column.uuid("vm_id", size -> size.vmId().toUuid()),
                    Column.text("lun_id", LunSize::lunId),
                    Column.integer("device_size_gb", LunSize::sizeGibibytes));

    /** A device that only a host reports may have the identity of any disk: it is ignored. */
    private static final String SAVE =
            """
            UPDATE luns AS l
               SET device_size_gb = c.device_size_gb
              FROM %s
             WHERE l.lun_id = c.lun_id
               AND l.device_size_gb <> c.device_size_gb
               AND EXISTS (
                   SELECT
                     FROM disk_lun_map AS m
                     JOIN vm_device AS d ON d.device_id = m.disk_id
                    WHERE m.lun_id = c.lun_id AND d.vm_id = c.vm_id AND d.is_plugged AND d.is_managed)
            """
                    .formatted(Column.unnest(COLUMNS, "c"));

    private final Transactions transactions;

    JdbcLunStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public WriteOutcome saveSizes(List<LunSize> sizes) {
        return transactions.write(
                SqlStage.LUNS,
                sizes,
                LunSize::lunId,
                (connection, rows) -> {
                    try (PreparedStatement statement = connection.prepareStatement(SAVE)) {
                        Column.bind(statement, COLUMNS, rows);
                        return statement.executeUpdate();
                    }
                });
    }
}
