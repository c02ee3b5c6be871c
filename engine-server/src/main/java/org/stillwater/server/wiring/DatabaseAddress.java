package org.stillwater.server.wiring;

import java.nio.file.Path;
import org.stillwater.dal.Login;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.server.settings.DatabaseSettings;
import org.stillwater.server.settings.EmbeddedDatabaseSettings;
import org.stillwater.server.settings.ExternalDatabaseSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.MigrationLoginSettings;

/**
 * Address of the database, by the settings: for the engine and for programs beside it. Stateless.
 */
public final class DatabaseAddress {

    /** The name of the database that the embedded server holds. */
    public static final String DATABASE = "stillwater";

    private DatabaseAddress() {}

    /** Folder of the embedded server. */
    public static Path embeddedFolder(EmbeddedDatabaseSettings settings, FleetSettings fleet) {
        Path data = settings.dataFolder();
        return data == null ? fleet.dataFolder().resolve("postgresql") : data;
    }

    /** How the embedded server is run. */
    public static EmbeddedPostgresSettings embedded(
            EmbeddedDatabaseSettings settings, FleetSettings fleet) {
        Path folder = embeddedFolder(settings, fleet);
        Path binaries = settings.binariesFolder();
        return new EmbeddedPostgresSettings(
                folder,
                binaries == null ? folder.resolve("binaries") : binaries,
                DATABASE,
                settings.port(),
                true,
                settings.startTimeout(),
                settings.stopTimeout(),
                settings.logLimit().toBytes(),
                settings.sharedBuffers().toBytes(),
                settings.maxConnections(),
                settings.user());
    }

    /** The embedded server's database. */
    public static org.stillwater.dal.DatabaseSettings embedded(
            String jdbcUrl, Login engine, Login owner, DatabaseSettings settings) {
        return as(engine, jdbcUrl, settings).migratedBy(owner);
    }

    /** An external database. */
    public static org.stillwater.dal.DatabaseSettings external(
            ExternalDatabaseSettings external,
            MigrationLoginSettings migration,
            DatabaseSettings settings) {
        String url = external.url();
        if (url == null) {
            throw new IllegalStateException("there is neither a server nor an address of one");
        }
        Login working = new Login(external.username(), external.password());
        org.stillwater.dal.DatabaseSettings alone = as(working, url, settings);
        return migration.given()
                ? alone.migratedBy(new Login(migration.username(), migration.password()))
                : alone;
    }

    private static org.stillwater.dal.DatabaseSettings as(
            Login working, String url, DatabaseSettings settings) {
        return new org.stillwater.dal.DatabaseSettings(
                url,
                working.user(),
                working.password(),
                settings.maxConnections(),
                settings.connectTimeout(),
                settings.statementTimeout(),
                settings.networkTimeout(),
                null,
                new org.stillwater.dal.DatabaseSettings.LockSettings(
                        settings.lockPatience(),
                        settings.keepAliveIdle(),
                        settings.keepAliveInterval(),
                        settings.keepAliveProbes()));
    }
}
