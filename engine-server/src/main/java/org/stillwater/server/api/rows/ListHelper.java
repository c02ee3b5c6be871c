package org.stillwater.server.api.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.stillwater.ovirt.codec.BlockHelper;

/**
 * A second thread that helps to encode a long list.
 *
 * <p>Blocks of the list are sent in their order. The helper encodes the next block that the caller
 * has not begun, at most {@value #AHEAD} blocks ahead; the caller encodes the block behind it
 * meanwhile. Without a free processor the helper does nothing, and the list takes as long as with
 * one thread. There is one helper less than processors, for all requests together.
 */
public final class ListHelper implements BlockHelper {

    /** Most blocks that are encoded or begun, and not sent. */
    private static final int AHEAD = 4;

    private static final Semaphore HELPERS =
            new Semaphore(Runtime.getRuntime().availableProcessors() - 1);

    @Override
    public <B> boolean inOrder(int blocks, IntFunction<B> encode, Consumer<B> send) {
        if (!HELPERS.tryAcquire()) {
            return false;
        }
        try {
            encodeAndSend(blocks, encode, send);
            return true;
        } finally {
            HELPERS.release();
        }
    }

    private static <B> void encodeAndSend(int count, IntFunction<B> encode, Consumer<B> send) {
        List<FutureTask<B>> blocks = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int number = i;
            blocks.add(new FutureTask<>(() -> encode.apply(number)));
        }
        Semaphore ahead = new Semaphore(AHEAD);
        Thread helper = Thread.ofVirtual().name("list-helper").start(() -> help(blocks, ahead));
        try {
            for (int i = 0; i < count; i++) {
                FutureTask<B> block = blocks.get(i);
                block.run(); // nothing if it was begun
                if (!block.isDone() && i + 1 < count) {
                    blocks.get(i + 1).run();
                }
                B encoded = result(block);
                ahead.release();
                send.accept(encoded);
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
