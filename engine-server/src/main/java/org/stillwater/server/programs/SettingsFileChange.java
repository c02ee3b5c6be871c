package org.stillwater.server.programs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.stillwater.server.DurableFiles;
import org.stillwater.server.configuration.GivenSettings;

/**
 * A change of single lines in a file of settings. It is written beside the file and read as an
 * engine would; only {@link #commit} puts it in place. Comments and all other lines stay. Confined
 * to one thread.
 */
final class SettingsFileChange implements AutoCloseable {

    private final Path file;
    private final Path aside;

    private SettingsFileChange(Path file, Path aside) {
        this.file = file;
        this.aside = aside;
    }

    /** A setting as a line of the file. */
    static String line(String name, String value) {
        return name + ": \"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    /**
     * Prepares the change.
     *
     * @param file an existing file of settings
     * @param values settings by name
     * @throws Failed if the file cannot be changed so
     */
    static SettingsFileChange prepare(Path file, Map<String, String> values) throws Failed {
        Path real;
        String text;
        try {
            real = file.toRealPath();
            text = Files.readString(real);
        } catch (IOException e) {
            throw new Failed("cannot read the file of settings " + file, e);
        }
        Path aside = real.resolveSibling("." + real.getFileName() + ".new");
        SettingsFileChange change = new SettingsFileChange(real, aside);
        boolean usable = false;
        try {
            change.write(changed(text, values));
            change.check(values);
            usable = true;
            return change;
        } catch (IOException e) {
            throw new Failed(
                    "cannot write beside %s (%s): run this as a user who may, or leave out --write-settings and change the file yourself"
                            .formatted(real, e),
                    e);
        } finally {
            if (!usable) {
                change.close();
            }
        }
    }

    /** The text with these settings: in the place of their lines, else at its end. */
    static String changed(String text, Map<String, String> values) {
        List<String> lines = new ArrayList<>(text.lines().toList());
        values.forEach((name, value) -> {
            int at = find(lines, "^" + Pattern.quote(name) + "\\s*:.*");
            if (at < 0) {
                at = find(lines, "^#\\s*" + Pattern.quote(name) + "\\s*:.*");
            }
            if (at < 0) {
                lines.add(line(name, value));
            } else {
                lines.set(at, line(name, value));
            }
        });
        return String.join("\n", lines) + "\n";
    }

    private static int find(List<String> lines, String pattern) {
        Pattern line = Pattern.compile(pattern);
        for (int at = 0; at < lines.size(); at++) {
            if (line.matcher(lines.get(at)).matches()) {
                return at;
            }
        }
        return -1;
    }

    private void write(String text) throws IOException {
        Files.deleteIfExists(aside);
        PosixFileAttributeView view =
                Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            Path _ = Files.createFile(aside);
        } else {
            PosixFileAttributes as = view.readAttributes();
            Path _ =
                    Files.createFile(
                            aside,
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            PosixFileAttributeView mine =
                    Files.getFileAttributeView(aside, PosixFileAttributeView.class);
            if (!mine.readAttributes().owner().equals(as.owner())) {
                mine.setOwner(as.owner());
            }
            if (!mine.readAttributes().group().equals(as.group())) {
                mine.setGroup(as.group());
            }
            mine.setPermissions(as.permissions());
        }
        Path _ =
                Files.writeString(
                        aside, text, StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING);
    }

    private void check(Map<String, String> values) throws Failed {
        GivenSettings read;
        try {
            read = GivenSettings.alone(aside);
        } catch (RuntimeException e) {
            throw new Failed(file + " cannot be read as YAML: " + e.getMessage(), e);
        }
        for (Map.Entry<String, String> each : values.entrySet()) {
            if (!each.getValue().equals(read.value(each.getKey()))) {
                throw new Failed(
                        "%s has %s in another form than one line: change it yourself, and leave out --write-settings"
                                .formatted(file, each.getKey()));
            }
        }
    }

    /**
     * Puts the change in place.
     *
     * @throws Failed if it cannot be; the file is as it was
     */
    void commit() throws Failed {
        try {
            DurableFiles.replace(aside, file);
        } catch (IOException e) {
            throw new Failed("cannot change " + file + ": " + e, e);
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(aside);
        } catch (IOException _) {
            // the next change replaces it
        }
    }
}
