package org.stillwater.core.vm;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Coded;
import org.stillwater.core.value.SqlType;

/**
 * How a value of {@link RuntimeField} is held in memory and stored in its column. Null stands for
 * "nothing known" on both sides.
 *
 * <p>The conversion to the column loses nothing that monitoring compares: {@code fromSql(toSql(v))}
 * equals {@code v}.
 */
@SuppressWarnings("ImmutableEnumChecker") // the conversions are stateless
public enum FieldType {
    TEXT(SqlType.TEXT, String.class, value -> value, value -> value),
    INTEGER(SqlType.INTEGER, Integer.class, value -> value, value -> ((Number) value).intValue()),
    LONG(SqlType.BIGINT, Long.class, value -> value, value -> ((Number) value).longValue()),
    BOOLEAN(SqlType.BOOLEAN, Boolean.class, value -> value, value -> value),
    VM_STATUS(
            SqlType.SMALLINT,
            VmStatus.class,
            FieldType::code,
            value -> VmStatus.ofCode(intOf(value))),
    PAUSE_STATUS(
            SqlType.SMALLINT,
            PauseStatus.class,
            FieldType::code,
            value -> PauseStatus.ofCode(intOf(value))),
    EXIT_STATUS(
            SqlType.SMALLINT,
            ExitStatus.class,
            FieldType::code,
            value -> ExitStatus.ofCode(intOf(value))),
    EXIT_REASON(
            SqlType.SMALLINT,
            ExitReason.class,
            FieldType::code,
            value -> ExitReason.ofCode(intOf(value))),
    GUEST_SESSION(
            SqlType.SMALLINT,
            GuestSession.class,
            FieldType::code,
            value -> GuestSession.ofCode(intOf(value))),
    /**
     * The list itself lives in {@code vm_guest_agent_interfaces}; the column keeps its digest.
     * Reading the column alone gives the digest with no interfaces; the store completes it.
     */
    GUEST_NICS(
            SqlType.BIGINT,
            GuestNics.class,
            value -> ((GuestNics) value).digest(),
            value -> new GuestNics(((Number) value).longValue(), java.util.List.of()));

    private final SqlType sqlType;
    private final Class<?> javaType;
    private final Function<Object, Object> toSql;
    private final Function<Object, Object> fromSql;

    FieldType(
            SqlType sqlType,
            Class<?> javaType,
            Function<Object, Object> toSql,
            Function<Object, Object> fromSql) {
        this.sqlType = sqlType;
        this.javaType = javaType;
        this.toSql = toSql;
        this.fromSql = fromSql;
    }

    /** Type of the column. */
    public SqlType sqlType() {
        return sqlType;
    }

    /** Class of the value in memory. */
    public Class<?> javaType() {
        return javaType;
    }

    /**
     * The value as the column stores it: {@code Integer}, {@code Long}, {@code String} or {@code
     * Boolean}.
     */
    public @Nullable Object toSql(@Nullable Object value) {
        return value == null ? null : toSql.apply(value);
    }

    /** The value in memory for a column's value. */
    public @Nullable Object fromSql(@Nullable Object column) {
        return column == null ? null : fromSql.apply(column);
    }

    private static Object code(Object value) {
        return ((Coded) value).code();
    }

    private static int intOf(Object value) {
        return ((Number) value).intValue();
    }
}
