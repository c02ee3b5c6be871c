package org.stillwater.core.value;

/** PostgreSQL types that monitoring's columns use. */
public enum SqlType {
    SMALLINT("smallint"),
    INTEGER("integer"),
    BIGINT("bigint"),
    TEXT("text"),
    BOOLEAN("boolean"),
    DOUBLE("double precision"),
    UUID("uuid"),
    TIMESTAMPTZ("timestamptz");

    private final String sqlName;

    SqlType(String sqlName) {
        this.sqlName = sqlName;
    }

    /** Name in SQL. */
    public String sqlName() {
        return sqlName;
    }
}
