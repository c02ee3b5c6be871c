package org.stillwater.server.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.stillwater.server.DurableFiles;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.SecuritySettings;

/**
 * The file with the generated password of the first administrator: readable by its owner only, and
 * deleted when the password is changed. The console shows the file's path and not the password,
 * which would otherwise stay in the journal of the system.
 */
@Component
class FirstPasswordFile {

    private static final Logger log = LoggerFactory.getLogger(FirstPasswordFile.class);

    private final Path file;

    FirstPasswordFile(SecuritySettings settings, FleetSettings fleet) {
        Path given = settings.initialPasswordFile();
        file =
                (given == null ? fleet.dataFolder().resolve("first-password") : given)
                        .toAbsolutePath()
                        .normalize();
    }

    Path path() {
        return file;
    }

    /**
     * Writes the password, whole or not at all.
     *
     * @throws SecurityRefused if it cannot be written: without it no user could log in
     */
    void write(String password) {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.createDirectories(fresh.getParent());
            Files.deleteIfExists(fresh);
            if (Files.getFileStore(fresh.getParent()).supportsFileAttributeView("posix")) {
                Path _ =
                        Files.createFile(
                                fresh,
                                PosixFilePermissions.asFileAttribute(
                                        PosixFilePermissions.fromString("rw-------")));
            }
            Path _ = Files.writeString(fresh, password + "\n");
            DurableFiles.replace(fresh, file);
        } catch (IOException e) {
            throw new SecurityRefused(
                    "The first administrator's password cannot be written to %s: %s"
                            .formatted(file, e),
                    "Let the engine's user write there, or name another file with"
                            + " stillwater.security.initial-password-file.",
                    e);
        }
    }

    /** The path on the console, for the person that starts the engine. */
    @SuppressWarnings("SystemOut")
    void announce(String name) {
        System.out.printf(
                "%n  The first administrator: %s%n  Password in the file:    %s%n"
                        + "  Log in at /login with it and choose another; then the file is"
                        + " deleted.%n%n",
                name, file);
        System.out.flush();
    }

    /** Deletes the file: the password in it is no longer the administrator's. */
    void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("{} holds a password that is not used any more; delete it: {}", file, e);
        }
    }
}
