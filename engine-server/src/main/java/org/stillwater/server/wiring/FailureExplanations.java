package org.stillwater.server.wiring;

import java.sql.SQLException;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.NestedExceptionUtils;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.SchemaNewer;
import org.stillwater.dal.SchemaOutdated;
import org.stillwater.dal.embedded.EmbeddedPostgresException;
import org.stillwater.dal.lock.DatabaseInUse;

/** Explanations of a failed start: the problem and the remedy, without a stack trace. */
final class FailureExplanations {

    private FailureExplanations() {}

    /** Refusals of the engine itself. */
    static final class Refused extends AbstractFailureAnalyzer<StartRefused> {

        @Override
        protected FailureAnalysis analyze(Throwable root, StartRefused cause) {
            return new FailureAnalysis(cause.getMessage(), cause.action(), root);
        }
    }

    /** The engine's own PostgreSQL does not start. */
    static final class Embedded extends AbstractFailureAnalyzer<EmbeddedPostgresException> {

        @Override
        protected FailureAnalysis analyze(Throwable root, EmbeddedPostgresException cause) {
            String action =
                    switch (cause.reason()) {
                        case DATA_FOLDER_IN_USE ->
                                "Stop the other engine, or give this one its own folder with"
                                        + " stillwater.data-folder.";
                        case DATA_FOLDER_UNUSABLE ->
                                "Let the engine's user write there, or name another folder with"
                                        + " stillwater.data-folder.";
                        case UNSUPPORTED_PLATFORM, BINARIES_UNUSABLE, NO_UNPRIVILEGED_ACCOUNT ->
                                "Run the engine as an ordinary user, or name a PostgreSQL server"
                                        + " with spring.datasource.url.";
                        case OTHER_MAJOR_VERSION ->
                                "Stop this service until the command has ended. Its page is 'Move"
                                        + " to another major version of PostgreSQL' in the"
                                        + " documentation.";
                        case START_FAILED ->
                                "See the server's own words above; if its port is taken, choose"
                                        + " another with stillwater.database.embedded.port, or 0"
                                        + " for a free one.";
                    };
            return new FailureAnalysis(cause.getMessage(), action, root);
        }
    }

    /** Another engine, or a program beside it, has the database. */
    static final class InUse extends AbstractFailureAnalyzer<DatabaseInUse> {

        @Override
        protected FailureAnalysis analyze(Throwable root, DatabaseInUse cause) {
            return new FailureAnalysis(
                    "The database has another user: " + cause.getMessage(),
                    "Stop the other one, or give this engine a database of its own with"
                            + " spring.datasource.url. If its machine is dead, PostgreSQL ends its"
                            + " connections after a minute.",
                    root);
        }
    }

    /** The schema is older than the engine, which may not change it. */
    static final class Outdated extends AbstractFailureAnalyzer<SchemaOutdated> {

        @Override
        protected FailureAnalysis analyze(Throwable root, SchemaOutdated cause) {
            return new FailureAnalysis(
                    cause.getMessage(),
                    "Name the role that owns the schema with"
                            + " stillwater.database.migration.username and"
                            + " stillwater.database.migration.password; one start with them is"
                            + " enough.",
                    root);
        }
    }

    /** A newer version of Stillwater made the schema. */
    static final class Newer extends AbstractFailureAnalyzer<SchemaNewer> {

        @Override
        protected FailureAnalysis analyze(Throwable root, SchemaNewer cause) {
            return new FailureAnalysis(
                    cause.getMessage(),
                    "Start the newer version again, or stop it and restore a backup that was made"
                            + " before the upgrade: ./stillwater restore FILE --replace. A schema"
                            + " is not migrated back.",
                    root);
        }
    }

    /** The database cannot be reached or used. */
    static final class Database extends AbstractFailureAnalyzer<StoreUnavailable> {

        @Override
        protected FailureAnalysis analyze(Throwable root, StoreUnavailable cause) {
            SQLException sql = find(cause, SQLException.class);
            String state = sql == null || sql.getSQLState() == null ? "" : sql.getSQLState();
            String action =
                    switch (state.isEmpty() ? "" : state.substring(0, 2)) {
                        case "08" ->
                                "Start PostgreSQL, or correct spring.datasource.url; without it"
                                        + " the engine runs its own server.";
                        case "28" ->
                                "Correct spring.datasource.username and"
                                        + " spring.datasource.password, or those of"
                                        + " stillwater.database.migration.";
                        case "3D" -> "Create the database that spring.datasource.url names.";
                        case "42" ->
                                "Let the role of stillwater.database.migration.username, or else"
                                        + " that of spring.datasource.username, create tables and"
                                        + " views in this database.";
                        case "2B", "0A" ->
                                "Drop the objects that are named, and make them again after the"
                                        + " start.";
                        case "53" ->
                                "Let PostgreSQL take more connections, or lower"
                                        + " stillwater.database.max-connections.";
                        default ->
                                find(cause, FlywayException.class) != null
                                        ? "Use an empty database, or the one that a Stillwater of"
                                                + " this or an older version made."
                                        : "See to the database and start again.";
                    };
            String reason =
                    state.startsWith("2B") || state.startsWith("0A")
                            ? cause.getMessage() // without the server's advice to drop more
                            : NestedExceptionUtils.getMostSpecificCause(cause).getMessage();
            return new FailureAnalysis("The database cannot be used: " + reason, action, root);
        }

        private static <T extends Throwable> @Nullable T find(Throwable from, Class<T> type) {
            for (Throwable at = from; at != null; at = at.getCause()) {
                if (type.isInstance(at)) {
                    return type.cast(at);
                }
            }
            return null;
        }
    }
}
