package org.stillwater.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.cli.Engine.Parameter;
import org.stillwater.cli.Rows.Column;
import org.stillwater.cli.Rows.Form;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of every list: which entries, which columns, in which form, and for how long. */
final class Listing {

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = {"-f", "--filter"},
            paramLabel = "NAME=VALUE",
            description =
                    "Only entries of which this holds: a query parameter of the REST interface,"
                            + " such as status=up,paused or host=host-1. Several must all hold.")
    private List<String> filters = new ArrayList<>();

    @Option(
            names = {"-c", "--columns"},
            paramLabel = "NAME,…",
            split = ",",
            description =
                    "Columns: members of the entries, such as"
                            + " name,status,statistics.usageCpuPercent.")
    private List<String> columns = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            defaultValue = "table",
            description = "table, json (an object a line) or csv (default: table).")
    private Form form = Form.TABLE;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "At most so many entries (default: all; of events and operations 50).")
    private @Nullable Integer limit;

    @Option(
            names = {"-w", "--watch"},
            description = "Then follow the changes, until Ctrl-C.")
    private boolean watch;

    @Option(
            names = "--for",
            paramLabel = "SPAN",
            description = "Watch for so long, such as 90s or 10m.")
    private @Nullable String span;

    @Option(
            names = "--changes",
            paramLabel = "N",
            description = "Watch until so many changes have come.")
    private @Nullable Integer changes;

    Form form() {
        return form;
    }

    /** Whether entries keep the engine's own JSON: JSON output without a choice of columns. */
    boolean isWhole() {
        return form == Form.JSON && columns.isEmpty();
    }

    boolean watches() {
        return span() != null || changes() < Integer.MAX_VALUE || watch;
    }

    /** Watches also without an option. */
    void watchToo() {
        watch = true;
    }

    /** How long to watch; null for until it is stopped. */
    private @Nullable Duration span() {
        if (span == null) {
            return null;
        }
        Duration length;
        try {
            length = Texts.duration(span);
        } catch (IllegalArgumentException e) {
            throw wrong("--for: " + e.getMessage());
        }
        if (length.isNegative()) {
            throw wrong("--for is a time span such as 90s, not " + span);
        }
        return length;
    }

    /**
     * When a watch that starts now ends, as {@link System#nanoTime}; null for until it is stopped.
     */
    @Nullable Long untilNanos() {
        Duration length = span();
        return length == null ? null : (Long) (System.nanoTime() + length.toNanos());
    }

    /** How many changes to wait for. */
    int changes() {
        if (changes == null) {
            return Integer.MAX_VALUE;
        }
        if (changes < 1) {
            throw wrong("--changes is a number from 1 on");
        }
        return changes;
    }

    int limit(int standard) {
        if (limit == null) {
            return standard;
        }
        if (limit < 1) {
            throw wrong("--limit is a number from 1 on");
        }
        return limit;
    }

    /**
     * The columns that are requested, else the standard ones.
     *
     * @param standard short names
     * @param shortNames paths by short name
     */
    List<Column> columns(List<String> standard, Map<String, String> shortNames) {
        List<Column> all = new ArrayList<>();
        for (String each : columns.isEmpty() ? standard : columns) {
            String name = each.strip();
            if (!name.isEmpty()) {
                String path = shortNames.get(name);
                all.add(path == null ? Column.of(name) : new Column(name, path));
            }
        }
        if (all.isEmpty()) {
            throw wrong("--columns names none");
        }
        return all;
    }

    /**
     * Refuses a requested column that no entry has. The engine writes every member of an entry,
     * also without a value, so a missing one has a wrong name.
     */
    void checkColumns(List<Json> entries, Map<String, String> shortNames) {
        if (columns.isEmpty() || !(entries.stream().findFirst().orElse(null) instanceof Json.Obj)) {
            return;
        }
        Set<String> known = new LinkedHashSet<>();
        for (Json entry : entries) {
            if (entry instanceof Json.Obj(var members)) {
                known.addAll(members.keySet());
            }
        }
        for (Column column : columns(List.of(), shortNames)) {
            String member = column.path().replaceFirst("\\..*", "");
            if (!known.contains(member)) {
                throw wrong(
                        "--columns: there is no %s; there are %s"
                                .formatted(member, String.join(", ", known)));
            }
        }
    }

    List<Parameter> filters() {
        List<Parameter> all = new ArrayList<>();
        for (String filter : filters) {
            int end = filter.indexOf('=');
            if (end < 1) {
                throw wrong("--filter is a name and a value, such as status=up, not " + filter);
            }
            all.add(new Parameter(filter.substring(0, end).strip(), filter.substring(end + 1)));
        }
        return all;
    }

    private ParameterException wrong(String message) {
        if (command == null) {
            throw new IllegalStateException("not a part of a command");
        }
        return new ParameterException(command.commandLine(), message);
    }
}
