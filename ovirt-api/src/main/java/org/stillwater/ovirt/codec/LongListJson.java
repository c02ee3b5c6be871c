package org.stillwater.ovirt.codec;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.stillwater.ovirt.model.Listing;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SequenceWriter;

/**
 * Writes a long listing as JSON in blocks of items, which several threads make and encode. Its
 * bytes are those of the general writer. Thread-safe.
 */
final class LongListJson {

    /** Items of a block; a VM with statistics takes about 12 KB. */
    private static final int BLOCK = 16;

    /** A listing of fewer items is written by one thread. */
    static final int LONG_LIST = 16 * BLOCK;

    private final ObjectWriter writer;
    private final BlockHelper helper;

    LongListJson(ObjectWriter writer, BlockHelper helper) {
        this.writer = writer;
        this.helper = helper;
    }

    /** The items of a block as a JSON array; its brackets are not sent. */
    private static final class Block extends ByteArrayOutputStream {

        private Block() {
            super(1 << 16);
        }

        void giveTo(OutputStream out) throws IOException {
            out.write(buf, 1, count - 2);
        }
    }

    /**
     * Writes a listing if it is long and a thread is free to help.
     *
     * @param out where to; left open
     * @return false if nothing was written
     */
    boolean write(Listing<?> listing, OutputStream out) {
        List<?> items = listing.items();
        if (items.size() < LONG_LIST) {
            return false;
        }
        Sent sent = new Sent(listing, out);
        int blocks = (items.size() + BLOCK - 1) / BLOCK;
        Queue<Block> free = new ConcurrentLinkedQueue<>();
        return helper.inOrder(
                        blocks,
                        number -> encode(items, number, free),
                        block -> {
                            sent.next(block);
                            free.add(block);
                        })
                && sent.end();
    }

    private Block encode(List<?> items, int number, Queue<Block> free) {
        Block used = free.poll();
        Block block = used == null ? new Block() : used;
        block.reset();
        int from = number * BLOCK;
        try (SequenceWriter array = writer.writeValuesAsArray(block)) {
            for (Object item : items.subList(from, Math.min(from + BLOCK, items.size()))) {
                array.write(item);
            }
        }
        return block;
    }

    /** The sent part of a listing; of the sending thread. */
    private static final class Sent {

        private final Listing<?> listing;
        private final OutputStream out;
        private boolean any;

        private Sent(Listing<?> listing, OutputStream out) {
            this.listing = listing;
            this.out = out;
        }

        void next(Block block) {
            try {
                out.write(EncodedText.ascii(any ? "," : begin()));
                any = true;
                block.giveTo(out);
            } catch (IOException e) {
                throw JacksonIOException.construct(e);
            }
        }

        private String begin() {
            String size = listing.size() == null ? "" : "\"size\":\"" + listing.size() + "\",";
            return "{" + size + "\"" + listing.item() + "\":[";
        }

        boolean end() {
            try {
                out.write(EncodedText.ascii("]}"));
                return true;
            } catch (IOException e) {
                throw JacksonIOException.construct(e);
            }
        }
    }
}
