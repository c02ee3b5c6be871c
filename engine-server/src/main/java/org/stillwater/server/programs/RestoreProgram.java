package org.stillwater.server.programs;

import java.io.BufferedInputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.backup.BackupKey;
import org.stillwater.dal.backup.BackupRefused;
import org.stillwater.dal.backup.DatabaseBackup;
import org.stillwater.dal.backup.DatabaseRestore;
import org.stillwater.server.configuration.GivenSettings;

/** {@code ./stillwater restore}: replaces the engine's database by a backup. */
public final class RestoreProgram {

    private static final String REPLACE = "--replace";

    private static final String HELP =
            """
            Usage: stillwater restore FILE [options] [engine options]

            Restores a backup: checks the whole file, loads it beside the present data, reads it back, and only then puts
            it in place. If anything fails before, the database is as it was. The engine must be stopped. A backup of an
            older version is migrated; one of a newer version is refused.

              --replace       replaces the data, and keys of the data folder, that are there
              --key FILE      the key of an encrypted backup
              --config FILE   a file of settings, as for run
              --data DIR      data folder, as for run
              --help          this text

            Exit code: 0 done, 1 it cannot be restored, 2 wrong usage.
            """;

    private RestoreProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Program.silenceLogs();
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Program.run("restore", HELP, arguments, out, err, () -> run(arguments, out));
    }

    private static int run(List<String> arguments, PrintStream out)
            throws Arguments.WrongUsage, Failed {
        Arguments given = new Arguments(arguments, Set.of("--key"), Set.of(REPLACE));
        Path file = Path.of(given.word("file"));
        BackupKey key = BackupProgram.key(given);
        if (!Files.isReadable(file)) {
            throw new Failed("cannot read " + file.toAbsolutePath());
        }
        DatabaseBackup.Content content = restore(file, key, given.settings(), given.has(REPLACE));
        BackupProgram.print(content, out);
        out.println("Restored and read back. Start the engine.");
        return 0;
    }

    private static DatabaseBackup.Content restore(
            Path file, @Nullable BackupKey key, GivenSettings settings, boolean replace)
            throws Failed {
        try (DatabaseAccess access = DatabaseAccess.open(settings, DatabaseAccess.Use.CHANGE)) {
            return new DatabaseRestore(access.settings(), replace)
                    .restore(
                            () -> new BufferedInputStream(Files.newInputStream(file)),
                            key,
                            files -> DataFolderFiles.write(settings, files, replace));
        } catch (BackupRefused | StoreUnavailable e) {
            throw new Failed(String.valueOf(e.getMessage()), e);
        }
    }
}
