package org.stillwater.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads and writes without the cache of the operating system, one record after the other. A write
 * counts the time until it reaches the disk.
 */
final class DirectEngine implements DiskEngine {

    private static final int LEAST_ALIGNMENT = 4_096;

    private final LongSupplier nanoTime;

    DirectEngine(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public Measurement measure(TestFile file, DiskOperation operation, int recordBytes)
            throws BenchmarkFailed, InterruptedException {
        Set<OpenOption> options = new HashSet<>();
        options.add(operation.writing() ? StandardOpenOption.WRITE : StandardOpenOption.READ);
        if (!file.buffered()) {
            options.add(direct());
        }
        try {
            int alignment =
                    (int)
                            Math.max(
                                    LEAST_ALIGNMENT,
                                    Math.min(
                                            recordBytes,
                                            Files.getFileStore(file.path()).getBlockSize()));
            ByteBuffer buffer =
                    ByteBuffer.allocateDirect(recordBytes + alignment).alignedSlice(alignment);
            buffer.limit(recordBytes);
            SplittableRandom random = new SplittableRandom(recordBytes);
            fill(buffer, random);
            try (FileChannel channel = FileChannel.open(file.path(), options)) {
                return run(channel, file, operation, buffer, random);
            }
        } catch (UnsupportedOperationException e) {
            throw new BenchmarkFailed(noDirect(file, String.valueOf(e.getMessage())));
        } catch (IOException e) {
            throw new BenchmarkFailed(
                    file.buffered()
                            ? operation.label() + " failed: " + e.getMessage()
                            : noDirect(file, String.valueOf(e.getMessage())));
        }
    }

    /**
     * The JDK's option for direct I/O. By name: the compiler warns of its package, and that warning
     * knows no suppression.
     *
     * @throws UnsupportedOperationException if the JDK has none
     */
    private static OpenOption direct() {
        try {
            for (Object each :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (each instanceof OpenOption option && option.toString().equals("DIRECT")) {
                    return option;
                }
            }
        } catch (ClassNotFoundException e) {
            throw new UnsupportedOperationException("this JDK has none", e);
        }
        throw new UnsupportedOperationException("this JDK has none");
    }

    private static String noDirect(TestFile file, String reason) {
        return "direct I/O to "
                + file.path().getParent()
                + " failed: "
                + reason
                + "; --buffered measures through the cache, and its figures are not comparable";
    }

    private static void fill(ByteBuffer buffer, SplittableRandom random) {
        while (buffer.remaining() >= Long.BYTES) {
            buffer.putLong(random.nextLong());
        }
        buffer.rewind();
    }

    private Measurement run(
            FileChannel channel,
            TestFile file,
            DiskOperation operation,
            ByteBuffer buffer,
            SplittableRandom random)
            throws IOException, BenchmarkFailed, InterruptedException {
        int recordBytes = buffer.limit();
        long records = file.bytes() / recordBytes;
        long limit = TimeUnit.SECONDS.toNanos(file.seconds());
        long begin = nanoTime.getAsLong();
        long done = 0;
        do {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long record = operation.random() ? random.nextLong(records) : done;
            buffer.rewind();
            int moved =
                    operation.writing()
                            ? channel.write(buffer, record * recordBytes)
                            : channel.read(buffer, record * recordBytes);
            if (moved != recordBytes) {
                throw new BenchmarkFailed(
                        operation.label()
                                + " moved "
                                + moved
                                + " of "
                                + recordBytes
                                + " bytes: the file was changed, or the disk is full");
            }
            done++;
        } while (done < records && nanoTime.getAsLong() - begin < limit);
        if (operation.writing()) {
            channel.force(false);
        }
        return new Measurement(
                operation,
                recordBytes,
                done * recordBytes,
                Math.max(1, nanoTime.getAsLong() - begin));
    }
}
