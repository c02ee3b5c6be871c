package org.stillwater.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Files that are whole after a power failure: the former content or the next one. A rename alone is
 * not enough, because a file system may make it durable before the content. Stateless.
 */
public final class DurableFiles {

    private DurableFiles() {}

    /**
     * Puts a written file in the place of another one.
     *
     * @param fresh the file with the next content, in the same folder
     * @param file the file to replace, which may be missing
     * @throws IOException if that fails; the former content stays
     */
    public static void replace(Path fresh, Path file) throws IOException {
        force(fresh);
        Path _ =
                Files.move(
                        fresh,
                        file,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
        forceFolder(file);
    }

    /**
     * Waits until a file's content is on its disk.
     *
     * @throws IOException if it is not known to be there
     */
    public static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /**
     * Waits until the entry of a file in its folder is on its disk, where the platform can.
     *
     * @throws IOException if it is not known to be there
     */
    public static void forceFolder(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && Files.getFileStore(folder).supportsFileAttributeView("posix")) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }
}
