package org.stillwater.benchmarks.api;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Many readers of one stream of events, with one thread for all of them and as little as possible
 * between the sockets and the count: they share the machine with the engine. All events are
 * counted; those of a few readers are timed. {@link #close} ends them; the figures may be read from
 * any thread.
 */
public final class StreamReaders implements AutoCloseable {

    private static final int BUFFER = 256 * 1024;
    private static final int MOST_LATENCIES = 4_000_000;
    private static final int LONGEST_HEAD = 8 * 1024;

    /** A comment, which is sent by itself, so that it is the whole of its chunk. */
    private static final int COMMENT = ":\n\n".length();

    private final LongSupplier clock;
    private final Selector selector;
    private final List<Reader> readers = new ArrayList<>();
    private final byte[] buffer = new byte[BUFFER];
    private final double[] millis = new double[MOST_LATENCIES];
    private final Thread thread;
    private final AtomicInteger ready = new AtomicInteger();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private int timings;
    private volatile @Nullable IOException failure;
    private volatile boolean closed;

    /**
     * Connects all readers and begins to read.
     *
     * @param port of the loopback address
     * @param path of the stream, with its query
     * @param count readers
     * @param timed of how many of them latencies are measured
     * @param clock the clock of the engine's stamps, nanoseconds
     */
    public StreamReaders(int port, String path, int count, int timed, LongSupplier clock)
            throws IOException {
        this.clock = clock;
        this.selector = Selector.open();
        byte[] request =
                "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n"
                        .formatted(path)
                        .getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < count; i++) {
            SocketChannel channel =
                    SocketChannel.open(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.write(ByteBuffer.wrap(request));
            channel.configureBlocking(false);
            Reader reader = new Reader(channel, i < timed);
            readers.add(reader);
            channel.register(selector, SelectionKey.OP_READ, reader);
        }
        this.thread = Thread.ofPlatform().name("stream-readers").daemon().start(this::run);
    }

    /** Readers with a complete snapshot. */
    public int ready() {
        return ready.get();
    }

    /** Events that came after the snapshots, to all readers. */
    public long delivered() {
        return delivered.get();
    }

    /** Reads of sockets so far: how often all of this is woken. */
    public long reads() {
        return reads.get();
    }

    /** Milliseconds from the engine's stamp to a timed reader. After {@link #stop}. */
    public double[] millis() {
        return Arrays.copyOf(millis, timings);
    }

    /**
     * @throws IOException if a reader was refused or lost its connection
     */
    public void check() throws IOException {
        IOException known = failure;
        if (known != null) {
            throw known;
        }
    }

    private void run() {
        ByteBuffer into = ByteBuffer.wrap(buffer);
        try {
            while (!closed) {
                selector.select(key -> {
                    if (key.attachment() instanceof Reader reader) {
                        read(reader, into);
                    }
                });
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    private void read(Reader reader, ByteBuffer into) {
        if (failure != null) {
            return;
        }
        try {
            into.clear();
            int length = reader.channel.read(into);
            if (length < 0) {
                throw new EOFException("the engine ended a stream");
            }
            long before = reader.scan.events();
            reader.take(buffer, length);
            delivered.addAndGet(reader.scan.events() - before);
            reads.incrementAndGet();
        } catch (IOException e) {
            failure = e;
        }
    }

    /** One connection: HTTP/1.1 (RFC 9112, section 7.1), of which the chunks are followed. */
    private final class Reader {

        private final SocketChannel channel;
        private final StreamScan scan;
        private final StringBuilder head = new StringBuilder();
        private boolean inBody;
        private boolean inSize = true;
        private long size;
        private long left;
        private boolean inComment;

        Reader(SocketChannel channel, boolean timed) {
            this.channel = channel;
            this.scan =
                    new StreamScan(timed) {
                        @Override
                        public void snapshotEnded() {
                            ready.incrementAndGet();
                        }

                        @Override
                        public void changed(long observedNanos) {
                            if (timings < millis.length) {
                                millis[timings++] = (clock.getAsLong() - observedNanos) / 1e6;
                            }
                        }
                    };
        }

        void take(byte[] bytes, int length) throws IOException {
            int at = inBody ? 0 : head(bytes, length);
            while (at < length) {
                if (inSize) {
                    at = size(bytes, at, length);
                } else if (left > 0) {
                    int until = (int) Math.min(length, at + left);
                    if (left == size) {
                        // A piece of an event may have this size, too.
                        inComment = size == COMMENT && bytes[at] == ':';
                    }
                    if (!inComment) {
                        scan.bytes(bytes, at, until);
                    }
                    left -= until - at;
                    at = until;
                } else if (bytes[at++] == '\n') {
                    inSize = true;
                    size = 0;
                }
            }
        }

        /** End of the head, or of the bytes. */
        private int head(byte[] bytes, int length) throws IOException {
            for (int i = 0; i < length; i++) {
                head.append((char) bytes[i]);
                if (bytes[i] == '\n' && head.indexOf("\r\n\r\n", head.length() - 4) >= 0) {
                    inBody = true;
                    String text = head.toString();
                    if (!text.startsWith("HTTP/1.1 200") || !text.contains("chunked")) {
                        throw new IOException("no stream: " + text);
                    }
                    return i + 1;
                }
            }
            if (head.length() > LONGEST_HEAD) {
                throw new IOException("no end of headers");
            }
            return length;
        }

        private int size(byte[] bytes, int from, int length) throws IOException {
            for (int i = from; i < length; i++) {
                int digit = Character.digit(bytes[i], 16);
                if (digit >= 0) {
                    size = 16 * size + digit;
                } else if (bytes[i] == '\n') {
                    if (size == 0) {
                        throw new EOFException("the engine ended a stream");
                    }
                    inSize = false;
                    left = size;
                    return i + 1;
                }
            }
            return length;
        }
    }

    /** Stops reading; the figures stay. Idempotent. */
    public void stop() {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        stop();
        for (Reader reader : readers) {
            reader.channel.close();
        }
        selector.close();
    }
}
