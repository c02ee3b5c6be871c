package org.stillwater.dal.embedded;

import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.DATA_FOLDER_IN_USE;
import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.DATA_FOLDER_UNUSABLE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One engine per data folder. The operating system releases the lock at any end of the program; an
 * orderly release also deletes the file.
 *
 * <p>POSIX locks belong to the process and vanish when <em>any</em> descriptor of the file is
 * closed, so a second attempt inside this JVM must never open the file: {@link #HELD} answers it
 * first. Deleting a lock file has a classic race (a waiter locks the deleted inode while a third
 * program creates the name anew); the holder therefore pads the file to a random length and,
 * without opening it, checks that the name still leads to a file of that length.
 */
final class DataFolderLock implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DataFolderLock.class);
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ATTEMPTS = 20;
    private static final int LONGEST_PADDING = 16 * 1024;
    private static final int LONGEST_HOLDER = 32;

    private final Path key;
    private final Path file;
    private final FileChannel channel;

    private DataFolderLock(Path key, Path file, FileChannel channel) {
        this.key = key;
        this.file = file;
        this.channel = channel;
    }

    /** Takes the lock, or names its holder at once. */
    static DataFolderLock take(Path folder) {
        try {
            Path key = folder.toRealPath();
            if (!HELD.add(key)) {
                throw inUse(folder, "this program");
            }
            @Nullable DataFolderLock taken = null;
            try {
                taken = take(folder, key);
                return taken;
            } finally {
                if (taken == null) {
                    HELD.remove(key);
                }
            }
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    DATA_FOLDER_UNUSABLE, "Cannot lock the data folder " + folder + ": " + e, e);
        }
    }

    private static DataFolderLock take(Path folder, Path key) throws IOException {
        Path file = folder.resolve("engine.lock");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            FileChannel channel =
                    FileChannel.open(
                            file,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE);
            boolean kept = false;
            try {
                @Nullable FileLock lock = channel.tryLock();
                if (lock == null) {
                    throw inUse(folder, holder(channel));
                }
                if (marks(channel, file)) {
                    kept = true;
                    return new DataFolderLock(key, file, channel);
                }
            } finally {
                if (!kept) {
                    channel.close();
                }
            }
        }
        throw new IOException("the lock file keeps changing: " + file);
    }

    private static boolean marks(FileChannel channel, Path file) throws IOException {
        String holder = "process " + ProcessHandle.current().pid() + "\n";
        String content = holder + " ".repeat(1 + RANDOM.nextInt(LONGEST_PADDING));
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.US_ASCII)), 0);
        try {
            return Files.size(file) == channel.size();
        } catch (NoSuchFileException _) {
            return false;
        }
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer start = ByteBuffer.allocate(LONGEST_HOLDER);
        channel.read(start, 0);
        String text = new String(start.array(), 0, start.position(), StandardCharsets.US_ASCII);
        int end = text.indexOf('\n');
        return end > 0 ? text.substring(0, end) : "another program";
    }

    private static EmbeddedPostgresException inUse(Path folder, String holder) {
        return new EmbeddedPostgresException(
                DATA_FOLDER_IN_USE,
                "The data folder "
                        + folder
                        + " is in use by "
                        + holder
                        + ": stop that one, or choose another data folder.");
    }

    Path file() {
        return file;
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
            channel.close();
        } catch (IOException e) {
            log.warn("Cannot release the lock {}: {}", file, e.toString());
        } finally {
            HELD.remove(key);
        }
    }
}
