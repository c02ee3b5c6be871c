package org.stillwater.server.programs;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.Database;
import org.stillwater.dal.HistoryPoolSettings;
import org.stillwater.dal.SchemaOutdated;
import org.stillwater.dal.lock.DatabaseLock;
import org.stillwater.server.SystemClock;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.secrets.AesSecretBox;
import org.stillwater.server.secrets.SecretKeyFile;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.SecretsSettings;
import org.stillwater.server.takeover.ImportPlan;
import org.stillwater.server.takeover.ImportPlanner;
import org.stillwater.server.takeover.ImportWriter;
import org.stillwater.server.takeover.Loss;
import org.stillwater.server.takeover.OvirtHttp;
import org.stillwater.server.takeover.OvirtReader;
import org.stillwater.server.takeover.ReferenceWriter;

/** {@code ./stillwater import-ovirt}: takes over the objects of an oVirt engine. */
public final class ImportOvirtProgram {

    private static final String DRY = "--dry-run";

    private static final String HELP =
            """
            Usage: stillwater import-ovirt --url URL --user USER --password-file FILE [options] [engine options]

            Reads clusters, hosts, fence agents, VMs, affinity groups, pools, tags, users and roles of an oVirt engine
            (4.4, 4.5, or another Stillwater) over its REST API, and writes them into the database of this engine, under
            the identities that they have there. This engine must be stopped, and have run once. Nothing is changed
            there, and nothing is removed here: an import can be repeated. What cannot be kept is listed.

              --url URL             the other engine, such as https://engine.example
              --user USER           who logs in there, such as admin@internal
              --password-file FILE  a file with the password
              --ca FILE             certificates that sign the other engine's, PEM
              --dry-run             lists what would be kept and what not, and writes nothing
              --config FILE         a file of settings, as for run
              --data DIR            data folder, as for run
              --help                this text

            Then run this engine beside the other one with --stillwater.commands.shadow=true, and compare both by
            stillwater compare-ovirt.

            Exit code: 0 done, also if something cannot be kept, 1 the other engine or the database cannot be used,
            2 wrong usage.
            """;

    private ImportOvirtProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Program.silenceLogs();
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Program.run("import-ovirt", HELP, arguments, out, err, () -> run(arguments, out));
    }

    private static int run(List<String> arguments, PrintStream out)
            throws Arguments.WrongUsage, Failed {
        Arguments given =
                new Arguments(
                        arguments,
                        Set.of("--url", "--user", "--password-file", "--ca"),
                        Set.of(DRY));
        given.noWords();
        GivenSettings settings = given.settings();
        if (given.has(DRY)) {
            ImportPlan plan = plan(given);
            print(plan, out);
            out.println("Nothing was written.");
            return 0;
        }
        // Before the other engine is read, and until the end.
        try (DatabaseLock _ = DatabaseAccess.lock(settings, "stillwater-import-ovirt")) {
            ImportPlan plan = plan(given);
            print(plan, out);
            print("Not written", write(plan, settings), out);
        }
        out.println(
                "Imported. Start the engine with --stillwater.commands.shadow=true while the other"
                        + " one commands the hosts.");
        return 0;
    }

    private static void print(ImportPlan plan, PrintStream out) {
        out.println("Read " + plan.product() + ".");
        out.print(plan.summary());
        print("Not kept", plan.losses(), out);
    }

    private static ImportPlan plan(Arguments given) throws Arguments.WrongUsage, Failed {
        try (OvirtHttp engine = OvirtLogin.open(given, "")) {
            return ImportPlanner.plan(engine, new SystemClock().now());
        } catch (OvirtReader.NotRead e) {
            throw new Failed(
                    "the other engine cannot be read: " + e.getMessage() + "; nothing was written",
                    e);
        }
    }

    private static List<Loss> write(ImportPlan plan, GivenSettings settings) throws Failed {
        SecretBox box =
                new AesSecretBox(
                        SecretKeyFile.find(
                                settings.bind(SecretsSettings.class).keyFile(),
                                credentials(settings),
                                settings.bind(FleetSettings.class).dataFolder()));
        try (DatabaseAccess access = DatabaseAccess.open(settings, DatabaseAccess.Use.CHANGE);
                Database database =
                        Database.open(access.settings(), HistoryPoolSettings.DEFAULT, box)) {
            return new ImportWriter(
                            database.stores().clusters(),
                            database.stores().hosts(),
                            database.definitions(),
                            new ReferenceWriter(
                                    database.pools(), database.tags(), database.users()))
                    .write(plan);
        } catch (StoreUnavailable | SchemaOutdated e) {
            throw new Failed("the database cannot be written: " + e.getMessage(), e);
        }
    }

    private static @org.jspecify.annotations.Nullable Path credentials(GivenSettings settings) {
        String folder = settings.value("CREDENTIALS_DIRECTORY");
        return folder == null ? null : Path.of(folder);
    }

    private static void print(String what, List<Loss> losses, PrintStream out) {
        if (!losses.isEmpty()) {
            out.println(what + ":");
            losses.forEach(each -> out.println("  " + each));
        }
    }
}
