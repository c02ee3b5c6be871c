package org.stillwater.server.programs;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.SchemaOutdated;
import org.stillwater.dal.backup.BackupRefused;
import org.stillwater.dal.backup.DatabaseBackup;
import org.stillwater.dal.backup.DatabaseMove;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresException;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.dal.embedded.MajorUpgrade;
import org.stillwater.dal.embedded.RunningServer;
import org.stillwater.server.SystemClock;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.settings.DatabaseSettings;
import org.stillwater.server.settings.EmbeddedDatabaseSettings;
import org.stillwater.server.settings.ExternalDatabaseSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.wiring.DatabaseAddress;

/**
 * The copy of the embedded server's data to this program's major version of PostgreSQL, which
 * {@code upgrade} makes first. Stateless but for the open servers of one call.
 */
final class PostgresUpgrade {

    private static final double MEBIBYTE = 1 << 20;

    private final GivenSettings given;
    private final EmbeddedPostgresSettings server;
    private final MajorUpgrade.Need need;
    private final @Nullable Path former;

    private PostgresUpgrade(
            GivenSettings given,
            EmbeddedPostgresSettings server,
            MajorUpgrade.Need need,
            @Nullable Path former) {
        this.given = given;
        this.server = server;
        this.need = need;
        this.former = former;
    }

    /**
     * The upgrade that the data need.
     *
     * @param former an installed PostgreSQL of the data's version, or null
     * @return null if they need none, or the settings name an external database
     * @throws Failed if the data are of a newer version, or {@code former} is of no use
     */
    static @Nullable PostgresUpgrade needed(GivenSettings given, @Nullable Path former)
            throws Failed {
        try {
            if (given.bind(ExternalDatabaseSettings.class).url() == null) {
                EmbeddedPostgresSettings server =
                        DatabaseAddress.embedded(
                                given.bind(EmbeddedDatabaseSettings.class),
                                given.bind(FleetSettings.class));
                MajorUpgrade.Need need = MajorUpgrade.need(server);
                if (need != null) {
                    return new PostgresUpgrade(given, server, need, former);
                }
            }
        } catch (EmbeddedPostgresException e) {
            throw DatabaseAccess.failed(e);
        } catch (BindException e) {
            throw DatabaseAccess.refused(e);
        }
        if (former != null) {
            throw new Failed(
                    "--postgresql is for data of another major version of the embedded"
                            + " PostgreSQL, and there are none");
        }
        return null;
    }

    /** Prints the data to copy, and opens it with the programs that can read it. */
    DatabaseAccess describe(PrintStream out) throws Failed {
        out.println(
                "server    the data in %s are of PostgreSQL %d; this Stillwater has %s: upgrade copies them, while the engine is stopped"
                        .formatted(server.dataFolder(), need.present(), need.wanted()));
        try {
            if (RunningServer.find(server.dataFolder(), DatabaseAddress.DATABASE) != null) {
                return DatabaseAccess.openEmbedded(given, DatabaseAccess.Use.READ);
            }
            return DatabaseAccess.of(
                    MajorUpgrade.startFormer(server, need, former),
                    given.bind(DatabaseSettings.class));
        } catch (EmbeddedPostgresException e) {
            throw DatabaseAccess.failed(e);
        } catch (IOException e) {
            throw new Failed("the database of the running engine cannot be used: " + e, e);
        }
    }

    /** Copies, compares and puts the new data in place of the old ones. */
    void copy(PrintStream out) throws Failed {
        DatabaseSettings database = given.bind(DatabaseSettings.class);
        try (MajorUpgrade upgrade = MajorUpgrade.begin(server, need, former)) {
            org.stillwater.dal.DatabaseSettings from = address(upgrade.from(), database);
            org.stillwater.dal.DatabaseSettings to = address(upgrade.to(), database);
            DatabaseMove.Plan plan = DatabaseMove.plan(from, to, true);
            requireRoom(upgrade, plan);
            out.println(
                    "server    PostgreSQL %s to %s: copies %d tables, %.1f MiB"
                            .formatted(
                                    plan.fromServer(),
                                    plan.toServer(),
                                    plan.tables(),
                                    plan.bytes() / MEBIBYTE));
            plan.notes().forEach(each -> out.println("note      " + each));
            DatabaseBackup.Content copied =
                    DatabaseMove.move(from, to, true, new SystemClock().now(), Program.version());
            upgrade.finish();
            out.println(
                    "Copied %d rows and compared all %d tables with their originals. The old data are in %s: delete that folder when the engine works."
                            .formatted(copied.rows(), copied.tables(), upgrade.kept()));
        } catch (EmbeddedPostgresException e) {
            throw DatabaseAccess.failed(e);
        } catch (BackupRefused | StoreUnavailable | SchemaOutdated | IOException e) {
            throw new Failed(e.getMessage() + ". The old data are in use as before", e);
        }
    }

    private static void requireRoom(MajorUpgrade upgrade, DatabaseMove.Plan plan)
            throws IOException, Failed {
        long free = upgrade.freeBytes();
        if (free < plan.bytes()) {
            throw new Failed(
                    "the copy takes %.0f MiB, and the disk of the data has %.0f MiB free: make room, or back up with the former Stillwater and restore with this one"
                            .formatted(plan.bytes() / MEBIBYTE, free / MEBIBYTE));
        }
    }

    private static org.stillwater.dal.DatabaseSettings address(
            EmbeddedPostgres server, DatabaseSettings settings) {
        return DatabaseAddress.embedded(
                server.jdbcUrl(), server.engine(), server.owner(), settings);
    }
}
