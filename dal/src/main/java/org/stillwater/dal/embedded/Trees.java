package org.stillwater.dal.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files and whole folders: delete, copy, make durable, hand to another owner. Stateless. */
final class Trees {

    private static final Logger log = LoggerFactory.getLogger(Trees.class);

    private Trees() {}

    /**
     * Waits until the content of a file, or the entries of a folder, are on the disk: a rename may
     * be there before them.
     */
    static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    static void deleteQuietly(Path root) {
        if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            Files.walkFileTree(
                    root,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                                throws IOException {
                            Files.delete(file);
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult postVisitDirectory(
                                Path folder, @Nullable IOException failure) throws IOException {
                            Files.delete(folder);
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            log.warn("Cannot delete {}: {}", root, e.toString());
        }
    }

    /** Copies everything below {@code from} into {@code to}, with permissions; links stay links. */
    static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(
                from,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) throws IOException {
                        Path copy = to.resolve(from.relativize(folder).toString());
                        Files.createDirectories(copy);
                        Files.setPosixFilePermissions(copy, Files.getPosixFilePermissions(folder));
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.copy(
                                file,
                                to.resolve(from.relativize(file).toString()),
                                StandardCopyOption.COPY_ATTRIBUTES,
                                LinkOption.NOFOLLOW_LINKS);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    /**
     * Gives {@code root} and everything below it to {@code uid} and {@code gid}; needs the right to
     * do so. A folder is given away after all that is in it, so that an interrupted run shows by
     * the owner of {@code root}, and is done again.
     */
    static void chown(Path root, int uid, int gid) throws IOException {
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        chownOne(file, uid, gid);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(
                            Path folder, @Nullable IOException failure) throws IOException {
                        if (failure != null) {
                            throw failure;
                        }
                        chownOne(folder, uid, gid);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    static void chownOne(Path path, int uid, int gid) throws IOException {
        Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
    }

    static int uid(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    static int gid(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:gid", LinkOption.NOFOLLOW_LINKS);
    }
}
