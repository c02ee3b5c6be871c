package org.stillwater.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * The file that is read and written. It is full before the first cell, because a disk need not read
 * blocks that were never written, and is deleted on close. Close may be called by any thread.
 *
 * @param seconds how long a cell runs at most
 */
record TestFile(Path path, long bytes, int seconds, boolean buffered) implements AutoCloseable {

    private static final String PREFIX = "stillwater-bench-";
    private static final String SUFFIX = ".data";

    /** Space that stays free beside the file: this, and a tenth of the file system. */
    private static final long LEAST_FREE_BYTES = 512L << 20;

    private static final int FREE_SHARE = 10;

    /**
     * Refuses a folder that is none, that holds the file of another run, or that lies on a file
     * system which would become too full.
     */
    static void check(Options options) throws BenchmarkFailed {
        Path folder = options.folder().toAbsolutePath().normalize();
        if (!Files.isDirectory(folder)) {
            throw new BenchmarkFailed(folder + " is no folder");
        }
        if (!Files.isWritable(folder)) {
            throw new BenchmarkFailed("cannot write to " + folder);
        }
        try (DirectoryStream<Path> others =
                Files.newDirectoryStream(folder, PREFIX + "*" + SUFFIX)) {
            for (Path other : others) {
                throw new BenchmarkFailed(
                        other
                                + " is there: another benchmark runs in this folder, or was killed;"
                                + " delete the file in the latter case");
            }
            FileStore store = Files.getFileStore(folder);
            refuseToFill(
                    folder, options.fileBytes(), store.getUsableSpace(), store.getTotalSpace());
        } catch (IOException e) {
            throw new BenchmarkFailed("cannot examine " + folder + ": " + e.getMessage());
        }
    }

    static void refuseToFill(Path folder, long bytes, long usable, long total)
            throws BenchmarkFailed {
        long kept = Math.max(LEAST_FREE_BYTES, total / FREE_SHARE);
        if (usable - bytes < kept) {
            throw new BenchmarkFailed(
                    folder
                            + " has "
                            + Options.text(usable)
                            + " free; a file of "
                            + Options.text(bytes)
                            + " would leave less than "
                            + Options.text(kept)
                            + ": choose a smaller --size or another --dir");
        }
    }

    /** The file of a run, not made yet. */
    static TestFile of(Options options) {
        Path path =
                options.folder()
                        .toAbsolutePath()
                        .normalize()
                        .resolve(PREFIX + ProcessHandle.current().pid() + SUFFIX);
        return new TestFile(path, options.fileBytes(), options.seconds(), options.buffered());
    }

    /** Makes the file and fills it with bytes that do not compress. */
    void fill() throws BenchmarkFailed {
        byte[] block = new byte[Options.MIB];
        SplittableRandom random = new SplittableRandom(1);
        try (FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long done = 0; done < bytes; done += block.length) {
                random.nextBytes(block);
                ByteBuffer rest = ByteBuffer.wrap(block);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
            }
            channel.force(true);
        } catch (IOException e) {
            throw new BenchmarkFailed("cannot write " + path + ": " + e.getMessage());
        }
    }

    @Override
    public void close() {
        try {
            Files.delete(path);
        } catch (NoSuchFileException e) {
            // never made, or closed before
        } catch (IOException e) {
            System.err.println("bench-guest: cannot delete " + path + ": " + e.getMessage());
        }
    }
}
