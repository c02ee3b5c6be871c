package org.stillwater.dal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.CopyOut;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.stillwater.core.id.VmId;
import org.stillwater.core.value.SqlType;

/**
 * One {@code COPY … FROM STDIN (FORMAT binary)}: values travel bit by bit as they are, and nothing
 * is escaped, printed or parsed. Rows leave in chunks of {@value #CHUNK} bytes, so memory does not
 * grow with their number. Used by one thread, within a transaction; closed before {@link #finish},
 * it takes everything back.
 *
 * <p>The format is that of the PostgreSQL manual, page of {@code COPY}, "Binary Format". {@link
 * Rows} reads it.
 */
final class BinaryCopy implements AutoCloseable {

    private static final int CHUNK = 64 * 1024;
    private static final byte[] SIGNATURE =
            "PGCOPY\n\u00ff\r\n\0".getBytes(StandardCharsets.ISO_8859_1);
    private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");

    /** Room for a count or a length with the longest value of a fixed size, a UUID. */
    private static final int LONGEST_VALUE = 4 + 16;

    /** Bytes of an array before its dimensions, and those of one dimension. */
    private static final int ARRAY_HEAD = 3 * Integer.BYTES;

    private static final int DIMENSION = 2 * Integer.BYTES;
    private static final byte JSON_VERSION = 1;

    private final CopyIn copy;
    private final ByteBuffer buffer = ByteBuffer.allocate(CHUNK);

    /** Begins. */
    BinaryCopy(Connection connection, String sql) throws SQLException {
        copy = new CopyManager(connection.unwrap(BaseConnection.class)).copyIn(sql);
        buffer.put(SIGNATURE).putInt(0).putInt(0);
    }

    /** The time as the format has it: µs since 2000. */
    static long micros(Instant time) {
        return ChronoUnit.MICROS.between(EPOCH, time);
    }

    /** Begins a row with this number of values. */
    void row(int values) throws SQLException {
        makeRoom();
        buffer.putShort((short) values);
    }

    void uuid(long upper, long lower) throws SQLException {
        makeRoom();
        buffer.putInt(Long.BYTES * 2).putLong(upper).putLong(lower);
    }

    /** A {@code timestamptz}, by {@link #micros}. */
    void time(long micros) throws SQLException {
        makeRoom();
        buffer.putInt(Long.BYTES).putLong(micros);
    }

    /** A {@code real}; NaN becomes null. */
    void real(float value) throws SQLException {
        makeRoom();
        if (Float.isNaN(value)) {
            buffer.putInt(-1);
        } else {
            buffer.putInt(Float.BYTES).putFloat(value);
        }
    }

    void smallint(int value) throws SQLException {
        makeRoom();
        buffer.putInt(Short.BYTES).putShort((short) value);
    }

    void integer(int value) throws SQLException {
        makeRoom();
        buffer.putInt(Integer.BYTES).putInt(value);
    }

    void bigint(long value) throws SQLException {
        makeRoom();
        buffer.putInt(Long.BYTES).putLong(value);
    }

    /** A {@code double precision}. */
    void number(double value) throws SQLException {
        makeRoom();
        buffer.putInt(Double.BYTES).putDouble(value);
    }

    void bool(boolean value) throws SQLException {
        makeRoom();
        buffer.putInt(1).put((byte) (value ? 1 : 0));
    }

    /** A {@code text} of any length. */
    void text(String value) throws SQLException {
        bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    /** A {@code jsonb}: the version of its form, and then its text. */
    void json(String text) throws SQLException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        makeRoom();
        buffer.putInt(bytes.length + 1).put(JSON_VERSION);
        content(bytes);
    }

    /** A {@code text[]} without nulls: dimensions, flags, type, and then length and bounds. */
    void texts(List<String> values) throws SQLException {
        List<byte[]> elements = new ArrayList<>(values.size());
        int length = values.isEmpty() ? ARRAY_HEAD : ARRAY_HEAD + DIMENSION;
        for (String value : values) {
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            elements.add(bytes);
            length += Integer.BYTES + bytes.length;
        }
        makeRoom();
        buffer.putInt(length).putInt(values.isEmpty() ? 0 : 1).putInt(0).putInt(Oid.TEXT);
        if (!elements.isEmpty()) {
            makeRoom();
            buffer.putInt(elements.size()).putInt(1);
        }
        for (byte[] element : elements) {
            bytes(element);
        }
    }

    private void bytes(byte[] bytes) throws SQLException {
        makeRoom();
        buffer.putInt(bytes.length);
        content(bytes);
    }

    private void content(byte[] bytes) throws SQLException {
        int from = 0;
        while (from < bytes.length) {
            if (!buffer.hasRemaining()) {
                flush();
            }
            int length = Math.min(buffer.remaining(), bytes.length - from);
            buffer.put(bytes, from, length);
            from += length;
        }
    }

    /** A null of any type. */
    void none() throws SQLException {
        makeRoom();
        buffer.putInt(-1);
    }

    private void makeRoom() throws SQLException {
        if (buffer.remaining() < LONGEST_VALUE) {
            flush();
        }
    }

    private void flush() throws SQLException {
        copy.writeToCopy(buffer.array(), 0, buffer.position());
        buffer.clear();
    }

    /** Ends; the rows are part of the transaction. Returns their number. */
    long finish() throws SQLException {
        makeRoom();
        buffer.putShort((short) -1);
        flush();
        return copy.endCopy();
    }

    @Override
    public void close() throws SQLException {
        if (copy.isActive()) {
            copy.cancelCopy();
        }
    }

    /**
     * The rows of a query by {@code COPY … TO STDOUT (FORMAT binary)}, each value in turn. The
     * server sends on while rows are read; a cursor makes it wait for each fetch, and the driver
     * makes an array of each value. Equal short texts are one instance. Used by one thread, within
     * a transaction, which has no other statement before {@link #close}.
     */
    static final class Rows implements AutoCloseable {

        private static final int LEAST_HEAD = SIGNATURE.length + 2 * Integer.BYTES;
        private static final int NULL = -1;

        /** Texts that are kept to be shared, a power of two, and the longest of them in bytes. */
        private static final int KEPT = 4_096;

        private static final int LONGEST_KEPT = 64;

        private final CountingDataSource counted;
        private final SqlStage stage;
        private final String sql;
        private final SqlStatementEvent event = new SqlStatementEvent();
        private final CopyOut copy;
        private final @Nullable String[] kept = new @Nullable String[KEPT];
        private ByteBuffer row = ByteBuffer.allocate(0);
        private long count;
        private boolean begun;

        /**
         * Begins.
         *
         * @param query a query without parameters
         * @param counted counts the statement
         */
        Rows(Connection connection, String query, CountingDataSource counted, SqlStage stage)
                throws SQLException {
            this.counted = counted;
            this.stage = stage;
            this.sql = "COPY (" + query.strip() + ") TO STDOUT (FORMAT binary)";
            event.begin();
            copy = new CopyManager(connection.unwrap(BaseConnection.class)).copyOut(sql);
        }

        /** Goes to the next row; false behind the last one. */
        boolean next() throws SQLException {
            if (begun && count < 0) {
                return false;
            }
            // The server sends each row as one message, the first one behind the head.
            if (!row.hasRemaining() && !receive()) {
                throw unexpected("the end is missing");
            }
            if (!begun) {
                begun = true;
                skipHead();
            }
            if (row.getShort() == NULL) {
                counted.copied(stage, sql, 0, event); // as other queries: none is changed
                count = NULL;
                while (receive()) {
                    // nothing follows; the server ends the statement
                }
                return false;
            }
            count++;
            return true;
        }

        private boolean receive() throws SQLException {
            byte[] message = copy.readFromCopy();
            if (message == null) {
                return false;
            }
            row = ByteBuffer.wrap(message);
            return true;
        }

        private void skipHead() throws SQLException {
            byte[] signature = new byte[SIGNATURE.length];
            if (row.remaining() < LEAST_HEAD) {
                throw unexpected("the head is incomplete");
            }
            row.get(signature);
            if (!Arrays.equals(signature, SIGNATURE) || row.getInt() != 0 || row.getInt() != 0) {
                throw unexpected("the head is another one");
            }
            if (!row.hasRemaining() && !receive()) {
                throw unexpected("the end is missing");
            }
        }

        private static SQLException unexpected(String what) {
            return new SQLDataException("binary rows of the server: " + what);
        }

        /** Length of the next value; negative for null. */
        private int length() {
            return row.getInt();
        }

        /** The next value, of a type that {@link RowCopy} writes. */
        @Nullable Object value(SqlType type) {
            return switch (type) {
                case SMALLINT, INTEGER -> integer();
                case BIGINT -> bigint();
                case BOOLEAN -> bool();
                case DOUBLE -> length() < 0 ? null : (Double) row.getDouble();
                case TEXT -> text();
                case UUID -> uuid();
                case TIMESTAMPTZ -> time();
            };
        }

        @Nullable UUID uuid() {
            return length() < 0 ? null : new UUID(row.getLong(), row.getLong());
        }

        /** One that is not null. */
        UUID id() throws SQLException {
            requireValue(length());
            return new UUID(row.getLong(), row.getLong());
        }

        /** The id of a VM, which is not null. */
        VmId vm() throws SQLException {
            requireValue(length());
            return new VmId(row.getLong(), row.getLong());
        }

        private static void requireValue(int length) throws SQLException {
            if (length < 0) {
                throw unexpected("a value is missing");
            }
        }

        /** A {@code smallint} or {@code integer}. */
        @Nullable Integer integer() {
            int length = length();
            if (length < 0) {
                return null;
            }
            return length == Short.BYTES ? row.getShort() : row.getInt();
        }

        /** One that is not null. */
        int number() throws SQLException {
            int length = length();
            requireValue(length);
            return length == Short.BYTES ? row.getShort() : row.getInt();
        }

        @Nullable Long bigint() {
            return length() < 0 ? null : (Long) row.getLong();
        }

        @Nullable Boolean bool() {
            return length() < 0 ? null : (Boolean) (row.get() != 0);
        }

        /** One that is not null. */
        boolean flag() throws SQLException {
            requireValue(length());
            return row.get() != 0;
        }

        /** A {@code timestamptz}. */
        @Nullable Instant time() {
            return length() < 0 ? null : EPOCH.plus(row.getLong(), ChronoUnit.MICROS);
        }

        @Nullable String text() {
            int length = length();
            return length < 0 ? null : text(length);
        }

        /** One that is not null. */
        String word() throws SQLException {
            int length = length();
            requireValue(length);
            return text(length);
        }

        /** A {@code text[]} without nulls; empty for null. */
        List<String> texts() throws SQLException {
            if (length() < 0) {
                return List.of();
            }
            int dimensions = row.getInt();
            row.position(row.position() + ARRAY_HEAD - Integer.BYTES);
            if (dimensions == 0) {
                return List.of();
            }
            if (dimensions > 1) {
                throw unexpected("an array of arrays");
            }
            int elements = row.getInt();
            row.position(row.position() + DIMENSION - Integer.BYTES);
            List<String> values = new ArrayList<>(elements);
            for (int i = 0; i < elements; i++) {
                values.add(word());
            }
            return values;
        }

        private String text(int length) {
            byte[] bytes = row.array();
            int from = row.position();
            row.position(from + length);
            if (length > LONGEST_KEPT) {
                return new String(bytes, from, length, StandardCharsets.UTF_8);
            }
            int hash = 0;
            for (int i = from; i < from + length; i++) {
                hash = 31 * hash + bytes[i];
            }
            int slot = (hash ^ hash >>> 16) & KEPT - 1;
            String known = kept[slot];
            if (known != null && isAscii(known, bytes, from, length)) {
                return known;
            }
            String value = new String(bytes, from, length, StandardCharsets.UTF_8);
            kept[slot] = value;
            return value;
        }

        /** Whether a text has these bytes and no other character than those of ASCII. */
        private static boolean isAscii(String text, byte[] bytes, int from, int length) {
            if (text.length() != length) {
                return false;
            }
            for (int i = 0; i < length; i++) {
                if (text.charAt(i) != bytes[from + i]) {
                    return false;
                }
            }
            return true;
        }

        /**
         * Ends the statement. Before its last row, it reads the others: the driver loses the order
         * of answers when it cancels such a statement, and the connection with it.
         */
        @Override
        public void close() throws SQLException {
            while (copy.isActive() && receive()) {
                // left out
            }
        }
    }
}
