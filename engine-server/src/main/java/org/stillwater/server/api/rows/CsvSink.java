package org.stillwater.server.api.rows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.JsonText;

/**
 * Rows as lines of CSV (RFC 4180): a header, then one line for each row; unknown values are empty,
 * structures are JSON. Texts that a spreadsheet would take for a formula are quoted with an
 * apostrophe. Used by one thread.
 */
public final class CsvSink implements Sink {

    private static final String LINE_END = "\r\n";

    private final Writer out;
    private final JsonText parts = new JsonText(512);
    private final boolean aged;
    private boolean first = true;
    private ValueAge age = ValueAge.CURRENT;

    public CsvSink(Writer out, boolean aged) {
        this.out = out;
        this.aged = aged;
    }

    public void header(List<? extends Column<?>> columns) {
        columns.forEach(column -> {
            String name = column.path();
            field(name);
            if (aged) {
                field(name + ".ageSeconds");
                field(name + ".state");
            }
        });
    }

    public <R extends AgedRow> void row(R row, List<Column<R>> columns) {
        for (int i = 0; i < columns.size(); i++) {
            Column<R> column = columns.get(i);
            if (aged) {
                age = row.age(column.origin());
            }
            column.cell().put(row, this);
        }
    }

    public void end() {
        write(LINE_END);
        first = true;
    }

    public void skip(int columns) {
        for (int i = 0; i < (aged ? 3 * columns : columns); i++) {
            field("");
        }
    }

    public void field(String text) {
        if (!first) {
            write(",");
        }
        first = false;
        write(text);
    }

    private void value(String text) {
        field(text);
        if (aged) {
            field(Double.isNaN(age.seconds()) ? "" : Double.toString(age.seconds()));
            field(age.state());
        }
    }

    private void write(String text) {
        try {
            out.write(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String quoted(String text) {
        String harmless =
                !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
        boolean plain = true;
        for (int i = 0; i < harmless.length() && plain; i++) {
            char c = harmless.charAt(i);
            plain = c != ',' && c != '"' && c != '\n' && c != '\r';
        }
        return plain ? harmless : '"' + harmless.replace("\"", "\"\"") + '"';
    }

    @Override
    public void text(@Nullable String value) {
        if (value == null) {
            unknown();
        } else {
            value(quoted(value));
        }
    }

    @Override
    public void whole(long value) {
        value(Long.toString(value));
    }

    @Override
    public void fraction(double value) {
        if (Double.isFinite(value)) {
            value(Double.toString(value));
        } else {
            unknown();
        }
    }

    @Override
    public void flag(boolean value) {
        value(Boolean.toString(value));
    }

    @Override
    public void unknown() {
        field("");
        if (aged) {
            field("");
            field(ValueAge.UNKNOWN);
        }
    }

    @Override
    public void composite(Composite value) {
        parts.clear();
        value.write(parts);
        value('"' + parts.toString().replace("\"", "\"\"") + '"');
    }
}
