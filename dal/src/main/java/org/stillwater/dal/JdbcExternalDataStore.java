package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ExternalDataStore;
import org.stillwater.core.store.ExternalDataUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.value.SqlType;

/** TPM and NVRAM data in PostgreSQL. Thread-safe. */
final class JdbcExternalDataStore implements ExternalDataStore {

    private static final String TABLE = "vm_external_data";

    private final Transactions transactions;

    JdbcExternalDataStore(Transactions transactions) {
        this.transactions = transactions;
    }

    private static final List<Column<ExternalDataUpdate>> COLUMNS =
            List.of(
                    Column.uuid("vm_guid", row -> row.vmId().toUuid()),
                    Column.of("kind", SqlType.SMALLINT, row -> row.kind().code()),
                    Column.text("hash", ExternalDataUpdate::hash),
                    Column.text("data", ExternalDataUpdate::data));

    private static final String SAVE =
            """
            INSERT INTO vm_external_data AS d %s
            SELECT %s
              FROM %s
             WHERE EXISTS (SELECT FROM vm_static AS s WHERE s.vm_guid = c.vm_guid)
                ON CONFLICT (vm_guid, kind) DO UPDATE
               SET hash = excluded.hash, data = excluded.data
             WHERE d.hash <> excluded.hash
            """
                    .formatted(
                            Column.names(COLUMNS, "", "(", ")"),
                            Column.expressions(COLUMNS, "c"),
                            Column.unnest(COLUMNS, "c"));

    @Override
    public WriteOutcome save(List<ExternalDataUpdate> updates) {
        return transactions.write(
                SqlStage.EXTERNAL_DATA,
                updates,
                ExternalDataUpdate::vmId,
                JdbcExternalDataStore::save);
    }

    private static int save(Connection connection, List<ExternalDataUpdate> rows)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SAVE)) {
            Column.bind(statement, COLUMNS, rows);
            return statement.executeUpdate();
        }
    }

    @Override
    public void loadHashes(Receiver receiver) throws StoreUnavailable {
        transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    transactions.unreadable().clear(TABLE);
                    try (BinaryCopy.Rows row =
                            new BinaryCopy.Rows(
                                    connection,
                                    "SELECT vm_guid, kind, hash FROM vm_external_data",
                                    transactions.counted(),
                                    SqlStage.LOAD)) {
                        while (row.next()) {
                            VmId vm = row.vm();
                            int kind = row.number();
                            String hash = row.word();
                            ExternalDataKind known = kind(vm, kind);
                            if (known != null) {
                                receiver.accept(vm, known, hash);
                            }
                        }
                    }
                    return true;
                });
    }

    /** Null for a kind that this program does not know: its data stay as they are. */
    private @Nullable ExternalDataKind kind(VmId vm, int code) {
        try {
            return ExternalDataKind.ofCode(code);
        } catch (IllegalArgumentException e) {
            transactions
                    .unreadable()
                    .add(
                            TABLE,
                            "vm_guid=" + vm + " kind=" + code,
                            e.getMessage() + "; these data stay as they are");
            return null;
        }
    }
}
