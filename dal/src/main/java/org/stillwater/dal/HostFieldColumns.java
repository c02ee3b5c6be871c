package org.stillwater.dal;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.HostField;
import org.stillwater.core.value.SqlType;

/** The columns of a table of hosts, as {@link HostField} declares them. */
final class HostFieldColumns {

    private HostFieldColumns() {}

    /**
     * A column for each field of a source that has one.
     *
     * @param report the report of that source in a row
     */
    static <T> List<Column<T>> of(HostField.Source source, Function<T, Record> report) {
        Set<String> names = new HashSet<>();
        return Arrays.stream(HostField.values())
                .filter(field -> field.source() == source && field.column() != null)
                // Two members of an answer may fill one component, and so one column.
                .filter(field -> names.add(Objects.requireNonNull(field.column())))
                .map(field -> column(field, report))
                .toList();
    }

    private static <T> Column<T> column(HostField field, Function<T, Record> report) {
        String name = Objects.requireNonNull(field.column());
        Function<T, @Nullable Object> value = row -> field.columnValue(report.apply(row));
        return switch (field.kind()) {
            case TEXT -> Column.text(name, value);
            case INTEGER -> Column.integer(name, value);
            case LONG -> Column.of(name, SqlType.BIGINT, value);
            // Of the capabilities only the nominal clock, which is kept as whole megahertz.
            case NUMBER ->
                    Column.of(
                            name,
                            field.source() == HostField.Source.STATISTICS
                                    ? SqlType.DOUBLE
                                    : SqlType.BIGINT,
                            value);
            case BOOLEAN -> Column.bool(name, value);
            case TIME -> Column.time(name, value);
            case TEXTS -> Column.texts(name, row -> texts(value.apply(row)));
            case INTEGERS, TEXT_MAP, STRUCTURE ->
                    Column.text(name, row -> JsonText.of(value.apply(row)));
        };
    }

    @SuppressWarnings("unchecked") // rows of this kind have no other values
    private static List<String> texts(@Nullable Object value) {
        return (List<String>) Objects.requireNonNull(value);
    }
}
