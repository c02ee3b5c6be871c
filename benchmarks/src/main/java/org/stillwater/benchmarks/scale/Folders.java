package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The folders that measurements work in. */
public final class Folders {

    private Folders() {}

    /** Makes a folder, without remains of an earlier measurement. */
    public static void makeEmpty(Path folder) throws IOException {
        if (Files.exists(folder)) {
            List<Path> old;
            try (Stream<Path> found = Files.walk(folder)) {
                old = found.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path file : old) {
                Files.delete(file);
            }
        }
        Files.createDirectories(folder);
    }
}
