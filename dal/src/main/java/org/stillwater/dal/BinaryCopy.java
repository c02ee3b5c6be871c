package org.stillwater.dal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;

/**
 * One {@code COPY … FROM STDIN (FORMAT binary)}: values travel bit by bit as they are, and nothing
 * is escaped, printed or parsed. Rows leave in chunks of {@value #CHUNK} bytes, so memory does not
 * grow with their number. Used by one thread, within a transaction; closed before {@link #finish},
 * it takes everything back.
 *
 * <p>The format is that of the PostgreSQL manual, page of {@code COPY}, "Binary Format".
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
}
