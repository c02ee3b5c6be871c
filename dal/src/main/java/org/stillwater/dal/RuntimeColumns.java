package org.stillwater.dal;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** The rows of the field table as columns of {@code vm_runtime_light}. Stateless. */
final class RuntimeColumns {

    private static final RuntimeField[] FIELDS = RuntimeField.values();

    private RuntimeColumns() {}

    /**
     * One column for each field, reading its value from the runtime that {@code runtime} finds in a
     * row.
     */
    static <T> List<Column<T>> of(RuntimeFields fields, Function<T, VmRuntime> runtime) {
        List<Column<T>> columns = new ArrayList<>(fields.size());
        fields.forEach(field ->
                columns.add(
                        Column.of(
                                field.column(),
                                field.type().sqlType(),
                                row -> field.type().toSql(runtime.apply(row).value(field)))));
        return columns;
    }

    /** The names of all columns, in the order of {@link #read}, each behind {@code prefix}. */
    static String names(String prefix) {
        return Arrays.stream(FIELDS)
                .map(field -> prefix + field.column())
                .collect(Collectors.joining(", "));
    }

    /**
     * The runtime in the present row, its guest interfaces completed by {@code guestNics}.
     *
     * @param row at the first column of {@link #names}
     * @param draft for use by this method
     * @param unreadable receives the reason if this program does not know the status: then the true
     *     state is unknown
     */
    static VmRuntime read(
            BinaryCopy.Rows row,
            VmRuntime.Draft draft,
            List<GuestNic> guestNics,
            Consumer<String> unreadable)
            throws SQLException {
        draft.startFrom(VmRuntime.INITIAL);
        for (RuntimeField field : FIELDS) {
            @Nullable Object stored = row.value(field.type().sqlType());
            try {
                draft.set(field, field.type().fromSql(stored));
            } catch (IllegalArgumentException e) {
                draft.set(RuntimeField.STATUS, VmStatus.UNKNOWN);
                unreadable.accept(field.column() + ": " + e.getMessage());
            }
        }
        if (draft.value(RuntimeField.GUEST_NICS) instanceof GuestNics read && read.digest() != 0) {
            draft.set(RuntimeField.GUEST_NICS, new GuestNics(read.digest(), guestNics));
        }
        return draft.build();
    }
}
