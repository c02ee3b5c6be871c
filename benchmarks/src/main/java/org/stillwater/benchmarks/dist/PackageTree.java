package org.stillwater.benchmarks.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of a package, by path and sorted, with folders before their content. Not thread-safe.
 */
final class PackageTree {

    static final int FOLDER = 0755;
    static final int PROGRAM = 0755;
    static final int FILE = 0644;

    private final TreeMap<String, Entry> entries = new TreeMap<>();

    /**
     * One file, folder or link.
     *
     * @param path without a slash in front
     * @param mode permissions
     * @param source where its bytes are, null for a folder, a link or a text
     * @param text its text in UTF-8, null for a folder, a link or a file
     * @param link target of the link, null for no link
     */
    record Entry(
            String path,
            int mode,
            @Nullable Path source,
            @Nullable String text,
            @Nullable String link) {

        boolean isFolder() {
            return source == null && text == null && link == null;
        }

        boolean isFile() {
            return source != null || text != null;
        }

        long size() throws IOException {
            return source != null ? Files.size(source) : textBytes().length;
        }

        byte[] bytes() throws IOException {
            return source != null ? Files.readAllBytes(source) : textBytes();
        }

        /** The text; nothing if there is none. */
        byte[] textBytes() {
            return text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
        }
    }

    private void put(Entry entry) {
        for (int slash = entry.path().lastIndexOf('/');
                slash > 0;
                slash = entry.path().lastIndexOf('/', slash - 1)) {
            entries.putIfAbsent(
                    entry.path().substring(0, slash),
                    new Entry(entry.path().substring(0, slash), FOLDER, null, null, null));
        }
        if (entries.put(entry.path(), entry) != null && !entry.isFolder()) {
            throw new IllegalArgumentException(entry.path() + " is there twice");
        }
    }

    void text(String path, int mode, String text) {
        put(new Entry(path, mode, null, text, null));
    }

    void file(String path, int mode, Path source) {
        put(new Entry(path, mode, source, null, null));
    }

    void link(String path, String target) {
        put(new Entry(path, 0777, null, null, target));
    }

    void folder(String path, int mode) {
        put(new Entry(path, mode, null, null, null));
    }

    /** Adds all files below a folder; a file that its owner may execute is a program. */
    void folder(String path, Path source) throws IOException {
        try (Stream<Path> all = Files.walk(source)) {
            for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
                String name = path + "/" + source.relativize(each).toString().replace('\\', '/');
                if (Files.isSymbolicLink(each)) {
                    link(name, Files.readSymbolicLink(each).toString());
                } else {
                    file(name, Files.isExecutable(each) && isProgram(each) ? PROGRAM : FILE, each);
                }
            }
        }
    }

    /** Root may execute every file that any user may execute. */
    private static boolean isProgram(Path file) throws IOException {
        return Files.getPosixFilePermissions(file)
                .contains(java.nio.file.attribute.PosixFilePermission.OWNER_EXECUTE);
    }

    /** The same below another folder, or without one. */
    PackageTree below(String folder) {
        PackageTree moved = new PackageTree();
        entries.values()
                .forEach(each ->
                        moved.put(
                                new Entry(
                                        folder + "/" + each.path(),
                                        each.mode(),
                                        each.source(),
                                        each.text(),
                                        each.link())));
        return moved;
    }

    Collection<Entry> entries() {
        return Collections.unmodifiableCollection(entries.values());
    }
}
