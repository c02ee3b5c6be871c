package org.stillwater.server.api.rows;

import tools.jackson.core.io.SerializedString;

/**
 * One value of each row of a table: readers select, filter and sort by it.
 *
 * @param name the name within its group
 * @param group the member that it lies in, empty for none
 * @param type its type, for the interface's description
 * @param origin its origin, which determines its age
 * @param standard whether it is included when nothing is selected
 * @param cell the value of a row
 * @param key the name as the generator writes it
 */
public record Column<R>(
        String name,
        String group,
        Type type,
        Origin origin,
        boolean standard,
        Cell<R> cell,
        SerializedString key) {

    /** The group of numbers that change with every cycle. */
    static final String STATISTICS = "statistics";

    /** Type of a column's values. */
    public enum Type {
        TEXT,
        UUID,
        TIME,
        WHOLE,
        FRACTION,
        FLAG,
        /** Texts, in no order that lists are sorted by. */
        TEXTS,
        LIST
    }

    /** Origin of a value. */
    public enum Origin {
        /** Set by users: it has no age. */
        DEFINED,
        /** The engine decided so: it is as it is. */
        DECIDED,
        /** Reported by a host, with its last report. */
        REPORTED,
        /** A host counted so, at the moment of its numbers. */
        COUNTED
    }

    /** Puts a row's value into a sink: one call of the sink. */
    @FunctionalInterface
    public interface Cell<R> {
        void put(R row, Sink sink);
    }

    public static <R> Column<R> of(String name, Type type, Origin origin, Cell<R> cell) {
        return new Column<>(name, "", type, origin, true, cell, new SerializedString(name));
    }

    public static <R> Column<R> counted(String name, Type type, Cell<R> cell) {
        return new Column<>(
                name, STATISTICS, type, Origin.COUNTED, true, cell, new SerializedString(name));
    }

    /** A copy that is written only on request. */
    public Column<R> onRequest() {
        return new Column<>(name, group, type, origin, false, cell, key);
    }

    /** The name by which it is selected. */
    public String path() {
        return group.isEmpty() ? name : group + "." + name;
    }

    /** Whether it changes with every cycle. */
    public boolean isStatistic() {
        return origin == Origin.COUNTED;
    }

    /** Whether only requests for statistics include it. */
    public boolean isLeftOut() {
        return group.equals(STATISTICS);
    }

    /** The same outside any group. */
    public Column<R> flat() {
        return new Column<>(name, "", type, origin, standard, cell, key);
    }

    /** The same within another group. */
    public Column<R> in(String other) {
        return new Column<>(name, other, type, origin, standard, cell, key);
    }
}
