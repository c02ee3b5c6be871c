package org.stillwater.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Rows of a list in one of three forms: a table for people, an object of JSON a line, or CSV (RFC
 * 4180). Used by one thread.
 */
final class Rows {

    /** Number of rows that determine a table's widths before the first row is printed. */
    private static final int LOOKED_AT = 1_000;

    private static final String GAP = "  ";
    private static final String UNKNOWN = "-";

    /** The form of an answer. */
    enum Form {
        TABLE,
        JSON,
        CSV;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A column.
     *
     * @param title in a table
     * @param path of the value in an object of the engine
     */
    record Column(String title, String path) {

        /** The column of a member, with the last part of its path as title. */
        static Column of(String path) {
            return new Column(path.substring(path.lastIndexOf('.') + 1), path);
        }

        Json of(Json row) {
            Json value = row.at(path);
            return value.isNull() && path.indexOf('.') < 0 ? row.at("statistics." + path) : value;
        }
    }

    private final PrintWriter out;
    private final Form form;
    private final List<Column> columns;
    private final List<List<Json>> held = new ArrayList<>();
    private int[] widths = {};
    private boolean[] right = {};
    private boolean begun;

    /**
     * @param columns none for whole objects of JSON
     */
    Rows(PrintWriter out, Form form, List<Column> columns) {
        this.out = out;
        this.form = form;
        this.columns = List.copyOf(columns);
    }

    /** One more row; a table may print it later. */
    void add(Json row) {
        List<Json> cells = new ArrayList<>(columns.size());
        for (Column column : columns) {
            cells.add(column.of(row));
        }
        switch (form) {
            case TABLE -> {
                if (begun) {
                    line(cells);
                } else {
                    held.add(cells);
                    if (held.size() >= LOOKED_AT) {
                        begin();
                    }
                }
            }
            case JSON -> out.println((columns.isEmpty() ? row : object(cells)).written());
            case CSV -> {
                header();
                List<String> fields = new ArrayList<>(cells.size());
                cells.forEach(cell -> fields.add(Texts.csv(cell.text())));
                out.print(String.join(",", fields) + "\r\n");
            }
        }
    }

    /** Prints the held rows; later rows are printed at once, in the same widths. */
    void show() {
        switch (form) {
            case TABLE -> {
                if (!begun) {
                    begin();
                }
            }
            case CSV -> header();
            case JSON -> {}
        }
        out.flush();
    }

    private void header() {
        if (!begun) {
            begun = true;
            List<String> names = new ArrayList<>(columns.size());
            columns.forEach(column -> names.add(Texts.csv(column.path())));
            out.print(String.join(",", names) + "\r\n");
        }
    }

    private Json object(List<Json> cells) {
        Map<String, Json> members = new LinkedHashMap<>();
        for (int i = 0; i < cells.size(); i++) {
            members.put(columns.get(i).path(), cells.get(i));
        }
        return new Json.Obj(members);
    }

    private void begin() {
        begun = true;
        widths = new int[columns.size()];
        right = new boolean[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] = columns.get(i).title().length();
            held.forEach(row ->
                    widths[column] = Math.max(widths[column], cell(row.get(column)).length()));
            right[i] =
                    held.stream().anyMatch(row -> row.get(column) instanceof Json.Num)
                            && held.stream()
                                    .allMatch(row ->
                                            row.get(column) instanceof Json.Num
                                                    || row.get(column).isNull());
        }
        List<Json> titles = new ArrayList<>();
        columns.forEach(column -> titles.add(Json.of(column.title().toUpperCase(Locale.ROOT))));
        line(titles);
        held.forEach(this::line);
        held.clear();
    }

    private void line(List<Json> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String text = cell(cells.get(i));
            String pad = " ".repeat(Math.max(0, widths[i] - text.length()));
            line.append(i == 0 ? "" : GAP).append(right[i] ? pad + text : text + pad);
        }
        out.println(line.toString().stripTrailing());
    }

    private static String cell(Json value) {
        if (value instanceof Json.Array(var items)) {
            List<String> texts = new ArrayList<>(items.size());
            items.forEach(item -> texts.add(item.text()));
            return texts.isEmpty() ? UNKNOWN : Texts.visible(String.join(", ", texts));
        }
        String text = Texts.visible(value.text());
        return text.isEmpty() ? UNKNOWN : text;
    }

    /** All members of one object, a line each; those that are not known are left out. */
    static void details(PrintWriter out, Json object) {
        Map<String, String> lines = new LinkedHashMap<>();
        flatten("", object, lines);
        int width = lines.keySet().stream().mapToInt(String::length).max().orElse(0);
        lines.forEach(
                (name, text) -> out.println(name + " ".repeat(width - name.length()) + GAP + text));
    }

    private static void flatten(String path, Json value, Map<String, String> lines) {
        switch (value) {
            case Json.Obj(Map<String, Json> members) ->
                    members.forEach((name, member) ->
                            flatten(path.isEmpty() ? name : path + "." + name, member, lines));
            case Json.Array(List<Json> items) -> {
                boolean scalars =
                        items.stream()
                                .noneMatch(item ->
                                        item instanceof Json.Obj || item instanceof Json.Array);
                if (scalars) {
                    if (!items.isEmpty()) {
                        lines.put(path, cell(value));
                    }
                } else {
                    for (int i = 0; i < items.size(); i++) {
                        flatten(path + "[" + i + "]", items.get(i), lines);
                    }
                }
            }
            case Json.Null _ -> {}
            case Json.Text _, Json.Num _, Json.Bool _ -> lines.put(path, cell(value));
        }
    }
}
