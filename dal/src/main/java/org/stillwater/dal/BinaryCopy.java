package org.stillwater.dal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

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

    /** Room for a count or a length with the longest value, a UUID. */
    private static final int LONGEST_VALUE = 4 + 16;

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

    /** Begins a row of so many values. */
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
