package org.stillwater.server.api.rows;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.io.SerializedString;

/**
 * Rows as JSON objects, one member for each column. With ages, each value is an object with its age
 * and the meaning of the age. Used by one thread.
 */
public final class JsonSink implements Sink {

    private static final SerializedString VALUE = new SerializedString("value");
    private static final SerializedString AGE = new SerializedString("ageSeconds");
    private static final SerializedString STATE = new SerializedString("state");

    private final JsonGenerator json;
    private final boolean aged;
    private final @Nullable SerializedTextCache shared;
    private final Decimals decimals = new Decimals();
    private ValueAge age = ValueAge.CURRENT;

    /**
     * A sink for a row or two.
     *
     * @param aged whether every value comes with its age
     */
    public JsonSink(JsonGenerator json, boolean aged) {
        this(json, aged, null);
    }

    private JsonSink(JsonGenerator json, boolean aged, @Nullable SerializedTextCache shared) {
        this.json = json;
        this.aged = aged;
        this.shared = shared;
    }

    /** A sink for many rows, which encodes common texts once. */
    public static JsonSink ofMany(JsonGenerator json, boolean aged) {
        return new JsonSink(json, aged, new SerializedTextCache());
    }

    /** A whole row. */
    public <R extends AgedRow> void row(R row, List<Column<R>> columns) {
        json.writeStartObject();
        members(row, columns);
        json.writeEndObject();
    }

    /** The members of a row, in an object that is open. */
    public <R extends AgedRow> void members(R row, List<Column<R>> columns) {
        String group = "";
        for (int i = 0; i < columns.size(); i++) {
            Column<R> column = columns.get(i);
            if (!column.group().equals(group)) {
                if (!group.isEmpty()) {
                    json.writeEndObject();
                }
                group = column.group();
                if (!group.isEmpty()) {
                    json.writeObjectPropertyStart(group);
                }
            }
            json.writeName(column.key());
            if (aged) {
                age = row.age(column.origin());
            }
            column.cell().put(row, this);
        }
        if (!group.isEmpty()) {
            json.writeEndObject();
        }
    }

    private void open() {
        if (aged) {
            json.writeStartObject();
            json.writeName(VALUE);
        }
    }

    private void close(boolean known) {
        if (aged) {
            json.writeName(AGE);
            if (!known || Double.isNaN(age.seconds())) {
                json.writeNull();
            } else {
                json.writeNumber(age.seconds());
            }
            json.writeName(STATE);
            json.writeString(known ? age.state() : ValueAge.UNKNOWN);
            json.writeEndObject();
        }
    }

    @Override
    public void text(@Nullable String value) {
        if (value == null) {
            unknown();
            return;
        }
        open();
        json.writeString(value);
        close(true);
    }

    @Override
    public void text(@Nullable Object value) {
        if (value == null) {
            unknown();
            return;
        }
        open();
        if (shared == null) {
            json.writeString(value.toString());
        } else {
            json.writeString(shared.of(value));
        }
        close(true);
    }

    @Override
    public void whole(long value) {
        open();
        json.writeNumber(value);
        close(true);
    }

    @Override
    public void fraction(double value) {
        if (!Double.isFinite(value)) {
            unknown();
            return;
        }
        open();
        decimals.write(json, value);
        close(true);
    }

    @Override
    public void flag(boolean value) {
        open();
        json.writeBoolean(value);
        close(true);
    }

    @Override
    public void unknown() {
        open();
        json.writeNull();
        close(false);
    }

    @Override
    public void composite(Composite value) {
        open();
        value.write(json);
        close(true);
    }
}
