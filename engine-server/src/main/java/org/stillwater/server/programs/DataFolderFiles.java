package org.stillwater.server.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.stillwater.server.DurableFiles;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.settings.FleetSettings;

/**
 * Keys and certificates in the data folder: without them a restored engine could neither decrypt
 * the secrets in its database nor log in to its hosts. Stateless.
 */
final class DataFolderFiles {

    private static final List<String> FOLDERS = List.of("secrets", "pki", "tls", "proxy-tickets");
    private static final int MOST_FILES = 200;
    private static final long LARGEST = 1024 * 1024;

    private DataFolderFiles() {}

    private static Path folder(GivenSettings settings) {
        return settings.bind(FleetSettings.class).dataFolder().toAbsolutePath().normalize();
    }

    /** Their names below the data folder, and their content. */
    static Map<String, byte[]> of(GivenSettings settings) throws Failed {
        Path data = folder(settings);
        Map<String, byte[]> files = new TreeMap<>();
        for (String name : FOLDERS) {
            Path folder = data.resolve(name);
            if (!Files.isDirectory(folder)) {
                continue;
            }
            try (Stream<Path> below = Files.walk(folder)) {
                for (Path each : below.filter(Files::isRegularFile).sorted().toList()) {
                    if (Files.size(each) > LARGEST || files.size() == MOST_FILES) {
                        throw new Failed(
                                folder
                                        + " holds more than keys and certificates: "
                                        + each
                                        + " is too large, or one too many");
                    }
                    files.put(data.relativize(each).toString(), Files.readAllBytes(each));
                }
            } catch (IOException e) {
                throw new Failed("the keys cannot be read: " + e, e);
            }
        }
        return files;
    }

    /**
     * Writes them, for the owner of the data folder. An existing file with another content refuses
     * all of them, unless replaced.
     */
    static void write(GivenSettings settings, Map<String, byte[]> files, boolean replace)
            throws IOException {
        Path data = folder(settings);
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path target = data.resolve(file.getKey()).normalize();
            if (!target.startsWith(data)
                    || !FOLDERS.contains(data.relativize(target).getName(0).toString())) {
                throw new IOException("it holds a file of another folder: " + file.getKey());
            }
            if (!replace
                    && Files.exists(target, LinkOption.NOFOLLOW_LINKS)
                    && !Arrays.equals(Files.readAllBytes(target), file.getValue())) {
                throw new IOException(
                        target + " is there with another content; --replace replaces it");
            }
        }
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path target = data.resolve(file.getKey()).normalize();
            Path parent = target.getParent();
            if (parent == null) {
                throw new IOException("it holds a file without a folder: " + file.getKey());
            }
            FolderOwner.make(
                    parent,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            Path aside =
                    Files.createTempFile(
                            parent,
                            ".restored-",
                            "",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            Files.write(aside, file.getValue());
            FolderOwner.give(aside);
            DurableFiles.replace(aside, target);
        }
    }
}
