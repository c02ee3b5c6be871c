package org.stillwater.server.api.rows;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import tools.jackson.core.JsonGenerator;

/**
 * Rows of a list, which a second thread helps to encode if the list is long.
 *
 * @param <T> a row
 */
public final class BlockRows<T> implements JsonListWriter.Rows {

    /** Rows of a block; a row with statistics takes about 2.6 KB. */
    private static final int BLOCK = 64;

    /** A list of fewer rows is written by one thread. */
    private static final int LONG_LIST = 8 * BLOCK;

    private static final ListHelper HELPER = new ListHelper();

    private final List<T> rows;
    private final Supplier<RowEncoder<T>> encoders;

    /**
     * Puts one row into a sink; used by one thread at a time.
     *
     * @param <T> a row
     */
    @FunctionalInterface
    public interface RowEncoder<T> {
        void encode(T row, JsonSink to);
    }

    /**
     * Rows to be written.
     *
     * @param encoders encoders that share nothing that changes
     */
    public BlockRows(List<T> rows, Supplier<RowEncoder<T>> encoders) {
        this.rows = rows;
        this.encoders = encoders;
    }

    @Override
    public void write(JsonSink to) {
        RowEncoder<T> encoder = encoders.get();
        for (T row : rows) {
            encoder.encode(row, to);
        }
    }

    @Override
    public void write(JsonGenerator json, boolean aged) {
        if (rows.size() < LONG_LIST || !writeWithHelp(json, aged)) {
            write(JsonSink.ofMany(json, aged));
        }
    }

    /** An encoder with the sink that gathers the rows of one block after the other. */
    private record BlockEncoder<T>(RowEncoder<T> encoder, JsonSink sink) {}

    /** Whether a thread was free to help. */
    private boolean writeWithHelp(JsonGenerator json, boolean aged) {
        Queue<BlockEncoder<T>> free = new ConcurrentLinkedQueue<>();
        return HELPER.inOrder(
                (rows.size() + BLOCK - 1) / BLOCK,
                number -> {
                    int from = number * BLOCK;
                    return encode(
                            rows.subList(from, Math.min(from + BLOCK, rows.size())), free, aged);
                },
                encoded -> {
                    encoded.sink().giveTo(json);
                    free.add(encoded);
                });
    }

    private BlockEncoder<T> encode(List<T> block, Queue<BlockEncoder<T>> free, boolean aged) {
        BlockEncoder<T> used = free.poll();
        if (used == null) {
            used = new BlockEncoder<>(encoders.get(), JsonSink.gathering(aged));
        }
        for (T row : block) {
            used.encoder().encode(row, used.sink());
        }
        return used;
    }
}
