package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.SqlType;

/**
 * One column of a batch: its values travel as one array, so a batch of any size is one statement.
 * Immutable.
 *
 * @param name column in the table or view
 * @param type type of one value
 * @param cast type of the column itself where its values travel as text: arrays do, because {@code
 *     unnest} would flatten an array of arrays, and JSON; null where they travel as they are
 * @param value reads the value from a row; of an array, the list of its texts
 */
record Column<T>(
        String name, SqlType type, @Nullable String cast, Function<T, @Nullable Object> value) {

    /** The cast of {@link #texts}. */
    static final String TEXTS = "text[]";

    /** The cast of {@link #json}. */
    static final String JSON = "jsonb";

    static <T> Column<T> of(String name, SqlType type, Function<T, @Nullable Object> value) {
        return new Column<>(name, type, null, value);
    }

    static <T> Column<T> text(String name, Function<T, @Nullable Object> value) {
        return of(name, SqlType.TEXT, value);
    }

    static <T> Column<T> integer(String name, Function<T, @Nullable Object> value) {
        return of(name, SqlType.INTEGER, value);
    }

    static <T> Column<T> uuid(String name, Function<T, @Nullable Object> value) {
        return of(name, SqlType.UUID, value);
    }

    static <T> Column<T> bool(String name, Function<T, @Nullable Object> value) {
        return of(name, SqlType.BOOLEAN, value);
    }

    static <T> Column<T> texts(String name, Function<T, List<String>> value) {
        return new Column<>(name, SqlType.TEXT, TEXTS, value::apply);
    }

    static <T> Column<T> uuids(String name, Function<T, List<UUID>> value) {
        return new Column<>(
                name,
                SqlType.TEXT,
                "uuid[]",
                row -> value.apply(row).stream().map(UUID::toString).toList());
    }

    static <T> Column<T> json(String name, Function<T, @Nullable String> value) {
        return new Column<>(name, SqlType.TEXT, JSON, value::apply);
    }

    static <T> Column<T> time(String name, Function<T, @Nullable Object> value) {
        return of(name, SqlType.TIMESTAMPTZ, value);
    }

    /** The column as an expression over {@code alias}, a row of {@link #unnest}. */
    String from(String alias) {
        return alias + "." + name + (cast == null ? "" : "::" + cast);
    }

    /** {@code unnest(?::uuid[], …) AS alias(vm_guid, …)}. */
    static <T> String unnest(List<Column<T>> columns, String alias) {
        return columns.stream()
                .map(column -> "?::" + column.type.sqlName() + "[]")
                .collect(Collectors.joining(", ", "unnest(", ") AS " + alias))
                .concat(names(columns, "", "(", ")"));
    }

    /** The names, each behind {@code prefix}, joined by commas. */
    static <T> String names(List<Column<T>> columns, String prefix, String open, String close) {
        return columns.stream()
                .map(column -> prefix + column.name)
                .collect(Collectors.joining(", ", open, close));
    }

    /** The expressions of {@link #from}, joined by commas. */
    static <T> String expressions(List<Column<T>> columns, String alias) {
        return columns.stream().map(column -> column.from(alias)).collect(Collectors.joining(", "));
    }

    /** Binds the parameters of {@link #unnest}. */
    static <T> void bind(PreparedStatement statement, List<Column<T>> columns, List<T> rows)
            throws SQLException {
        bind(statement, columns, rows, 0);
    }

    /** The same behind this number of other parameters. */
    static <T> void bind(
            PreparedStatement statement, List<Column<T>> columns, List<T> rows, int others)
            throws SQLException {
        Connection connection = statement.getConnection();
        for (int i = 0; i < columns.size(); i++) {
            Column<T> column = columns.get(i);
            @Nullable Object[] values = new @Nullable Object[rows.size()];
            for (int row = 0; row < values.length; row++) {
                values[row] = column.value.apply(rows.get(row));
            }
            statement.setArray(
                    others + i + 1,
                    connection.createArrayOf(catalogName(column.type), typed(column.type, values)));
        }
    }

    /** The narrowest array class: the driver sends those in binary form and finds nulls in them. */
    private static @Nullable Object[] typed(SqlType type, @Nullable Object[] values) {
        int length = values.length;
        @Nullable Object[] typed =
                switch (type) {
                    case SMALLINT -> new Short[length];
                    case INTEGER -> new Integer[length];
                    case BIGINT -> new Long[length];
                    case BOOLEAN -> new Boolean[length];
                    case DOUBLE -> new Double[length];
                    case TEXT, TIMESTAMPTZ -> new String[length];
                    case UUID -> new UUID[length];
                };
        IntStream.range(0, length).forEach(i -> typed[i] = sqlValue(type, values[i]));
        return typed;
    }

    private static @Nullable Object sqlValue(SqlType type, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        return switch (type) {
            case SMALLINT -> ((Number) value).shortValue();
            case TEXT ->
                    storable(value instanceof List<?> all ? arrayLiteral(all) : (String) value);
            // The column keeps microseconds; finer digits could never be compared with it.
            case TIMESTAMPTZ -> ((Instant) value).truncatedTo(ChronoUnit.MICROS).toString();
            case INTEGER, BIGINT, BOOLEAN, UUID, DOUBLE -> value;
        };
    }

    /**
     * PostgreSQL's text cannot hold U+0000; a guest that reports one must not keep its VM's row
     * from being saved.
     */
    static String storable(String text) {
        return text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD');
    }

    /** The text form of {@code text[]}: every element quoted, so that no content has a meaning. */
    private static String arrayLiteral(List<?> texts) {
        StringBuilder literal = new StringBuilder("{");
        for (Object element : texts) {
            String text = String.valueOf(element);
            literal.append(literal.length() > 1 ? ",\"" : "\"");
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '"' || c == '\\') {
                    literal.append('\\');
                }
                literal.append(c);
            }
            literal.append('"');
        }
        return literal.append('}').toString();
    }

    private static String catalogName(SqlType type) {
        return switch (type) {
            case SMALLINT -> "int2";
            case INTEGER -> "int4";
            case BIGINT -> "int8";
            case BOOLEAN -> "bool";
            case DOUBLE -> "float8";
            case TEXT -> "text";
            case UUID -> "uuid";
            case TIMESTAMPTZ -> "timestamptz";
        };
    }
}
