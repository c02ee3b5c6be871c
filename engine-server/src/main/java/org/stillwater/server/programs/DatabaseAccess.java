package org.stillwater.server.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.Database;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresException;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.dal.embedded.RunningServer;
import org.stillwater.dal.lock.DatabaseInUse;
import org.stillwater.dal.lock.DatabaseLock;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.settings.EmbeddedDatabaseSettings;
import org.stillwater.server.settings.ExternalDatabaseSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.MigrationLoginSettings;
import org.stillwater.server.wiring.DatabaseAddress;

/**
 * The engine's database for a program beside it: an external one, the embedded server that a
 * running engine keeps, or the embedded server started for this program alone. Closing it stops the
 * server that it started, as does a signal that ends the program.
 */
final class DatabaseAccess implements AutoCloseable {

    private final DatabaseSettings settings;
    private final @Nullable EmbeddedPostgres started;
    private final @Nullable AtEnd atEnd;

    private DatabaseAccess(
            DatabaseSettings settings, @Nullable EmbeddedPostgres started, @Nullable AtEnd atEnd) {
        this.settings = settings;
        this.started = started;
        this.atEnd = atEnd;
    }

    /** Use of the embedded server by a program. */
    enum Use {
        /** Reads: beside a running engine as well. */
        READ,
        /** Replaces or migrates: no engine may run, and a missing server is made. */
        CHANGE,
        /** Reads, while no engine runs. */
        ALONE
    }

    /**
     * Opens it.
     *
     * @throws Failed if there is none, or an engine has it and this program would change it
     */
    static DatabaseAccess open(GivenSettings given, Use use) throws Failed {
        try {
            var database = given.bind(org.stillwater.server.settings.DatabaseSettings.class);
            ExternalDatabaseSettings external = given.bind(ExternalDatabaseSettings.class);
            if (external.url() != null) {
                return new DatabaseAccess(
                        DatabaseAddress.external(
                                external, given.bind(MigrationLoginSettings.class), database),
                        null,
                        null);
            }
        } catch (BindException e) {
            throw refused(e);
        }
        return openEmbedded(given, use);
    }

    /**
     * Opens the embedded server of the data folder, also where the settings name an external one.
     *
     * @throws Failed if there is none, or an engine has it and this program needs it alone
     */
    static DatabaseAccess openEmbedded(GivenSettings given, Use use) throws Failed {
        try {
            var database = given.bind(org.stillwater.server.settings.DatabaseSettings.class);
            EmbeddedDatabaseSettings embedded = given.bind(EmbeddedDatabaseSettings.class);
            FleetSettings fleet = given.bind(FleetSettings.class);
            Path folder = DatabaseAddress.embeddedFolder(embedded, fleet);
            if (use == Use.READ) {
                RunningServer running = RunningServer.find(folder, DatabaseAddress.DATABASE);
                if (running != null) {
                    return new DatabaseAccess(
                            DatabaseAddress.embedded(
                                    running.jdbcUrl(), running.engine(), running.owner(), database),
                            null,
                            null);
                }
            }
            if (use != Use.CHANGE && !Files.exists(folder.resolve("cluster"))) {
                throw new Failed(
                        "there is no database in "
                                + folder.toAbsolutePath()
                                + ": name the engine's data folder with --data, or its"
                                + " settings with --config");
            }
            EmbeddedPostgresSettings server = DatabaseAddress.embedded(embedded, fleet);
            makeFolders(server);
            return of(EmbeddedPostgres.start(server), database);
        } catch (EmbeddedPostgresException e) {
            throw failed(e);
        } catch (IOException e) {
            throw new Failed(
                    "the database of the running engine cannot be used: "
                            + e
                            + "; run this as the engine's user",
                    e);
        } catch (BindException e) {
            throw refused(e);
        }
    }

    /**
     * Takes the lock of an external database, so that no engine starts on it meanwhile. The lock of
     * the data folder protects an embedded one.
     *
     * @param name of the program
     * @return null for an embedded database
     * @throws Failed if an engine or another program uses it
     */
    static @Nullable DatabaseLock lock(GivenSettings given, String name) throws Failed {
        try {
            ExternalDatabaseSettings external = given.bind(ExternalDatabaseSettings.class);
            return external.url() == null
                    ? null
                    : Database.lock(
                            DatabaseAddress.external(
                                    external,
                                    given.bind(MigrationLoginSettings.class),
                                    given.bind(
                                            org.stillwater.server.settings.DatabaseSettings.class)),
                            name);
        } catch (DatabaseInUse | StoreUnavailable e) {
            throw new Failed(String.valueOf(e.getMessage()), e);
        } catch (BindException e) {
            throw refused(e);
        }
    }

    private static void makeFolders(EmbeddedPostgresSettings server) throws Failed {
        try {
            FolderOwner.make(server.dataFolder());
            FolderOwner.make(server.binariesFolder());
        } catch (IOException e) {
            throw new Failed("cannot make the folder of the database: " + e, e);
        }
    }

    /**
     * The database of a server that was started; closing this stops it.
     *
     * @throws Failed if the program is ending; then it is stopped
     */
    static DatabaseAccess of(
            EmbeddedPostgres server, org.stillwater.server.settings.DatabaseSettings database)
            throws Failed {
        return new DatabaseAccess(
                DatabaseAddress.embedded(
                        server.jdbcUrl(), server.engine(), server.owner(), database),
                server,
                AtEnd.of("stop-database", server::close));
    }

    /** The reason for which no server was started. */
    static Failed failed(EmbeddedPostgresException e) {
        return new Failed(
                e.reason() == EmbeddedPostgresException.Reason.DATA_FOLDER_IN_USE
                        ? "the engine of this data folder runs: stop it first"
                        : String.valueOf(e.getMessage()),
                e);
    }

    static Failed refused(BindException e) {
        return new Failed("the settings are refused; see ./stillwater check-config", e);
    }

    DatabaseSettings settings() {
        return settings;
    }

    @Override
    public void close() {
        if (started != null) {
            started.close();
        }
        if (atEnd != null) {
            atEnd.close();
        }
    }
}
