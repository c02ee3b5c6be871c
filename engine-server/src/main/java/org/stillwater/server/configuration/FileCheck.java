package org.stillwater.server.configuration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Checks the files that settings name, and the files that settings with secrets are in. Confined to
 * one thread.
 */
final class FileCheck {

    /** Settings that name a file which must be there. */
    static final List<String> FILES_TO_READ =
            List.of(
                    "stillwater.hosts-file",
                    "stillwater.secrets.key-file",
                    "stillwater.tls.certificate",
                    "stillwater.tls.key",
                    "stillwater.tls.authority",
                    "stillwater.wire.tls.certificate",
                    "stillwater.wire.tls.key",
                    "stillwater.wire.tls.key-store",
                    "stillwater.wire.tls.trust",
                    "stillwater.wire.tls.trust-store",
                    "stillwater.ovirt.proxy-tickets.certificate",
                    "stillwater.ovirt.proxy-tickets.key",
                    "stillwater.fencing.ssh.identity",
                    "stillwater.fencing.ssh.known-hosts",
                    "stillwater.fencing.power.directory",
                    "stillwater.fencing.power.metadata",
                    "stillwater.relay.certificate",
                    "stillwater.relay.key",
                    "stillwater.relay.authorities",
                    "stillwater.alerts.mail.trust");

    /** Settings that name a file or folder which the engine makes, or reads if it exists. */
    static final List<String> FILES_TO_WRITE =
            List.of(
                    "stillwater.data-folder",
                    "stillwater.tls.folder",
                    "stillwater.database.embedded.data-folder",
                    "stillwater.database.embedded.binaries-folder",
                    "stillwater.security.initial-password-file",
                    "stillwater.clock.offset-file");

    private final GivenSettings given;
    private final Consumer<Finding> findings;

    /**
     * A check of these settings.
     *
     * @param findings receives the findings
     */
    FileCheck(GivenSettings given, Consumer<Finding> findings) {
        this.given = given;
        this.findings = findings;
    }

    /** Checks them as the present user. */
    void check() {
        namedFiles();
        openFiles();
    }

    private void namedFiles() {
        for (String name : FILES_TO_READ) {
            String value = given.value(name);
            if (value == null || value.isBlank()) {
                continue;
            }
            Path file = Path.of(value);
            if (!Files.exists(file)) {
                findings.accept(
                        Finding.error(
                                given.place(name),
                                name
                                        + " names "
                                        + file.toAbsolutePath()
                                        + ", which does not"
                                        + " exist, or which this user cannot see"));
            } else if (!Files.isReadable(file)) {
                findings.accept(
                        Finding.error(
                                given.place(name),
                                name
                                        + " names "
                                        + file.toAbsolutePath()
                                        + ", which this user"
                                        + " cannot read"));
            }
        }
        String folder = given.value("stillwater.data-folder");
        if (folder != null && !isWritable(Path.of(folder).toAbsolutePath())) {
            findings.accept(
                    Finding.error(
                            given.place("stillwater.data-folder"),
                            "stillwater.data-folder names "
                                    + Path.of(folder).toAbsolutePath()
                                    + ", where this user cannot write; the engine's user must"));
        }
    }

    /** A folder that does not exist can be made where the nearest one above it is writable. */
    private static boolean isWritable(Path folder) {
        for (Path at = folder; at != null; at = at.getParent()) {
            if (Files.exists(at)) {
                return Files.isDirectory(at) && Files.isWritable(at);
            }
        }
        return false;
    }

    /** A secret in a file that others can read. */
    private void openFiles() {
        for (PropertySource<?> source : given.environment().getPropertySources()) {
            if (!(source instanceof EnumerablePropertySource<?> all)
                    || !GivenSettings.isWritten(source)) {
                continue;
            }
            for (String name : all.getPropertyNames()) {
                String place = GivenSettings.place(source, name);
                Object value = source.getProperty(name);
                if (place != null
                        && place.startsWith("line ")
                        && SettingsTable.isSecret(name)
                        && value != null
                        && !value.toString().isBlank()
                        && !value.toString().startsWith("${")
                        && othersRead(Path.of(place.substring(place.indexOf(" of ") + 4)))) {
                    findings.accept(
                            Finding.warning(
                                    place,
                                    name
                                            + " is a secret in a file that others can read: chmod"
                                            + " 640 it, or use a credential"));
                }
            }
        }
    }

    private static boolean othersRead(Path file) {
        try {
            return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }
}
