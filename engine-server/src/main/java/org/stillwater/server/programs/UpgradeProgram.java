package org.stillwater.server.programs;

import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.SchemaOutdated;
import org.stillwater.dal.SchemaVersions;
import org.stillwater.dal.lock.DatabaseLock;
import org.stillwater.server.configuration.GivenSettings;

/** {@code ./stillwater upgrade}: brings the database to this version, as a start would. */
public final class UpgradeProgram {

    private static final String DRY = "--dry-run";
    private static final String POSTGRESQL = "--postgresql";

    private static final String HELP =
            """
            Usage: stillwater upgrade [--dry-run] [options] [engine options]

            Brings the database to this version, as the engine's start does. With --dry-run it lists the scripts that
            would run, and changes nothing; the engine may run then. Back up before an upgrade: a database that a newer
            version has migrated is refused by older ones.

            Where this version's embedded PostgreSQL has another major version than the data, the engine does not start,
            and this command copies the data: the programs of the former version serve them, every row is compared
            with its original, and the old data stay in cluster-VERSION beside the new ones.

              --dry-run         lists the scripts, and tells whether data would be copied
              --postgresql DIR  an installed PostgreSQL of the data's major version, the folder with its bin; default:
                                the programs that the former Stillwater unpacked
              --config FILE     a file of settings, as for run
              --data DIR        data folder, as for run
              --help            this text

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
        Arguments given = new Arguments(arguments, Set.of(POSTGRESQL), Set.of(DRY));
        given.noWords();
        boolean dry = given.has(DRY);
        GivenSettings settings = given.settings();
        PostgresUpgrade server = PostgresUpgrade.needed(settings, given.file(POSTGRESQL));
        if (server != null && !dry) {
            server.copy(out);
        }
        try (DatabaseLock _ = dry ? null : DatabaseAccess.lock(settings, "stillwater-upgrade");
                DatabaseAccess access =
                        server != null && dry
                                ? server.describe(out)
                                : DatabaseAccess.open(
                                        settings,
                                        dry
                                                ? DatabaseAccess.Use.READ
                                                : DatabaseAccess.Use.CHANGE)) {
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
                                ? server == null
                                        ? "Nothing to do."
                                        : "No script would run after the copy."
                                : CheckConfig.counted(status.pending().size(), "script")
                                        + " would run. Back up first.");
                return 0;
            }
            SchemaVersions.migrate(access.settings());
            out.println(
                    status.pending().isEmpty()
                            ? server == null ? "Nothing to do." : "The engine can start."
                            : CheckConfig.counted(status.pending().size(), "script") + " ran.");
            return 0;
        } catch (StoreUnavailable | SchemaOutdated e) {
            throw new Failed(String.valueOf(e.getMessage()), e);
        }
    }
}
