package org.stillwater.server.api.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import tools.jackson.core.JsonGenerator;

/**
 * Rows of a list, which a second thread helps to encode if the list is long.
 *
 * <p>The rows are cut into blocks, which are sent in their order. The helper encodes the next block
 * that the caller has not begun, at most {@value #AHEAD} blocks ahead; the caller encodes the block
 * behind it meanwhile. Without a free processor the helper does nothing, and the list takes as long
 * as with one thread. There is one helper less than processors, for all requests together.
 *
 * @param <T> a row
 */
public final class BlockRows<T> implements JsonListWriter.Rows {

    /** Rows of a block; a row with statistics takes about 2.6 KB. */
    private static final int BLOCK = 64;

    /** A list of fewer rows is written by one thread. */
    private static final int LONG_LIST = 8 * BLOCK;

    /** Most blocks that are encoded or begun, and not sent. */
    private static final int AHEAD = 4;

    private static final Semaphore HELPERS =
            new Semaphore(Runtime.getRuntime().availableProcessors() - 1);

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
        if (rows.size() < LONG_LIST || !HELPERS.tryAcquire()) {
            write(JsonSink.ofMany(json, aged));
            return;
        }
        try {
            writeWithHelp(json, aged);
        } finally {
            HELPERS.release();
        }
    }

    /** An encoder with the sink that gathers the rows of one block after the other. */
    private record BlockEncoder<T>(RowEncoder<T> encoder, JsonSink sink) {}

    private void writeWithHelp(JsonGenerator json, boolean aged) {
        Queue<BlockEncoder<T>> free = new ConcurrentLinkedQueue<>();
        List<FutureTask<BlockEncoder<T>>> blocks = new ArrayList<>();
        for (int from = 0; from < rows.size(); from += BLOCK) {
            List<T> block = rows.subList(from, Math.min(from + BLOCK, rows.size()));
            blocks.add(new FutureTask<>(() -> encode(block, free, aged)));
        }
        Semaphore ahead = new Semaphore(AHEAD);
        Thread helper = Thread.ofVirtual().name("list-helper").start(() -> help(blocks, ahead));
        try {
            for (int i = 0; i < blocks.size(); i++) {
                FutureTask<BlockEncoder<T>> block = blocks.get(i);
                block.run(); // nothing if it was begun
                if (!block.isDone() && i + 1 < blocks.size()) {
                    blocks.get(i + 1).run();
                }
                BlockEncoder<T> encoded = result(block);
                ahead.release();
                encoded.sink().giveTo(json);
                free.add(encoded);
            }
        } finally {
            blocks.forEach(block -> block.cancel(false));
            helper.interrupt();
        }
    }

    /** Goes through the blocks ahead of the caller. */
    private static void help(List<? extends FutureTask<?>> blocks, Semaphore ahead) {
        try {
            for (FutureTask<?> block : blocks) {
                ahead.acquire();
                block.run(); // nothing if it was begun
            }
        } catch (InterruptedException e) {
            // The caller has all it needs.
        }
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

    private static <R> R result(FutureTask<R> block) {
        try {
            return block.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a list was encoded", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
