package org.stillwater.benchmarks.write;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.value.SqlType;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmRuntime;

/**
 * Baseline for the engine's writer: each change is one prepared statement that sets every runtime
 * column of one row, changed or not. One thread.
 */
final class NaiveWriter implements AutoCloseable {

    private static final List<RuntimeField> FIELDS = RuntimeFields.all().toList();

    private final PreparedStatement update;

    NaiveWriter(Connection connection) throws SQLException {
        update =
                connection.prepareStatement(
                        FIELDS.stream()
                                .map(field -> field.column() + " = ?")
                                .collect(
                                        Collectors.joining(
                                                ", ",
                                                "UPDATE vm_runtime_light SET ",
                                                " WHERE vm_guid = ?")));
    }

    /** Rows changed: 1 if the VM exists. */
    int write(VmId id, VmRuntime runtime) throws SQLException {
        int at = 1;
        for (RuntimeField field : FIELDS) {
            @Nullable Object value = field.type().toSql(runtime.value(field));
            if (value == null) {
                update.setNull(at, sqlType(field.type().sqlType()));
            } else {
                update.setObject(at, value, sqlType(field.type().sqlType()));
            }
            at++;
        }
        update.setObject(at, id.toUuid());
        return update.executeUpdate();
    }

    private static int sqlType(SqlType type) {
        return switch (type) {
            case SMALLINT -> Types.SMALLINT;
            case INTEGER -> Types.INTEGER;
            case BIGINT -> Types.BIGINT;
            case BOOLEAN -> Types.BOOLEAN;
            case DOUBLE -> Types.DOUBLE;
            case TEXT -> Types.VARCHAR;
            case UUID -> Types.OTHER;
            case TIMESTAMPTZ -> Types.TIMESTAMP_WITH_TIMEZONE;
        };
    }

    @Override
    public void close() throws SQLException {
        update.close();
    }
}
