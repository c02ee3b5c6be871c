package org.stillwater.relay.wire;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.stillwater.relay.state.CellReader;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.Delta;
import org.stillwater.relay.state.TextValueCache;
import org.stillwater.relay.state.Value;
import org.stillwater.relay.v1.Change;

/** Converts between {@link Delta} and its message. Thread-safe. */
public final class DeltaCodec {

    private static final int UUID_BYTES = 16;
    private static final TextValueCache TEXTS = new TextValueCache();
    private static final ThreadLocal<CellReader> CELLS = ThreadLocal.withInitial(CellReader::new);

    private DeltaCodec() {}

    /**
     * The message of a delta.
     *
     * @param number counts the deltas of the stream
     * @param host position of the host in the relay's Hello
     */
    public static org.stillwater.relay.v1.Delta write(long number, int host, Delta delta) {
        org.stillwater.relay.v1.Delta.Builder message =
                org.stillwater.relay.v1.Delta.newBuilder()
                        .setNumber(number)
                        .setHost(host)
                        .setBase(delta.base())
                        .setSequence(delta.sequence());
        for (Delta.Change change : delta.changes()) {
            message.addChanges(write(change));
        }
        for (UUID removed : delta.removed()) {
            message.addRemoved(write(removed));
        }
        Long sum = delta.sum();
        if (sum != null) {
            message.setSum(sum);
        }
        return message.build();
    }

    private static Change write(Delta.Change change) {
        Change.Builder message =
                Change.newBuilder().setId(write(change.id())).addAllCleared(change.cleared());
        Cells set = change.set();
        for (int i = 0; i < set.size(); i++) {
            int key = set.key(i);
            switch (set.value(i)) {
                case Value.Whole(long value) -> message.addWholeKeys(key).addWholes(value);
                case Value.Decimal(double value) -> message.addDecimalKeys(key).addDecimals(value);
                case Value.Text text -> message.addTextKeys(key).addTexts(text.value());
            }
        }
        return message.build();
    }

    /**
     * The delta of a message.
     *
     * @param epoch the host's epoch in the relay's Hello
     * @throws IllegalArgumentException if the message is invalid; its text has the reason
     */
    public static Delta read(org.stillwater.relay.v1.Delta message, long epoch) {
        List<Delta.Change> changes = new ArrayList<>(message.getChangesCount());
        for (Change change : message.getChangesList()) {
            changes.add(read(change));
        }
        List<UUID> removed = new ArrayList<>(message.getRemovedCount());
        for (ByteString id : message.getRemovedList()) {
            removed.add(read(id));
        }
        return new Delta(
                epoch,
                message.getBase(),
                message.getSequence(),
                changes,
                removed,
                message.hasSum() ? (Long) message.getSum() : null);
    }

    private static Delta.Change read(Change message) {
        if (message.getWholeKeysCount() != message.getWholesCount()
                || message.getDecimalKeysCount() != message.getDecimalsCount()
                || message.getTextKeysCount() != message.getTextsCount()) {
            throw new IllegalArgumentException("keys without values");
        }
        return new Delta.Change(
                read(message.getId()),
                CELLS.get().read(new Listed(message)),
                message.getClearedList());
    }

    /** The cells in the form of a message. */
    private record Listed(Change message) implements CellReader.Source {

        @Override
        public int wholes() {
            return message.getWholesCount();
        }

        @Override
        public int wholeKey(int index) {
            return message.getWholeKeys(index);
        }

        @Override
        public long whole(int index) {
            return message.getWholes(index);
        }

        @Override
        public int decimals() {
            return message.getDecimalsCount();
        }

        @Override
        public int decimalKey(int index) {
            return message.getDecimalKeys(index);
        }

        @Override
        public double decimal(int index) {
            return message.getDecimals(index);
        }

        @Override
        public int texts() {
            return message.getTextsCount();
        }

        @Override
        public int textKey(int index) {
            return message.getTextKeys(index);
        }

        @Override
        public Value.Text text(int index) {
            return TEXTS.of(message.getTexts(index));
        }
    }

    /** A UUID as 16 bytes. */
    public static ByteString write(UUID id) {
        ByteBuffer bytes = ByteBuffer.allocate(UUID_BYTES);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).flip();
        return ByteString.copyFrom(bytes);
    }

    /**
     * The UUID of 16 bytes.
     *
     * @throws IllegalArgumentException if the length is not 16
     */
    public static UUID read(ByteString bytes) {
        if (bytes.size() != UUID_BYTES) {
            throw new IllegalArgumentException("a UUID of " + bytes.size() + " bytes");
        }
        ByteBuffer read = bytes.asReadOnlyByteBuffer();
        return new UUID(read.getLong(), read.getLong());
    }
}
