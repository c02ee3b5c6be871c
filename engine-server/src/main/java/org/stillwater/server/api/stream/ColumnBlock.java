package org.stillwater.server.api.stream;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.JsonSink;
import org.stillwater.server.api.rows.Sink;
import org.stillwater.server.api.vm.VmRow;
import tools.jackson.core.JsonGenerator;

/**
 * Some VMs as JSON by columns: {@code {"count": 2, "columns": {"name": ["a", "b"], "status":
 * {"values": ["up"], "at": [0, 0]}}}}. A column with few different values has each of them once,
 * and for each VM its index. Used by one thread.
 */
final class ColumnBlock {

    /** A column with more different values than this part of the VMs has the values themselves. */
    private static final int PART = 4;

    private final List<VmRow.Pinned> vms;
    private final List<Column<VmRow>> columns;
    private final VmRow row;
    private final @Nullable Object[] values;

    ColumnBlock(List<VmRow.Pinned> vms, List<Column<VmRow>> columns, VmRow row) {
        this.vms = vms;
        this.columns = columns;
        this.row = row;
        this.values = new @Nullable Object[vms.size()];
    }

    /** Writes one value: the object. */
    void write(JsonGenerator to) {
        to.writeStartObject();
        to.writeNumberProperty("count", vms.size());
        to.writeObjectPropertyStart("columns");
        for (Column<VmRow> column : columns) {
            to.writeName(column.key());
            write(to, column);
        }
        to.writeEndObject();
        to.writeEndObject();
    }

    private void write(JsonGenerator to, Column<VmRow> column) {
        Capture capture = new Capture();
        for (int i = 0; i < values.length; i++) {
            column.cell().put(row.of(vms.get(i)), capture);
            values[i] = capture.value;
        }
        if (capture.hasParts) {
            JsonSink sink = new JsonSink(to, false);
            to.writeStartArray();
            vms.forEach(vm -> sink.value(row.of(vm), column));
            to.writeEndArray();
            return;
        }
        Map<@Nullable Object, Integer> different = new LinkedHashMap<>();
        int most = values.length / PART;
        for (int i = 0; i < values.length && different.size() <= most; i++) {
            different.putIfAbsent(values[i], different.size());
        }
        if (different.size() > most) {
            to.writeStartArray();
            for (Object value : values) {
                write(to, value);
            }
            to.writeEndArray();
            return;
        }
        to.writeStartObject();
        to.writeArrayPropertyStart("values");
        for (Object value : different.keySet()) {
            write(to, value);
        }
        to.writeEndArray();
        to.writeArrayPropertyStart("at");
        for (Object value : values) {
            to.writeNumber(different.getOrDefault(value, 0));
        }
        to.writeEndArray();
        to.writeEndObject();
    }

    private static void write(JsonGenerator to, @Nullable Object value) {
        switch (value) {
            case null -> to.writeNull();
            case Long whole -> to.writeNumber(whole.longValue());
            case Double fraction -> to.writeNumber(fraction.doubleValue());
            case Boolean flag -> to.writeBoolean(flag.booleanValue());
            case List<?> texts -> {
                to.writeStartArray();
                texts.forEach(text -> to.writeString(String.valueOf(text)));
                to.writeEndArray();
            }
            default -> to.writeString(value.toString());
        }
    }

    /** Keeps a value. */
    private static final class Capture implements Sink {

        private @Nullable Object value;
        private boolean hasParts;

        @Override
        public void text(@Nullable String text) {
            value = text;
        }

        @Override
        public void text(@Nullable Object text) {
            value = text;
        }

        @Override
        public void texts(List<String> texts) {
            value = texts;
        }

        @Override
        public void whole(long whole) {
            value = whole;
        }

        @Override
        public void fraction(double fraction) {
            value = Double.isFinite(fraction) ? (Object) fraction : null;
        }

        @Override
        public void flag(boolean flag) {
            value = flag;
        }

        @Override
        public void unknown() {
            value = null;
        }

        @Override
        public void composite(Composite parts) {
            hasParts = true;
            value = null;
        }
    }
}
