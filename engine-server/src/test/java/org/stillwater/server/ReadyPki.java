package org.stillwater.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.stillwater.fake.pki.PkiDirectory;

/**
 * Certificates for simulated hosts, made once for all JVMs of a build: keys take seconds. Each
 * fleet gets a copy, because tests change its files.
 */
public final class ReadyPki {

    private static final Path ORIGINAL = make();

    private ReadyPki() {}

    /** Copies the files into this folder, unless it exists. */
    public static void copyTo(Path directory) throws IOException {
        if (Files.exists(directory)) {
            return;
        }
        Files.createDirectories(directory);
        for (Path file : files()) {
            Files.copy(
                    file,
                    directory.resolve(file.getFileName()),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(ORIGINAL)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    private static Path make() {
        try {
            Path made = Files.createDirectories(Path.of("target", "ready-pki").toAbsolutePath());
            // It keeps other JVMs out while it makes files.
            PkiDirectory.open(made, Instant.now(), PkiDirectory.DEFAULT_PASSWORD.toCharArray());
            return made;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("no certificates for simulated hosts", e);
        }
    }
}
