package org.stillwater.server.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The files of a folder that the engine wrote, by their SHA-256 sums in {@value #LEDGER}, a file
 * that {@code sha256sum --check} understands. A file that is not in it, or was changed since, is an
 * operator's and is never overwritten. Not thread-safe.
 */
final class OwnedFiles {

    static final String LEDGER = "written-by-the-engine.sha256";

    /** The present and the previous sum of a file: a crash may leave either. */
    private static final int SUMS_KEPT = 2;

    private final Path folder;

    OwnedFiles(Path folder) {
        this.folder = folder;
    }

    /** Whether a file exists and is unchanged since the engine wrote it. */
    boolean owns(Path file) throws IOException {
        return Files.exists(file)
                && read().getOrDefault(name(file), Set.of())
                        .contains(sum(Files.readAllBytes(file)));
    }

    /** Whether a file exists that the engine did not write. */
    boolean isForeign(Path file) throws IOException {
        return Files.exists(file) && !owns(file);
    }

    /**
     * Writes a file whole or not at all. Its sum is noted first, so that a crash leaves no file
     * that the engine does not know as its own.
     *
     * @param secret whether it is its owner's alone
     * @throws FileAlreadyExistsException if a file of this name exists that the engine did not
     *     write; it stays unchanged
     */
    void write(Path file, String text, boolean secret) throws IOException {
        boolean replace = Files.exists(file);
        if (replace && !owns(file)) {
            throw new FileAlreadyExistsException(
                    file.toString(), null, "the engine did not write it and does not overwrite it");
        }
        note(file, text.getBytes(StandardCharsets.UTF_8));
        PemFiles.write(file, text, secret, replace);
    }

    /** A file that an earlier engine without sums wrote. */
    void adopt(Path file) throws IOException {
        note(file, Files.readAllBytes(file));
    }

    private void note(Path file, byte[] content) throws IOException {
        Map<String, Set<String>> sums = new TreeMap<>(read());
        Set<String> kept = new LinkedHashSet<>();
        kept.add(sum(content));
        if (Files.exists(file)) {
            kept.add(sum(Files.readAllBytes(file)));
        }
        sums.put(name(file), kept);
        StringBuilder text = new StringBuilder();
        sums.forEach((name, all) ->
                all.stream()
                        .limit(SUMS_KEPT)
                        .forEach(each -> text.append(each).append("  ").append(name).append('\n')));
        PemFiles.write(folder.resolve(LEDGER), text.toString(), false, true);
    }

    private Map<String, Set<String>> read() throws IOException {
        Path ledger = folder.resolve(LEDGER);
        if (!Files.exists(ledger)) {
            return Map.of();
        }
        Map<String, Set<String>> sums = new HashMap<>();
        for (String line : Files.readAllLines(ledger)) {
            List<String> parts = List.of(line.strip().split(" +\\*?", 2));
            if (parts.size() == 2) {
                sums.computeIfAbsent(parts.get(1), _ -> new LinkedHashSet<>()).add(parts.get(0));
            }
        }
        return sums;
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static String sum(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
