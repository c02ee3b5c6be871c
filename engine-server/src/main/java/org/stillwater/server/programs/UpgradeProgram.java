package org.stillwater.server.programs;

import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.dal.SchemaOutdated;
import org.stillwater.dal.SchemaVersions;

/** {@code ./stillwater upgrade}: brings the database to this version, as a start would. */
public final class UpgradeProgram {

    private static final String DRY = "--dry-run";

    private static final String HELP =
            """
            Usage: stillwater upgrade [--dry-run] [options] [engine options]

            Brings the database to this version, as the engine's start does. With --dry-run it lists the scripts that
            would run, and changes nothing; the engine may run then. Back up before an upgrade: a database that a newer
            version has migrated is refused by older ones.

              --dry-run       lists the scripts only
              --config FILE   a file of settings, as for run
              --data DIR      data folder, as for run
              --help          this text

            Exit code: 0 done, 1 it cannot be done, or the database is of a newer version, 2 wrong usage.
            """;

    private UpgradeProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Program.silenceLogs();
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Program.run("upgrade", HELP, arguments, out, err, () -> run(arguments, out));
    }

    private static int run(List<String> arguments, PrintStream out)
            throws Arguments.WrongUsage, Failed {
        Arguments given = new Arguments(arguments, Set.of(), Set.of(DRY));
        given.noWords();
        boolean dry = given.has(DRY);
        try (DatabaseAccess access =
                DatabaseAccess.open(
                        given.settings(),
                        dry ? DatabaseAccess.Use.READ : DatabaseAccess.Use.CHANGE)) {
            SchemaVersions.Status status = SchemaVersions.of(access.settings());
            out.println(
                    "schema    "
                            + (status.applied() == null
                                    ? "none yet"
                                    : "version " + status.applied())
                            + "; this Stillwater has version "
                            + status.newest());
            if (status.isNewer()) {
                throw new Failed(
                        "a newer Stillwater made this schema, and it is not migrated back: start"
                                + " the newer version again, or restore a backup that was made"
                                + " before the upgrade (./stillwater restore FILE --replace)");
            }
            status.pending().forEach(each -> out.println("pending   " + each));
            if (dry) {
                out.println(
                        status.pending().isEmpty()
                                ? "Nothing to do."
                                : status.pending().size() + " scripts would run. Back up first.");
                return 0;
            }
            SchemaVersions.migrate(access.settings());
            out.println(
                    status.pending().isEmpty()
                            ? "Nothing to do."
                            : status.pending().size() + " scripts ran.");
            return 0;
        } catch (StoreUnavailable | SchemaOutdated e) {
            throw new Failed(String.valueOf(e.getMessage()), e);
        }
    }
}
