package org.stillwater.dal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.JDBCType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One statement of the collector of oVirt's data warehouse, as {@code dwh/collector-4.5.txt} has
 * it; the format is explained there.
 */
sealed interface CollectorStatement {

    /** Job of the collector, and what the statement is about. */
    String name();

    /** The table or view. */
    String relation();

    /**
     * A statement that reads.
     *
     * @param condition the rest of the statement after the relation, empty for nothing
     * @param rows whether a fleet that runs has rows for it
     */
    record Read(
            String name, String relation, String condition, boolean rows, List<Selected> columns)
            implements CollectorStatement {

        String sql() {
            return columns.stream()
                    .map(column -> column.expression() + " AS \"" + column.name() + '"')
                    .collect(
                            Collectors.joining(
                                    ", ", "SELECT ", " FROM " + relation + " " + condition));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * A column that is read.
     *
     * @param getter type in Java
     * @param required whether the history takes no null
     */
    record Selected(
            String name, JDBCType type, String getter, boolean required, String expression) {}

    /**
     * A statement that writes.
     *
     * @param key names the row to update; empty for a statement that only adds
     */
    record Write(String name, String relation, List<Given> key, List<Given> values)
            implements CollectorStatement {
        @Override
        public String toString() {
            return name;
        }
    }

    /** A column that is written, with the type in Java and the value as text. */
    record Given(String column, String type, String value) {}

    /** All statements, in the order of the file. */
    static List<CollectorStatement> all() {
        String text;
        try (InputStream in =
                Objects.requireNonNull(
                        CollectorStatement.class.getResourceAsStream("/dwh/collector-4.5.txt"))) {
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<CollectorStatement> all = new ArrayList<>();
        for (String block : text.split("\n\\s*\n")) {
            if (!block.startsWith("#")) {
                List<String> lines = block.strip().lines().map(String::strip).toList();
                all.add(
                        lines.getFirst().startsWith("read ")
                                ? read(lines.getFirst().substring(5), lines)
                                : write(lines.getFirst().substring(6), lines));
            }
        }
        return all;
    }

    private static Read read(String name, List<String> lines) {
        String[] from = after("from", lines.get(1)).split(" ", 2);
        List<Selected> columns = new ArrayList<>();
        for (String line : lines.subList(3, lines.size())) {
            String[] parts = line.split(" ", 4);
            String expression = parts.length < 4 ? parts[0] : parts[3];
            Matcher join = Pattern.compile("join\\((\\w+)\\)").matcher(expression);
            columns.add(
                    new Selected(
                            parts[0],
                            JDBCType.valueOf(parts[1]),
                            parts[2].replace("!", ""),
                            parts[2].endsWith("!"),
                            join.replaceAll("upper(cast($1 AS char(36)))")));
        }
        return new Read(
                name,
                from[0],
                from.length < 2 ? "" : from[1],
                switch (lines.get(2)) {
                    case "rows" -> true;
                    case "none" -> false;
                    default -> throw new IllegalArgumentException(name + ": " + lines.get(2));
                },
                columns);
    }

    private static Write write(String name, List<String> lines) {
        List<Given> key = new ArrayList<>();
        List<Given> values = new ArrayList<>();
        for (String line : lines.subList(2, lines.size())) {
            String[] parts = line.split(" ", 4);
            (parts[0].equals("key") ? key : values).add(new Given(parts[1], parts[2], parts[3]));
        }
        return new Write(name, after("into", lines.get(1)), key, values);
    }

    private static String after(String word, String line) {
        if (!line.startsWith(word + " ")) {
            throw new IllegalArgumentException("not " + word + ": " + line);
        }
        return line.substring(word.length() + 1);
    }
}
