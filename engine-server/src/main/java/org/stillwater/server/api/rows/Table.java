package org.stillwater.server.api.rows;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;

/**
 * The columns of one kind of row, by name. Immutable.
 *
 * @param <R> a row
 */
public final class Table<R> {

    private static final int MOST_FIELDS = 200;

    private final Map<String, Column<R>> columns = new LinkedHashMap<>();
    private final Map<String, String> shortNames;

    /**
     * @param columns in the order of answers, those of one group together
     * @param shortNames other names of columns, for sorting
     */
    public Table(List<Column<R>> columns, Map<String, String> shortNames) {
        columns.forEach(column -> this.columns.put(column.path(), column));
        this.shortNames = Map.copyOf(shortNames);
    }

    public List<Column<R>> columns() {
        return List.copyOf(columns.values());
    }

    /**
     * Columns of a list.
     *
     * @param fields names by commas, empty for the standard ones; {@code statistics} stands for all
     *     of its group
     * @param statistics whether the group of statistics is included when nothing is selected
     */
    public List<Column<R>> select(String fields, boolean statistics) {
        List<Column<R>> selected = new ArrayList<>();
        if (fields.isBlank()) {
            for (Column<R> column : columns.values()) {
                if (column.standard() && (statistics || !column.isLeftOut())) {
                    selected.add(column);
                }
            }
            return selected;
        }
        Set<Column<R>> named = new LinkedHashSet<>();
        Set<String> unknown = new LinkedHashSet<>();
        String[] names = fields.split(",", MOST_FIELDS + 2);
        if (names.length > MOST_FIELDS) {
            throw ApiException.badRequest("fields names at most " + MOST_FIELDS + " fields");
        }
        for (String text : names) {
            String name = text.strip();
            if (name.equals(Column.STATISTICS)) {
                columns.values().stream()
                        .filter(column -> column.isLeftOut() && column.standard())
                        .forEach(named::add);
                continue;
            }
            Column<R> column = find(name);
            if (column != null) {
                named.add(column);
            } else if (!name.isEmpty()) {
                unknown.add(Ids.shortened(name));
            }
        }
        if (statistics) {
            columns.values().stream()
                    .filter(column -> column.isLeftOut() && column.standard())
                    .forEach(named::add);
        }
        if (!unknown.isEmpty() || named.isEmpty()) {
            throw ApiException.badRequest(
                    "fields has %s; there are %s"
                            .formatted(
                                    unknown.isEmpty()
                                            ? "nothing"
                                            : "no field "
                                                    + String.join(
                                                            ", ",
                                                            unknown.stream().limit(10).toList()),
                                    String.join(", ", columns.keySet())));
        }
        // Members of a group are written together, in the order of the groups.
        Set<String> groups = new LinkedHashSet<>();
        groups.add("");
        columns.values().forEach(column -> groups.add(column.group()));
        for (String group : groups) {
            named.stream().filter(column -> column.group().equals(group)).forEach(selected::add);
        }
        return selected;
    }

    /** A column by its path, or by its name alone where that belongs to the statistics. */
    @Nullable Column<R> find(String name) {
        Column<R> column = columns.get(name);
        return column != null ? column : columns.get(Column.STATISTICS + "." + name);
    }

    /** The column that a sort key names. */
    Column<R> sortKey(String name) {
        Column<R> column = find(shortNames.getOrDefault(name, name));
        if (column == null
                || column.type() == Column.Type.LIST
                || column.type() == Column.Type.TEXTS) {
            throw ApiException.badRequest(
                    "sort has no key %s; there are %s and every field that has one value"
                            .formatted(
                                    Ids.shortened(name),
                                    String.join(
                                            ", ", shortNames.keySet().stream().sorted().toList())));
        }
        return column;
    }
}
