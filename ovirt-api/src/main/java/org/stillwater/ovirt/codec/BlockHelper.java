package org.stillwater.ovirt.codec;

import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Encodes the blocks of a long list with the help of further threads, and sends them in their
 * order.
 */
public interface BlockHelper {

    /** Never helps. */
    BlockHelper NONE =
            new BlockHelper() {
                @Override
                public <B> boolean inOrder(int blocks, IntFunction<B> encode, Consumer<B> send) {
                    return false;
                }
            };

    /**
     * Encodes and sends all blocks, if a thread is free to help.
     *
     * @param blocks number of blocks
     * @param encode encodes the block of a number from 0 on; several threads call it at a time
     * @param send takes the blocks in their order, on the thread of the caller; later blocks may
     *     use the memory of a block that was sent
     * @param <B> an encoded block
     * @return false if no thread is free; then nothing was called
     * @throws RuntimeException the first failure of one of both, which ends the list
     */
    <B> boolean inOrder(int blocks, IntFunction<B> encode, Consumer<B> send);
}
