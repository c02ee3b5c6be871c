package org.stillwater.dal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;

/** The rows of the placement table as columns of {@code vm_placement_light}. Stateless. */
final class PlacementColumns {

    private PlacementColumns() {}

    /**
     * One column for each field, reading its value from the placement that {@code placement} finds
     * in a row.
     */
    static <T> List<Column<T>> of(PlacementFields fields, Function<T, VmPlacement> placement) {
        List<Column<T>> columns = new ArrayList<>();
        fields.forEach(field ->
                columns.add(
                        Column.of(
                                field.column(),
                                field.sqlType(),
                                row -> field.value(placement.apply(row)))));
        return columns;
    }

    /** The names of all columns, each behind {@code prefix}, joined by commas. */
    static String names(String prefix) {
        return Arrays.stream(PlacementField.values())
                .map(field -> prefix + field.column())
                .collect(Collectors.joining(", "));
    }

    /** The placement in the present row. */
    static VmPlacement read(ResultSet row) throws SQLException {
        return new VmPlacement(
                host(row, PlacementField.RUN_ON),
                host(row, PlacementField.MIGRATING_TO),
                instant(row, PlacementField.LAST_START),
                instant(row, PlacementField.LAST_STOP),
                run(row));
    }

    private static VmRun run(ResultSet row) throws SQLException {
        VmRun read =
                new VmRun(
                        row.getLong(PlacementField.RUN_GENERATION.column()),
                        instant(row, PlacementField.BOOT_TIME),
                        row.getObject(PlacementField.DOWNTIME.column(), Long.class),
                        text(row, PlacementField.RUNTIME_NAME),
                        text(row, PlacementField.CONSOLE_USER),
                        row.getObject(PlacementField.CONSOLE_USER_ID.column(), UUID.class),
                        text(row, PlacementField.CPU_NAME),
                        text(row, PlacementField.EMULATED_MACHINE),
                        row.getBoolean(PlacementField.VOLATILE_RUN.column()),
                        topology(row),
                        text(row, PlacementField.STOP_REASON));
        return read.shared();
    }

    private static VmRun.@Nullable Topology topology(ResultSet row) throws SQLException {
        int sockets = row.getInt(PlacementField.SOCKETS.column());
        if (row.wasNull()) {
            return null;
        }
        return new VmRun.Topology(
                text(row, PlacementField.CPU_PINNING),
                sockets,
                row.getInt(PlacementField.CORES_PER_SOCKET.column()),
                row.getInt(PlacementField.THREADS_PER_CORE.column()),
                text(row, PlacementField.NUMA_PINNING));
    }

    private static @Nullable HostId host(ResultSet row, PlacementField field) throws SQLException {
        @Nullable UUID uuid = row.getObject(field.column(), UUID.class);
        return uuid == null ? null : new HostId(uuid);
    }

    private static @Nullable Instant instant(ResultSet row, PlacementField field)
            throws SQLException {
        @Nullable OffsetDateTime time = row.getObject(field.column(), OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static @Nullable String text(ResultSet row, PlacementField field) throws SQLException {
        return row.getString(field.column());
    }
}
