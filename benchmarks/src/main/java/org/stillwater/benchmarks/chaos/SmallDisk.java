package org.stillwater.benchmarks.chaos;

import static org.stillwater.benchmarks.chaos.DatabaseServer.run;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file system in memory, mounted for the time of a run. It can be full in two ways: filled with a
 * file, which leaves every byte taken, or made as small as its content, which costs no memory. One
 * thread.
 */
final class SmallDisk implements AutoCloseable {

    private static final int CHUNK = 256 * 1024;
    private static final int PAGE = 4 * 1024;
    private static final int FIRST_MIB = 128;
    private static final int LATER_MIB = 1024;

    private final Path folder;

    private SmallDisk(Path folder) {
        this.folder = folder;
    }

    /** Of 128 MiB, for the owner of a cluster; null where this program may not mount. */
    static @Nullable SmallDisk mount(Path folder, Path cluster) throws IOException {
        Files.createDirectories(folder);
        Object user = Files.getAttribute(cluster, "unix:uid");
        Object group = Files.getAttribute(cluster, "unix:gid");
        String options = "size=%dm,mode=700,uid=%s,gid=%s".formatted(FIRST_MIB, user, group);
        try {
            return run("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString()) == 0
                    ? new SmallDisk(folder)
                    : null;
        } catch (IOException _) {
            return null; // there is no such command
        }
    }

    /** Removes the remains of a killed run. */
    static void unmountLeftover(Path folder) throws IOException {
        if (Files.exists(folder)) {
            int _ = run("umount", folder.toString()); // fails where nothing is mounted
        }
    }

    Path folder() {
        return folder;
    }

    private Path ballast() {
        return folder.resolve("ballast");
    }

    /** Takes all the room that is left. */
    void fill() throws IOException {
        try (OutputStream out = Files.newOutputStream(ballast())) {
            fill(out, CHUNK);
            fill(out, PAGE);
        }
    }

    private static void fill(OutputStream out, int chunk) {
        byte[] nothing = new byte[chunk];
        try {
            while (true) {
                out.write(nothing);
            }
        } catch (IOException _) {
            // there is no room for another chunk
        }
    }

    /** Frees the filled space. */
    void empty() throws IOException {
        Files.deleteIfExists(ballast());
    }

    /** Makes it no larger than its content. */
    void shrink() throws IOException {
        FileStore store = Files.getFileStore(folder);
        resize((store.getTotalSpace() - store.getUnallocatedSpace()) / 1024 + "k");
    }

    /** Makes it larger than ever before: its content may have grown in a run of many hours. */
    void grow() throws IOException {
        resize(LATER_MIB + "m");
    }

    private void resize(String size) throws IOException {
        if (run("mount", "-o", "remount,size=" + size, folder.toString()) != 0) {
            throw new IOException(folder + " cannot be made " + size + " large");
        }
    }

    @Override
    public void close() {
        try {
            int _ = run("umount", folder.toString());
        } catch (IOException _) {
            // the next run tries again
        }
    }
}
