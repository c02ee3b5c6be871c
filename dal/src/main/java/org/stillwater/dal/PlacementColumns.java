package org.stillwater.dal;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    /** Reads placements, which share the ids of their hosts. Used by one thread. */
    static final class Reader {

        private static final PlacementField[] FIELDS = PlacementField.values();

        private final Map<PlacementField, Object> values = new EnumMap<>(PlacementField.class);
        private final Map<UUID, HostId> hosts = new HashMap<>();

        /**
         * The placement in the present row.
         *
         * @param row at the first column of {@link #names}
         */
        VmPlacement read(BinaryCopy.Rows row) throws SQLException {
            values.clear();
            for (PlacementField field : FIELDS) {
                Object value = row.value(field.sqlType());
                if (value != null) {
                    values.put(field, value);
                }
            }
            return new VmPlacement(
                    host(PlacementField.RUN_ON),
                    host(PlacementField.MIGRATING_TO),
                    time(PlacementField.LAST_START),
                    time(PlacementField.LAST_STOP),
                    run());
        }

        private VmRun run() {
            VmRun read =
                    new VmRun(
                            values.get(PlacementField.RUN_GENERATION) instanceof Long runs
                                    ? runs
                                    : 0,
                            time(PlacementField.BOOT_TIME),
                            (Long) values.get(PlacementField.DOWNTIME),
                            text(PlacementField.RUNTIME_NAME),
                            text(PlacementField.CONSOLE_USER),
                            (UUID) values.get(PlacementField.CONSOLE_USER_ID),
                            text(PlacementField.CPU_NAME),
                            text(PlacementField.EMULATED_MACHINE),
                            Boolean.TRUE.equals(values.get(PlacementField.VOLATILE_RUN)),
                            topology(),
                            text(PlacementField.STOP_REASON));
            return read.shared();
        }

        private VmRun.@Nullable Topology topology() {
            if (!values.containsKey(PlacementField.SOCKETS)) {
                return null;
            }
            return new VmRun.Topology(
                    text(PlacementField.CPU_PINNING),
                    number(PlacementField.SOCKETS),
                    number(PlacementField.CORES_PER_SOCKET),
                    number(PlacementField.THREADS_PER_CORE),
                    text(PlacementField.NUMA_PINNING));
        }

        private @Nullable HostId host(PlacementField field) {
            return values.get(field) instanceof UUID id
                    ? hosts.computeIfAbsent(id, HostId::new)
                    : null;
        }

        private @Nullable Instant time(PlacementField field) {
            return (Instant) values.get(field);
        }

        private @Nullable String text(PlacementField field) {
            return (String) values.get(field);
        }

        private int number(PlacementField field) {
            return values.get(field) instanceof Integer number ? number : 0;
        }
    }
}
