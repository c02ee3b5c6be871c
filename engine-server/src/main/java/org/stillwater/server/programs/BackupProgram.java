package org.stillwater.server.programs;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.SchemaVersions;
import org.stillwater.dal.backup.BackupKey;
import org.stillwater.dal.backup.BackupManifest;
import org.stillwater.dal.backup.BackupRefused;
import org.stillwater.dal.backup.DatabaseBackup;
import org.stillwater.server.SystemClock;
import org.stillwater.server.configuration.GivenSettings;

/** {@code ./stillwater backup}: writes the engine's database into a file, and reads such a file. */
public final class BackupProgram {

    private static final String TO = "--to";
    private static final String KEY = "--key";
    private static final String NO_HISTORY = "--no-history";
    private static final String WITH_KEYS = "--with-keys";

    private static final String HELP =
            """
            Usage: stillwater backup --to FILE [options] [engine options]
                   stillwater backup verify FILE [--key FILE]

            Writes the engine's database, as it is at one instant, into a new file, and reads that file back. The engine
            may run. verify reads a backup from beginning to end and says what is in it.

              --to FILE       the backup; refused if it is there
              --no-history    leaves out samples and their roll-ups, which are most of the rows
              --key FILE      encrypts it: a file with 32 bytes in base64 (openssl rand -base64 32), chmod 600
              --with-keys     keys and certificates of the data folder, too; only with --key
              --config FILE   a file of settings, as for run
              --data DIR      data folder, as for run
              --help          this text

            Exit code: 0 done, 1 it cannot be made, or it is damaged, 2 wrong usage.
            """;

    private BackupProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Program.silenceLogs();
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Program.run("backup", HELP, arguments, out, err, () -> run(arguments, out));
    }

    private static int run(List<String> arguments, PrintStream out)
            throws Arguments.WrongUsage, Failed {
        Arguments given = new Arguments(arguments, Set.of(TO, KEY), Set.of(NO_HISTORY, WITH_KEYS));
        if (!given.words().isEmpty() && given.words().getFirst().equals("verify")) {
            if (given.words().size() != 2) {
                throw new Arguments.WrongUsage("verify needs one file");
            }
            Path file = Path.of(given.words().getLast());
            print(verify(file, key(given)), out);
            out.println("The backup is whole.");
            return 0;
        }
        given.noWords();
        Path to = given.file(TO);
        if (to == null) {
            throw new Arguments.WrongUsage("--to is missing");
        }
        if (given.has(WITH_KEYS) && given.value(KEY) == null) {
            throw new Arguments.WrongUsage("--with-keys needs --key");
        }
        write(given, to.toAbsolutePath(), out);
        return 0;
    }

    static @Nullable BackupKey key(Arguments given) throws Failed {
        Path file = given.file(KEY);
        try {
            return file == null ? null : BackupKey.read(file);
        } catch (BackupRefused e) {
            throw new Failed(String.valueOf(e.getMessage()), e);
        }
    }

    private static void write(Arguments given, Path to, PrintStream out) throws Failed {
        if (Files.exists(to)) {
            throw new Failed(to + " is there already: a backup is not overwritten");
        }
        Path folder = to.getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new Failed("there is no folder " + folder + " for the backup");
        }
        BackupKey key = key(given);
        GivenSettings settings = given.settings();
        Map<String, byte[]> files = given.has(WITH_KEYS) ? DataFolderFiles.of(settings) : Map.of();
        Path aside = to.resolveSibling("." + to.getFileName() + ".part");
        try (AtEnd _ = AtEnd.of("delete-unfinished", () -> deleteQuietly(aside));
                DatabaseAccess access = DatabaseAccess.open(settings, DatabaseAccess.Use.READ)) {
            requireKnown(access.settings());
            DatabaseBackup.Content written =
                    DatabaseBackup.write(
                            access.settings(),
                            () -> fresh(aside),
                            !given.has(NO_HISTORY),
                            key,
                            files,
                            new SystemClock().now(),
                            Program.version());
            DatabaseBackup.Content read = verify(aside, key);
            if (read.rows() != written.rows() || read.tables() != written.tables()) {
                throw new Failed("the backup reads back with other rows than were written");
            }
            List<String> others = DatabaseBackup.others(access.settings());
            try (FileChannel channel = FileChannel.open(aside, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            place(aside, to);
            print(read, out);
            if (!others.isEmpty()) {
                out.println(
                        "left out  tables that are not Stillwater's: " + String.join(", ", others));
            }
            out.println("Wrote %s (%d KiB) and read it back.".formatted(to, Files.size(to) / 1024));
        } catch (BackupRefused e) {
            throw new Failed(String.valueOf(e.getMessage()), e);
        } catch (FileAlreadyExistsException e) {
            throw new Failed(to + " is there already: a backup is not overwritten", e);
        } catch (IOException e) {
            throw new Failed("the backup cannot be written: " + e, e);
        } finally {
            deleteQuietly(aside);
        }
    }

    /** A backup is restored by the version that made it or a newer one; this one could not. */
    private static void requireKnown(DatabaseSettings database) throws Failed {
        SchemaVersions.Status status;
        try {
            status = SchemaVersions.of(database);
        } catch (StoreUnavailable _) {
            return; // the backup itself names unreadable data
        }
        if (status.isNewer()) {
            throw new Failed(
                    "the database has version %s of the schema, of a newer Stillwater; this one knows versions up to %s, and could not restore the backup: back up with the newer Stillwater"
                            .formatted(status.applied(), status.newest()));
        }
    }

    /** An empty file that only its owner can read. */
    private static BufferedOutputStream fresh(Path file) throws IOException {
        Files.deleteIfExists(file);
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && Files.getFileStore(folder).supportsFileAttributeView("posix")) {
            Path _ =
                    Files.createFile(
                            file,
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
        } else {
            Path _ = Files.createFile(file);
        }
        return new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.WRITE));
    }

    /** Never over a file that came meanwhile, where the file system has links. */
    private static void place(Path aside, Path to) throws IOException {
        try {
            Path _ = Files.createLink(to, aside);
        } catch (FileAlreadyExistsException taken) {
            throw taken;
        } catch (UnsupportedOperationException | FileSystemException noLinks) {
            Path _ = Files.move(aside, to);
        }
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException _) {
            // a leftover beside the backup, which the next one removes
        }
    }

    static DatabaseBackup.Content verify(Path file, @Nullable BackupKey key) throws Failed {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            return DatabaseBackup.verify(in, key);
        } catch (BackupRefused e) {
            throw new Failed(file + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new Failed("cannot read " + file + ": " + e, e);
        }
    }

    static void print(DatabaseBackup.Content content, PrintStream out) {
        BackupManifest manifest = content.manifest();
        out.println(
                "made      " + manifest.madeAt() + " by Stillwater " + manifest.engineVersion());
        out.println(
                "schema    version "
                        + manifest.schemaVersion()
                        + ", PostgreSQL "
                        + manifest.serverVersion());
        out.println(
                "content   %d rows in %d tables, %s"
                        .formatted(
                                content.rows(),
                                content.tables(),
                                manifest.history() ? "history included" : "without history"));
        out.println(
                content.files().isEmpty()
                        ? "keys      not in it: keep secrets/keys of the data folder apart"
                        : "keys      " + String.join(", ", content.files()));
    }
}
