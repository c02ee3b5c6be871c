package org.stillwater.server.api.stream;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.JsonSink;
import org.stillwater.server.api.rows.Sink;
import org.stillwater.server.api.vm.VmRow;
import tools.jackson.core.JsonGenerator;

/**
 * Some VMs as JSON by columns: {@code {"count": 2, "columns": {"name": ["a", "b"], "status":
 * {"values": ["up"], "at": [0, 0]}}}}. A column with few different values has each of them once,
 * and for each VM its index. Packed, a column of whole numbers or times has the least one, and for
 * each VM the difference: {@code {"least": 1795857402120626, "more": [0, 235518]}}; times are
 * milliseconds since the epoch. Used by one thread.
 */
final class ColumnBlock {

    /** A column with more different values than this part of the VMs has the values themselves. */
    private static final int PART = 4;

    private final List<VmRow.Pinned> vms;
    private final List<Column<VmRow>> columns;
    private final VmRow row;
    private final SnapshotForm form;
    private final @Nullable Object[][] values; // by column
    private final boolean[] hasParts; // by column

    /** A block of which nothing is written. */
    ColumnBlock(List<VmRow.Pinned> vms, List<Column<VmRow>> columns, VmRow row, SnapshotForm form) {
        this.vms = vms;
        this.columns = columns;
        this.row = row;
        this.form = form;
        this.values = new @Nullable Object[columns.size()][vms.size()];
        this.hasParts = new boolean[columns.size()];
    }

    /** Writes one value: the object. */
    void write(JsonGenerator to) {
        read();
        to.writeStartObject();
        to.writeNumberProperty("count", vms.size());
        to.writeObjectPropertyStart("columns");
        for (int i = 0; i < values.length; i++) {
            to.writeName(columns.get(i).key());
            if (hasParts[i]) {
                writeParts(to, columns.get(i));
            } else if (form == SnapshotForm.PACKED && isNumeric(columns.get(i))) {
                writePacked(to, values[i]);
            } else {
                write(to, values[i]);
            }
        }
        to.writeEndObject();
        to.writeEndObject();
    }

    /**
     * Reads VM by VM: the objects of one lie together, and a pass over all VMs for each column
     * would wait for memory each time.
     */
    private void read() {
        Capture capture = new Capture();
        for (int vm = 0; vm < vms.size(); vm++) {
            VmRow at = row.of(vms.get(vm));
            for (int i = 0; i < values.length; i++) {
                columns.get(i).cell().put(at, capture);
                values[i][vm] = capture.value;
                hasParts[i] |= capture.hasParts;
                capture.hasParts = false;
            }
        }
    }

    private void writeParts(JsonGenerator to, Column<VmRow> column) {
        JsonSink sink = new JsonSink(to, false);
        to.writeStartArray();
        vms.forEach(vm -> sink.value(row.of(vm), column));
        to.writeEndArray();
    }

    private static boolean isNumeric(Column<VmRow> column) {
        return column.type() == Column.Type.TIME || column.type() == Column.Type.WHOLE;
    }

    private static void writePacked(JsonGenerator to, @Nullable Object[] values) {
        long least = Long.MAX_VALUE;
        for (Object value : values) {
            if (value != null) {
                least = Math.min(least, number(value));
            }
        }
        to.writeStartObject();
        to.writeNumberProperty("least", least == Long.MAX_VALUE ? 0 : least);
        to.writeArrayPropertyStart("more");
        for (Object value : values) {
            if (value == null) {
                to.writeNull();
            } else {
                to.writeNumber(number(value) - least);
            }
        }
        to.writeEndArray();
        to.writeEndObject();
    }

    private static long number(Object value) {
        return switch (value) {
            case Instant time -> time.toEpochMilli();
            case Long whole -> whole.longValue();
            default -> throw new IllegalStateException(value + " is no number");
        };
    }

    private static void write(JsonGenerator to, @Nullable Object[] values) {
        int most = values.length / PART;
        int[] at = new int[values.length];
        Map<@Nullable Object, Integer> different = new LinkedHashMap<>();
        for (int i = 0; i < values.length && different.size() <= most; i++) {
            boolean repeated = i > 0 && Objects.equals(values[i], values[i - 1]);
            at[i] = repeated ? at[i - 1] : indexOf(values[i], different);
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
        to.writeName("at");
        to.writeArray(at, 0, at.length);
        to.writeEndObject();
    }

    /** The index of a value among the different ones, which it joins. */
    private static int indexOf(@Nullable Object value, Map<@Nullable Object, Integer> different) {
        Integer known = different.putIfAbsent(value, different.size());
        return known == null ? different.size() - 1 : known;
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
