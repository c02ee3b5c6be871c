package org.stillwater.server.programs;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.DatabaseSizes;
import org.stillwater.dal.SchemaVersions;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.configuration.SecretScrubber;
import org.stillwater.server.settings.EmbeddedDatabaseSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.wiring.DatabaseAddress;

/**
 * Collected diagnostics, in memory until they are written: each file is present, or a line gives
 * the reason of its absence. Every text passes the scrubber. Confined to one thread.
 */
final class Diagnosis {

    private static final int LARGEST_LOG = 4 * 1024 * 1024;

    private final GivenSettings settings;
    private final SecretScrubber scrubber;
    private final Instant now;
    private final Path dataFolder;
    private final Map<String, byte[]> parts = new TreeMap<>();
    private final Map<String, String> missing = new TreeMap<>();

    Diagnosis(GivenSettings settings, Instant now) {
        this.settings = settings;
        this.now = now;
        this.dataFolder = settings.bind(FleetSettings.class).dataFolder().toAbsolutePath();
        this.scrubber = settings.scrubber(dataFolder);
    }

    void missing(String part, String why) {
        missing.put(part, scrubber.scrub(why));
    }

    private void add(String name, String text) {
        parts.put(name, scrubber.scrub(text).getBytes(StandardCharsets.UTF_8));
    }

    void addOwnSettings() {
        add("settings.txt", settings.text(scrubber));
    }

    // ------------------------------------------------------------------------------- the engine

    /** Everything that the running engine answers. */
    void addEngine(MBeanServerConnection server, String process, int seconds) {
        add("engine.txt", "process " + process + "\n");
        try {
            Set<ObjectName> found =
                    server.queryNames(
                            new ObjectName("org.stillwater:type=EngineDiagnostics,*"), null);
            if (found.isEmpty()) {
                missing("engine", "it is starting, stopping, or of a version without diagnostics");
                addOwnSettings();
            } else {
                ObjectName engine = found.iterator().next();
                addAttribute(server, engine, "Health", "health.json");
                addAttribute(server, engine, "Meters", "meters.txt");
                addAttribute(server, engine, "RecentLog", "log.txt");
                addAttribute(server, engine, "Settings", "settings.txt");
            }
            addCommand(server, "threadPrint", "threads.txt", "-l");
            addCommand(server, "gcHeapInfo", "heap.txt");
            addCommand(server, "gcClassHistogram", "classes.txt");
        } catch (IOException | JMException e) {
            missing("engine", e.toString());
        }
        if (seconds > 0) {
            try {
                parts.put("recording.jfr", FlightRecording.of(server, seconds, scrubber));
            } catch (IOException | RuntimeException e) {
                missing("recording.jfr", e.toString());
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                missing("recording.jfr", "interrupted");
            }
        }
    }

    private void addAttribute(
            MBeanServerConnection server, ObjectName engine, String attribute, String part) {
        try {
            add(part, String.valueOf(server.getAttribute(engine, attribute)));
        } catch (IOException | JMException | RuntimeException e) {
            missing(part, e.toString());
        }
    }

    private void addCommand(
            MBeanServerConnection server, String command, String part, String... arguments) {
        try {
            Object answer =
                    command.equals("gcHeapInfo")
                            ? server.invoke(commands(), command, null, null)
                            : server.invoke(
                                    commands(),
                                    command,
                                    new Object[] {arguments},
                                    new String[] {String[].class.getName()});
            add(part, String.valueOf(answer));
        } catch (IOException | JMException | RuntimeException e) {
            missing(part, e.toString());
        }
    }

    private static ObjectName commands() throws JMException {
        return new ObjectName("com.sun.management:type=DiagnosticCommand");
    }

    // -------------------------------------------------------------------------- its surroundings

    /** Program, machine and disks. */
    void addSurroundings() {
        StringBuilder text = new StringBuilder();
        line(text, "collected", now);
        line(text, "stillwater", Program.version());
        line(text, "java", System.getProperty("java.vendor") + " " + Runtime.version());
        line(
                text,
                "system",
                System.getProperty("os.name")
                        + " "
                        + System.getProperty("os.version")
                        + " "
                        + System.getProperty("os.arch"));
        line(text, "processors", Runtime.getRuntime().availableProcessors());
        line(text, "load", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        line(text, "data folder", dataFolder);
        try {
            FileStore store = Files.getFileStore(dataFolder);
            line(
                    text,
                    "disk",
                    "%d MiB free of %d MiB"
                            .formatted(
                                    store.getUsableSpace() / 1024 / 1024,
                                    store.getTotalSpace() / 1024 / 1024));
        } catch (IOException e) {
            line(text, "disk", "unknown: " + e);
        }
        add("about.txt", text.toString());
        add("configuration.txt", CheckConfig.text(settings));
    }

    private static void line(StringBuilder text, String name, Object value) {
        text.append("%-12s %s%n".formatted(name, value));
    }

    /** Version and sizes of the database, and the embedded server's log. */
    void addDatabase() {
        try (DatabaseAccess access = DatabaseAccess.open(settings, DatabaseAccess.Use.READ)) {
            SchemaVersions.Status status = SchemaVersions.of(access.settings());
            StringBuilder text = new StringBuilder();
            line(text, "schema", String.valueOf(status.applied()));
            line(text, "newest", status.newest());
            status.pending().forEach(each -> line(text, "pending", each));
            text.append(DatabaseSizes.text(access.settings()));
            add("database.txt", text.toString());
        } catch (Failed | StoreUnavailable | SQLException e) {
            missing("database.txt", String.valueOf(e.getMessage()));
        }
        Path log =
                DatabaseAddress.embeddedFolder(
                                settings.bind(EmbeddedDatabaseSettings.class),
                                settings.bind(FleetSettings.class))
                        .resolve("log")
                        .resolve("postgresql.log");
        if (Files.exists(log)) {
            addFile("postgresql.log", log);
        }
    }

    /** The newest part of a log. */
    void addFile(String name, Path file) {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(0, log.length() - LARGEST_LOG);
            byte[] bytes = new byte[(int) (log.length() - from)];
            log.seek(from);
            log.readFully(bytes);
            add(name, new String(bytes, StandardCharsets.UTF_8));
        } catch (IOException e) {
            missing(name, e.toString());
        }
    }

    // ----------------------------------------------------------------------------------- result

    Map<String, byte[]> parts() {
        Map<String, byte[]> all = new TreeMap<>(parts);
        if (!missing.isEmpty()) {
            StringBuilder text = new StringBuilder();
            missing.forEach((part, why) -> text.append(part).append(": ").append(why).append('\n'));
            all.put("missing.txt", text.toString().getBytes(StandardCharsets.UTF_8));
        }
        return all;
    }

    /** Lists the files that will be written. */
    void list(PrintStream out) {
        parts().forEach((name, bytes) -> out.printf("%,12d  %s%n", bytes.length, name));
        missing.forEach((part, why) -> out.printf("%12s  %s: %s%n", "missing", part, why));
    }

    /** Writes the archive, which only its owner can read. */
    void write(Path to) throws IOException {
        Path folder = to.getParent();
        if (folder != null && Files.getFileStore(folder).supportsFileAttributeView("posix")) {
            Path _ =
                    Files.createFile(
                            to,
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
        } else {
            Path _ = Files.createFile(to);
        }
        try (OutputStream file = Files.newOutputStream(to, StandardOpenOption.WRITE);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            for (Map.Entry<String, byte[]> part : parts().entrySet()) {
                ZipEntry entry = new ZipEntry("stillwater-diagnosis/" + part.getKey());
                entry.setLastModifiedTime(FileTime.from(now));
                zip.putNextEntry(entry);
                zip.write(part.getValue());
                zip.closeEntry();
            }
        }
    }
}
