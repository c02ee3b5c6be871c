package org.stillwater.server.programs;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.SchemaOutdated;
import org.stillwater.dal.backup.BackupRefused;
import org.stillwater.dal.backup.DatabaseBackup;
import org.stillwater.dal.backup.DatabaseMove;
import org.stillwater.server.SystemClock;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.settings.EmbeddedDatabaseSettings;
import org.stillwater.server.settings.ExternalDatabaseSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.MigrationLoginSettings;
import org.stillwater.server.wiring.DatabaseAddress;

/** {@code ./stillwater move-database}: copies the embedded database into an external one. */
public final class MoveDatabaseProgram {

    private static final String TO = "--to";
    private static final String DRY = "--dry-run";
    private static final String NO_HISTORY = "--no-history";
    private static final String WRITE = "--write-settings";
    private static final String URL = "spring.datasource.url";
    private static final String USER = "spring.datasource.username";
    private static final String OWNER = "stillwater.database.migration.username";
    private static final String PASSWORD = "spring.datasource.password";

    private static final String HELP =
            """
            Usage: stillwater move-database --to jdbc:postgresql://HOST[:PORT]/DATABASE [options] [engine options]

            Copies the data of the embedded PostgreSQL into an empty database of another server, reads every table back and
            compares it with its original, and opens the result as the engine would. The engine must be stopped. The
            embedded data stay as they are. After a failure the target is as it was, or the message says how to clean it.

            Logins of the target are the settings that the engine will use: spring.datasource.username and .password, and
            for another owner stillwater.database.migration.username and .password. Put passwords into files, credentials
            or the environment, not on the command line.

              --to URL          the target; default: spring.datasource.url
              --dry-run         checks both sides and tells what would be copied; the engine may run
              --no-history      leaves out samples and their roll-ups, which are most of the rows
              --write-settings  puts the target into the file of --config, at the end; otherwise the lines are printed
              --config FILE     a file of settings, as for run
              --data DIR        data folder, as for run
              --help            this text

            Exit code: 0 done, 1 it cannot be moved, 2 wrong usage.
            """;

    private MoveDatabaseProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Program.silenceLogs();
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return Program.run("move-database", HELP, arguments, out, err, () -> run(arguments, out));
    }

    private static int run(List<String> arguments, PrintStream out)
            throws Arguments.WrongUsage, Failed {
        Arguments given = new Arguments(arguments, Set.of(TO), Set.of(DRY, NO_HISTORY, WRITE));
        given.noWords();
        Path file = given.file("--config");
        boolean dry = given.has(DRY);
        if (given.has(WRITE) && file == null) {
            throw new Arguments.WrongUsage(WRITE + " needs --config FILE");
        }
        if (given.has(WRITE) && !isYaml(file)) {
            throw new Arguments.WrongUsage(WRITE + " changes files that end in .yaml");
        }
        GivenSettings settings = given.settings();
        String url = url(given.value(TO), settings);
        DatabaseSettings target = target(url, settings);
        Map<String, String> lines = lines(url, target, settings, file);
        boolean history = !given.has(NO_HISTORY);
        try (SettingsFileChange change =
                        file == null || !given.has(WRITE)
                                ? null
                                : SettingsFileChange.prepare(file, lines);
                DatabaseAccess source =
                        DatabaseAccess.openEmbedded(
                                settings,
                                dry ? DatabaseAccess.Use.READ : DatabaseAccess.Use.ALONE)) {
            DatabaseMove.Plan plan = DatabaseMove.plan(source.settings(), target, history);
            print(plan, url, settings, out);
            if (dry) {
                out.println("Nothing was changed. The move would work as far as can be seen now.");
                return 0;
            }
            DatabaseBackup.Content moved =
                    DatabaseMove.move(
                            source.settings(),
                            target,
                            history,
                            new SystemClock().now(),
                            Program.version());
            out.println(
                    "Copied %d rows and compared all %d tables with their originals."
                            .formatted(moved.rows(), moved.tables()));
            finish(change, lines, file, out);
            return 0;
        } catch (BackupRefused e) {
            throw new Failed(String.valueOf(e.getMessage()), e);
        } catch (StoreUnavailable | SchemaOutdated e) {
            throw new Failed(
                    "the target has the data, and cannot be used yet: "
                            + e.getMessage()
                            + ". An engine on it migrates it at its start; to begin again, empty"
                            + " the target (DROP DATABASE, CREATE DATABASE)",
                    e);
        }
    }

    private static boolean isYaml(@Nullable Path file) {
        return file != null && file.toString().matches(".*[.]ya?ml");
    }

    private static String url(@Nullable String to, GivenSettings settings)
            throws Arguments.WrongUsage, Failed {
        String present = settings.value(URL);
        if (to == null && present == null) {
            throw new Arguments.WrongUsage(TO + " is missing");
        }
        if (to != null && present != null && !to.equals(present)) {
            throw new Failed(
                    "the settings name an external database already ("
                            + URL
                            + "), so the engine's data are there: back it up and restore it to move"
                            + " between servers");
        }
        String url = to == null ? String.valueOf(present) : to;
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new Arguments.WrongUsage(TO + " must start with jdbc:postgresql:");
        }
        if (to != null && url.toLowerCase(Locale.ROOT).contains("password=")) {
            throw new Arguments.WrongUsage(
                    "every user of this machine can read a password on a command line: give it as "
                            + PASSWORD
                            + " in a file, a credential or the environment");
        }
        return url;
    }

    private static DatabaseSettings target(String url, GivenSettings settings) throws Failed {
        try {
            ExternalDatabaseSettings external = settings.bind(ExternalDatabaseSettings.class);
            return DatabaseAddress.external(
                    new ExternalDatabaseSettings(url, external.username(), external.password()),
                    settings.bind(MigrationLoginSettings.class),
                    settings.bind(org.stillwater.server.settings.DatabaseSettings.class));
        } catch (BindException e) {
            throw new Failed("the settings are refused; see ./stillwater check-config", e);
        }
    }

    /**
     * The settings that the file lacks for an engine on the target; passwords are not among them.
     */
    private static Map<String, String> lines(
            String url, DatabaseSettings target, GivenSettings settings, @Nullable Path file)
            throws Failed {
        Map<String, String> wanted = new LinkedHashMap<>();
        wanted.put(URL, url);
        wanted.put(USER, target.user());
        String owner = settings.value(OWNER);
        if (owner != null && !owner.isEmpty()) {
            wanted.put(OWNER, owner);
        }
        if (file != null && isYaml(file)) {
            GivenSettings alone;
            try {
                alone = GivenSettings.alone(file);
            } catch (RuntimeException e) {
                throw new Failed("cannot read the file of settings " + file, e);
            }
            wanted.entrySet().removeIf(each -> each.getValue().equals(alone.value(each.getKey())));
        }
        return wanted;
    }

    private static void print(
            DatabaseMove.Plan plan, String url, GivenSettings settings, PrintStream out) {
        out.println(
                "from      %s, PostgreSQL %s"
                        .formatted(
                                DatabaseAddress.embeddedFolder(
                                        settings.bind(EmbeddedDatabaseSettings.class),
                                        settings.bind(FleetSettings.class)),
                                plan.fromServer()));
        out.println("to        %s, PostgreSQL %s".formatted(address(url), plan.toServer()));
        out.println(
                "content   %d tables, %d MiB, version %s of the schema"
                        .formatted(plan.tables(), (plan.bytes() >> 20) + 1, plan.schemaVersion()));
        plan.notes().forEach(each -> out.println("note      " + each));
    }

    /** Without parameters, which may hold a password. */
    private static String address(String url) {
        int parameters = url.indexOf('?');
        return parameters < 0 ? url : url.substring(0, parameters);
    }

    private static void finish(
            @Nullable SettingsFileChange change,
            Map<String, String> lines,
            @Nullable Path file,
            PrintStream out)
            throws Failed {
        if (lines.isEmpty()) {
            out.println("The settings name the target already. Start the engine.");
        } else if (change == null) {
            out.println(
                    "Put this into "
                            + (file == null ? "the engine's settings" : file)
                            + ", and start the engine:");
            lines.forEach(
                    (name, value) -> out.println("  " + SettingsFileChange.line(name, value)));
        } else {
            change.commit();
            out.println("Changed " + file + ": " + String.join(", ", lines.keySet()) + ".");
            out.println("Start the engine.");
        }
        out.println(
                "The data folder stays in use for keys and certificates; its folder postgresql is"
                        + " as it was, and may go when the engine works.");
    }
}
