package org.stillwater.server.api.rows;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.JsonText;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.io.SerializedString;

/**
 * Rows as JSON objects, one member for each column. With ages, each value is an object with its age
 * and the meaning of the age. A row is encoded in memory and given to the generator as a whole; a
 * sink without a generator gathers rows, separated by commas, until they are taken. Used by one
 * thread at a time.
 */
public final class JsonSink implements Sink {

    private static final SerializedString VALUE = new SerializedString("value");
    private static final SerializedString AGE = new SerializedString("ageSeconds");
    private static final SerializedString STATE = new SerializedString("state");
    private static final int ROW_BYTES = 512;
    private static final int LONG_ROW_BYTES = 8 * 1024;

    private final @Nullable JsonGenerator json;
    private final boolean aged;
    private final @Nullable SerializedTextCache shared;
    private final JsonText text;
    private SerializedString groupKey = new SerializedString("");
    private ValueAge age = ValueAge.CURRENT;

    /**
     * A sink for a row or two.
     *
     * @param aged whether every value comes with its age
     */
    public JsonSink(JsonGenerator json, boolean aged) {
        this(json, aged, null, ROW_BYTES);
    }

    private JsonSink(
            @Nullable JsonGenerator json,
            boolean aged,
            @Nullable SerializedTextCache shared,
            int bytes) {
        this.json = json;
        this.aged = aged;
        this.shared = shared;
        this.text = new JsonText(bytes);
    }

    /** A sink for many rows, which encodes common texts once. */
    public static JsonSink ofMany(JsonGenerator json, boolean aged) {
        return new JsonSink(json, aged, new SerializedTextCache(), LONG_ROW_BYTES);
    }

    /** A sink that gathers rows. */
    static JsonSink gathering(boolean aged) {
        return new JsonSink(null, aged, new SerializedTextCache(), LONG_ROW_BYTES);
    }

    /** Gives the gathered rows to a generator, as values of an array, and begins anew. */
    void giveTo(JsonGenerator array) {
        array.writeRawValue(text);
        text.clear();
    }

    /** A whole row. */
    public <R extends AgedRow> void row(R row, List<Column<R>> columns) {
        row(row, columns, _ -> {});
    }

    /**
     * A whole row with more members.
     *
     * @param more adds members behind the columns
     */
    public <R extends AgedRow> void row(R row, List<Column<R>> columns, Composite more) {
        begin();
        text.startObject();
        members(row, columns);
        more.write(text);
        text.endObject();
        end();
    }

    private void begin() {
        if (json != null) {
            text.clear();
        }
    }

    private void end() {
        if (json != null) {
            json.writeRawValue(text);
        }
    }

    /** The value of one column, without its name. */
    public <R extends AgedRow> void value(R row, Column<R> column) {
        begin();
        put(row, column);
        end();
    }

    private <R extends AgedRow> void members(R row, List<Column<R>> columns) {
        String group = "";
        for (int i = 0; i < columns.size(); i++) {
            Column<R> column = columns.get(i);
            if (!column.group().equals(group)) {
                if (!group.isEmpty()) {
                    text.endObject();
                }
                group = column.group();
                if (!group.isEmpty()) {
                    text.name(groupKey(group));
                    text.startObject();
                }
            }
            text.name(column.key());
            put(row, column);
        }
        if (!group.isEmpty()) {
            text.endObject();
        }
    }

    private SerializedString groupKey(String group) {
        if (!groupKey.getValue().equals(group)) {
            groupKey = new SerializedString(group);
        }
        return groupKey;
    }

    private <R extends AgedRow> void put(R row, Column<R> column) {
        if (aged) {
            age = row.age(column.origin());
        }
        column.cell().put(row, this);
    }

    private void open() {
        if (aged) {
            text.startObject();
            text.name(VALUE);
        }
    }

    private void close(boolean known) {
        if (aged) {
            text.name(AGE);
            text.fraction(known ? age.seconds() : Double.NaN);
            text.name(STATE);
            text.text(known ? age.state() : ValueAge.UNKNOWN);
            text.endObject();
        }
    }

    @Override
    public void text(@Nullable String value) {
        open();
        text.text(value);
        close(value != null);
    }

    @Override
    public void text(@Nullable Object value) {
        if (value == null) {
            unknown();
            return;
        }
        open();
        if (shared == null) {
            text.text(value.toString());
        } else {
            text.text(shared.of(value));
        }
        close(true);
    }

    @Override
    public void uuid(long upper, long lower) {
        open();
        text.uuid(upper, lower);
        close(true);
    }

    @Override
    public void whole(long value) {
        open();
        text.whole(value);
        close(true);
    }

    @Override
    public void fraction(double value) {
        open();
        text.fraction(value);
        close(Double.isFinite(value));
    }

    @Override
    public void flag(boolean value) {
        open();
        text.flag(value);
        close(true);
    }

    @Override
    public void unknown() {
        open();
        text.unknown();
        close(false);
    }

    @Override
    public void composite(Composite value) {
        open();
        value.write(text);
        close(true);
    }
}
